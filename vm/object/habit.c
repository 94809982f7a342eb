// SPDX-License-Identifier: MIT
// Names that methods have in Go, Python, JavaScript and others, with what is
// written here. Pure functions; any thread.
#include "vm/object/habit.h"

#include <stdbool.h>
#include <string.h>

typedef struct Habit {
  const char *names;  // with spaces between
  const char *here;
} Habit;

static const Habit OF_LISTS[] = {
    {"append add push_back", "xs.push(v)"},
    {"unshift prepend push_front appendleft", "xs.insert(0, v)"},
    {"shift pop_front popleft pop_left", "xs.remove(0)"},
    {"delete remove_at removeAt", "xs.remove(at)"},
    {"length len size", "len(xs)"},
    {"is_empty isEmpty empty", "len(xs) == 0"},
    {"concat", "xs + ys"},
    {"forEach for_each", "xs.each(f)"},
    {"includes has include", "xs.contains(v)"},
    {"indexOf index_of", "xs.index(v)"},
    {"lastIndexOf last_index_of", "xs.last_index(v)"},
    {"findIndex", "xs.find_index(f)"},
    {"slice subList sublist", "xs[from:to]"},
    {"take", "xs.part(0, n)"},
    {"drop skip", "xs.part(n)"},
    {"get at", "xs[i]"},
    {"some", "xs.any(f)"},
    {"every", "xs.all(f)"},
    {"sorted toSorted", "copy(xs).sort()"},
    {"reversed toReversed", "copy(xs).reverse()"},
    {"fold foldl inject", "xs.reduce(f, initial)"},
    {"flatMap", "xs.flat_map(f)"},
    {"select where", "xs.filter(f)"},
    {"collect", "xs.map(f)"},
    {"copy clone", "copy(xs)"},
    {"keys entries items", "for i, v in xs"},
    {"uniq distinct dedupe", "xs.unique()"},
    {"groupby groupBy", "xs.group_by(f)"},
    {"mean average avg", "xs.sum() / float(len(xs))"},
    {"discard remove_value", "xs.remove(xs.index(v))"},
};

// A tuple is a list that stays as it is.
static const Habit OF_TUPLES[] = {
    {"append add", "t + (v,)"},
    {"length len size", "len(t)"},
    {"concat", "t + u"},
    {"includes has", "t.contains(v)"},
    {"indexOf index_of", "t.index(v)"},
    {"slice", "t[from:to]"},
    {"get at", "t[i]"},
    {"tolist to_list toList", "list(t)"},
};

static const Habit OF_STRINGS[] = {
    {"upper toUpperCase toUpper uppercase upcase", "s.to_upper()"},
    {"lower toLowerCase toLower lowercase downcase", "s.to_lower()"},
    {"strip", "s.trim()"},
    {"lstrip trimStart trim_start trimLeft", "s.trim_left()"},
    {"rstrip trimEnd trim_end trimRight", "s.trim_right()"},
    {"startswith startsWith starts_with hasPrefix", "s.has_prefix(t)"},
    {"endswith endsWith ends_with hasSuffix", "s.has_suffix(t)"},
    {"removeprefix trimPrefix", "s.trim_prefix(t)"},
    {"removesuffix trimSuffix", "s.trim_suffix(t)"},
    {"length len size", "len(s)"},
    {"is_empty isEmpty empty", "s == \"\""},
    {"find indexOf index_of", "s.index(t)"},
    {"rfind rindex lastIndexOf", "s.last_index(t)"},
    {"includes has include", "s.contains(t)"},
    {"substring substr slice", "s[from:to]"},
    {"charAt char_at", "s.chars()[i]"},
    {"charCodeAt codePointAt at", "s[i]"},
    {"replaceAll replace_all", "s.replace(old, new)"},
    {"padStart rjust ljust padEnd", "s.pad_left(n) or s.pad_right(n)"},
    {"isdigit isnumeric isdecimal isDigit", "s.is_digit()"},
    {"isalpha", "s.is_alpha()"},
    {"isalnum", "s.is_alnum()"},
    {"isspace", "s.is_space()"},
    {"isupper", "s.is_upper()"},
    {"islower", "s.is_lower()"},
    {"splitlines", "s.lines()"},
    {"partition", "s.cut(sep)"},
    {"concat", "s + t"},
    {"parseInt to_int toInt to_i", "s.parse_int()"},
    {"parseFloat to_float toFloat to_f", "s.parse_float()"},
    {"encode", "bytes(s)"},
    {"format", "\"${value}\", or fmt.sprintf(s, values...)"},
    {"join", "parts.join(s)"},
    {"zfill", "s.pad_left(n, \"0\")"},
    {"casefold", "s.equal_fold(t)"},
    {"rsplit rpartition", "s.last_index(sep)"},
    {"all every", "s.chars().all(f)"},
    {"any some", "s.chars().any(f)"},
    {"map", "strings.map(s, f)` of the module `strings"},
    {"filter", "strings.filter(s, f)` of the module `strings"},
    {"each forEach", "for c in s"},
};

static const Habit OF_MAPS[] = {
    {"keys", "maps.keys(m)` of the module `maps"},
    {"values", "maps.values(m)` of the module `maps"},
    {"items entries", "for k, v in m"},
    {"forEach for_each each", "for k, v in m"},
    {"has has_key containsKey contains_key contains includes hasOwnProperty",
     "key in m"},
    {"get", "m[key] ?? otherwise"},
    {"set put", "m[key] = v"},
    {"delete remove", "delete(m, key)"},
    {"pop", "maps.pop(m, key)` of the module `maps"},
    {"setdefault set_default", "m[key] ?\?= v"},
    {"update merge assign", "maps.update(m, other)` of the module `maps"},
    {"clear", "maps.clear(m)` of the module `maps"},
    {"copy clone", "copy(m)"},
    {"length len size", "len(m)"},
    {"is_empty isEmpty empty", "len(m) == 0"},
};

static const Habit OF_BYTES[] = {
    {"append add write extend", "b.push(piece)"},
    {"length len size", "len(b)"},
    {"decode", "b.to_string()"},
    {"find indexOf index_of", "b.index(piece)"},
    {"slice subarray", "b[from:to]"},
};

static const Habit OF_CHANS[] = {
    {"send put push write", "c <- v"},
    {"recv receive get read pop", "<-c"},
    {"close", "close(c)"},
    {"length len size", "len(c)"},
    {"capacity cap", "cap(c)"},
};

static const Habit OF_TASKS[] = {
    {"wait join await get result", "<-t"},
};

static const Habit OF_ERRORS[] = {
    {"msg what getMessage Error error", "err.message"},
    {"unwrap Unwrap getCause", "err.cause"},
    {"errno Code getCode", "err.code"},
};

// Durations are ints.
static const Habit OF_INTS[] = {
    {"by step", "(from..to).by(step)"},
    {"string String",
     "str(x)`, or for a duration `time.duration_string(d)` of the module "
     "`time"},
};

static const Habit OF_NUMBERS[] = {
    {"abs", "abs(x)"},
    {"toFixed", "fmt.sprintf(\"%.2f\", x)` of the module `fmt"},
    {"round floor ceil", "math.round(x)` of the module `math"},
    {"to_i toInt", "int(x)"},
    {"to_f toFloat", "float(x)"},
};

static const Habit OF_RANGES[] = {
    {"length len size", "len(r)"},
    {"contains includes has", "n in r"},
    {"step step_by stepBy", "r.by(step)"},
    {"reversed reverse rev", "(last..=first).by(-1)"},
};

static const Habit OF_FUNCTIONS[] = {
    {"call apply", "f(args...)"},
};

static const Habit OF_ALL[] = {
    {"toString String to_string to_s string", "str(x)"},
    {"equals Equals equal eq", "x == y, or equal(x, y)"},
    {"copy clone", "copy(x)"},
    {"type class getClass", "type(x)"},
};

static bool habit_has(const char *words, const char *word) {
  size_t len = strlen(word);
  while (*words != '\0') {
    size_t own = strcspn(words, " ");
    if (own == len && memcmp(words, word, len) == 0) return true;
    words += own + (words[own] == ' ');
  }
  return false;
}

static const char *habit_in(const Habit *habits, size_t count,
                            const char *name) {
  for (size_t i = 0; i < count; i++)
    if (habit_has(habits[i].names, name)) return habits[i].here;
  return NULL;
}

#define HABIT_IN(habits) \
  habit_in(habits, sizeof(habits) / sizeof *(habits), name)

static const char *habit_of_int(const char *name) {
  const char *here = HABIT_IN(OF_INTS);
  return here != NULL ? here : HABIT_IN(OF_NUMBERS);
}

static const char *habit_of(ObjType type, const char *name) {
  switch (type) {
    case OBJ_LIST:
      return HABIT_IN(OF_LISTS);
    case OBJ_TUPLE:
      return HABIT_IN(OF_TUPLES);
    case OBJ_STRING:
      return HABIT_IN(OF_STRINGS);
    case OBJ_MAP:
      return HABIT_IN(OF_MAPS);
    case OBJ_BYTES:
      return HABIT_IN(OF_BYTES);
    case OBJ_CHAN:
      return HABIT_IN(OF_CHANS);
    case OBJ_TASK:
      return HABIT_IN(OF_TASKS);
    case OBJ_ERROR:
      return HABIT_IN(OF_ERRORS);
    case OBJ_INT:
      return habit_of_int(name);
    case OBJ_FLOAT:
      return HABIT_IN(OF_NUMBERS);
    case OBJ_RANGE:
      return HABIT_IN(OF_RANGES);
    case OBJ_CLOSURE:
      return HABIT_IN(OF_FUNCTIONS);
    default:
      return NULL;
  }
}

const char *habit_find(ObjType type, const char *name) {
  const char *here = habit_of(type, name);
  return here != NULL ? here : HABIT_IN(OF_ALL);
}

#undef HABIT_IN
