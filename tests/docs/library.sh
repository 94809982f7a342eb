# expect: docs/library.md describes all that the library has
# once: one thread, and the same each time
python3 tests/docs/library.py
