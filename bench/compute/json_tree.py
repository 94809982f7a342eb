# SPDX-License-Identifier: MIT
def build(depth, n):
    if depth == 0:
        return {"id": n, "name": f'leaf "{n}"', "even": n % 2 == 0}
    return {
        "id": n,
        "name": f"node {n}",
        "tags": ["depth", f"d{depth}", depth],
        "children": [build(depth - 1, n * 3 + i) for i in range(3)],
    }


def add_up(v):
    if type(v) is int:
        return v
    total = 0
    if type(v) is list:
        for item in v:
            total += add_up(item)
    elif type(v) is dict:
        for item in v.values():
            total += add_up(item)
    return total


def quote(s):
    return '"' + s.replace("\\", "\\\\").replace('"', '\\"') + '"'


def encode(v, out):
    if type(v) is str:
        out.append(quote(v))
    elif type(v) is list:
        out.append("[")
        for i, item in enumerate(v):
            if i > 0:
                out.append(",")
            encode(item, out)
        out.append("]")
    elif type(v) is dict:
        out.append("{")
        for i, k in enumerate(sorted(v)):
            if i > 0:
                out.append(",")
            out.append(quote(k))
            out.append(":")
            encode(v[k], out)
        out.append("}")
    elif type(v) is bool:
        out.append("true" if v else "false")
    else:
        out.append(str(v))


def main():
    for n in range(25):
        tree = build(7, n)
        out = []
        encode(tree, out)
        text = "".join(out)
        print(add_up(tree), len(text), text[n * 100:n * 100 + 50])


main()
