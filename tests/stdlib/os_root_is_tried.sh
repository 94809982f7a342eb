# Every function of os that takes anything is tried with hostile paths in
# unit/test_root.c, or stands here: those that only look at text, those that
# take no path, and the one that starts programs, which a root forbids.
# expect: tried
# once: one thread, and the same each time
python3 - << 'END'
import re, sys
sys.path.insert(0, "tests/docs")
import library

TEXT = {"clean_path", "join_path", "base", "dir", "ext", "is_abs"}
NO_PATH = {"exit", "is_terminal", "env", "set_env", "unset_env", "signals", "random"}
PROGRAMS = {"run"}

with open("tests/unit/test_root.c", encoding="utf-8") as f:
    everything = re.search(r"#define EVERYTHING(.*?[^\\])\n", f.read(), re.S).group(1)
tried = set(re.findall(r"os\.(\w+)\(", everything))
takes = {name for (owner, name), params in library.read_library().items()
         if owner == "os" and params}
for name in sorted(takes - tried - TEXT - NO_PATH - PROGRAMS):
    print("unit/test_root.c does not try os." + name)
for name in sorted((TEXT | NO_PATH | PROGRAMS) - takes):
    print("os." + name + " is not there")
print("tried" if len(takes) > 30 else takes)
END
