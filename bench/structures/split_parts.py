# SPDX-License-Identifier: MIT
def split(text, rounds):
    count, last = 0, ""
    for i in range(rounds):
        parts = text.split(",")
        count += len(parts)
        last = parts[i]
    return f'[{count}, "{last}"]'


words = [f"w{i}" for i in range(200_000)]
print(split("word," * 200_000, 20), split(",".join(words), 20))
