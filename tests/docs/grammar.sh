# expect: docs/language.md has the grammar of lang/parse/grammar.y
# once: one thread, and the same each time
python3 tests/docs/grammar.py
