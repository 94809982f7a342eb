# SPDX-License-Identifier: MIT
def append_lines(lines):
    text = ""
    for i in range(lines):
        text += "line "
        text += str(i)
        text += "\n"
    return text


def join_lines(lines):
    pieces = []
    for i in range(lines):
        pieces.append(f"line {i}")
    return "\n".join(pieces)


def main():
    appended = joined = 0
    for n in range(40):
        appended += len(append_lines(1500 + n))
        joined += len(join_lines(30_000 + n))
    print(appended, joined)


main()
