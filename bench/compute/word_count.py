# SPDX-License-Identifier: MIT
PARAGRAPHS = """\
The ferry left the harbour a little after six, while the
lamps along the quay were still burning. Most of the passengers stayed below,
where it was warm; a few stood at the rail and watched the town grow small.
An old man with a basket of bread told anyone who listened that the weather
would turn before noon. Nobody believed him, but the wind did turn, and by
eleven the sea was the colour of slate.

In the kitchen of the inn the cook kept three clocks, and none of them
agreed. The first had come with the house, the second was a gift from her
brother, and the third she had won in a game of cards. When the soup was
ready, she said, the soup would tell her; the clocks were there for the
company. The guests, who paid by the week, soon learned to follow the smell
of onions instead of the bell.

Every spring the river moved the sand to a new place, and every spring the
children drew a new map of it. The maps were kept in a box under the stairs
of the school, the oldest so thin that the light came through. If you laid
one upon another and held them to the window, you could see the river swing
from side to side like a rope, slowly, as if somebody very patient were
holding the far end.

A letter arrived in the middle of the harvest, and because everyone was in
the fields it lay on the table until dark. It came from the city, from an
office that wanted to know how many trees there were in the orchard, how old
they were, and of what kind. The farmer counted twice, got two numbers, and
wrote down the larger. The office answered in winter: the number was wrong,
it said, but it was welcome.

She had repaired radios for forty years and still could not say what music
was. It went in as a current and came out as a voice; between the two there
was only wire, glass, and a smell of dust. Sometimes, late in the evening,
she left a set open on the bench and listened to a station she did not know,
in a language she did not speak, and thought that this, too, was a kind of
counting.""".split("\n\n")


def long_text(n):
    pieces = []
    x = 42
    for _ in range(n):
        x = x * 16807 % 2147483647
        pieces.append(PARAGRAPHS[x % len(PARAGRAPHS)])
    return "\n\n".join(pieces)


def main():
    counts = {}
    words = 0
    for word in long_text(30_000).lower().split():
        word = word.strip(".,;:")
        counts[word] = counts.get(word, 0) + 1
        words += 1

    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    print(words, len(ranked))
    for word, count in ranked[:10]:
        print(word, count)


main()
