# SPDX-License-Identifier: MIT
"""Makes a program that shows a fault smaller, as long as it shows it.

`bad(candidate)` tells whether it does. What does not even compile is
not bad."""

import re


def fewer(items, bad):
    """Takes items out, in ever smaller pieces, while bad(the others)."""
    size = max(1, len(items) // 2)
    while size:
        at = 0
        while at < len(items):
            rest = items[:at] + items[at + size:]
            if len(rest) < len(items) and bad(rest):
                items = rest
            else:
                at += size
        size //= 2
    return items


def units(lines):
    """Lines as nested statements: [line, ...] or (head, units, tail)."""
    indents = [len(line) - len(line.lstrip()) for line in lines] + [0]
    result, at = [], 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and indents[end] > indents[at]:
            end += 1
        inner = lines[at + 1:end]
        if not inner:
            result.append(lines[at])
            at += 1
        elif end < len(lines) and lines[end].lstrip().startswith("}"):
            result.append((lines[at], units(inner), lines[end]))
            at = end + 1
        else:  # a clause
            result.append((lines[at], units(inner), None))
            at = end
    return result


def flat(tree):
    for unit in tree:
        if isinstance(unit, str):
            yield unit
        else:
            yield unit[0]
            yield from flat(unit[1])
            if unit[2] is not None:
                yield unit[2]


def reduce_tree(tree, bad):
    """bad(tree). Drops statements, then blocks' statements, then heads."""
    tree = fewer(tree, bad)
    for at in range(len(tree) - 1, -1, -1):
        if isinstance(tree[at], str):
            continue
        head, inner, tail = tree[at]

        def put(replacement, at=at):
            return tree[:at] + replacement + tree[at + 1:]
        inner = reduce_tree(inner, lambda less: bad(put([(head, less, tail)])))
        tree = put([(head, inner, tail)])
        if bad(put(inner)):
            tree = put(inner)
    return tree


def smaller_expressions(text, bad):
    """Puts 1, or one operand, where there are parentheses or a list."""
    at = 0
    while at < len(text):
        if text[at] not in "([":
            at += 1
            continue
        end = closing(text, at)
        inside = text[at + 1:end]
        parts = [part.strip() for part in re.split(r",| [-+*/%&|^<>=?]+ ", inside)]
        for new in ["", "1", *parts]:
            for form in (text[at] + new + text[end:end + 1], new):
                candidate = text[:at] + form + text[end + 1:]
                if len(candidate) < len(text) and bad(candidate):
                    text = candidate
                    break
            else:
                continue
            break
        else:
            at += 1
    return text


def closing(text, at):
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] in "([") - (text[end] in ")]")
        if depth == 0:
            return end
    return len(text)


def reduce_text(text, bad):
    def bad_tree(tree):
        return bad("\n".join(flat(tree)) + "\n")
    tree = reduce_tree(units(text.splitlines()), bad_tree)
    tree = reduce_tree(units(list(flat(tree))), bad_tree)
    return smaller_expressions("\n".join(flat(tree)) + "\n", bad)
