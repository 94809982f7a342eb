// SPDX-License-Identifier: MIT
// Looking up functions in the table of docs/library.md (doc.h).
//
// The table is one constant text, which is read from its beginning at each
// query. So a start without a query pays nothing for it. No runtime is needed.
#include "cli/doc.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lang/parse/foreign.h"
#include "lang/parse/unexpected.h"
#include "vm/object/habit.h"
#include "vm/object/suggest.h"
#include "vm/object/value_text.h"
#include "vm/value/utf8.h"

enum { STATUS_UNKNOWN = 1, STATUS_USAGE = 2, COLUMNS = 78, NAME_MAX_LEN = 63 };

static const char usage[] =
    "usage: cspvm doc         list the modules\n"
    "       cspvm doc NAME    show functions of this name, or a module's list\n"
    "\n"
    "NAME is like split, s.split, strings.split, os.read_file, os.\n";

typedef struct Part {
  const char *text;
  size_t len;
} Part;

// A place in the table. The parts are those of the line before `at`.
typedef struct DocPlace {
  const char *at;
  char kind;  // as in doc_table.awk
  Part line, section, topic;
} DocPlace;

// A name that is looked for.
typedef struct Query {
  Part owner;  // "s", "strings"; of length 0 it is any
  Part name;   // of length 0 it is any, too
} Query;

// --- The table --------------------------------------------------------------
static bool next_line(DocPlace *place) {
  if (*place->at == '\0') return false;
  size_t len = strcspn(place->at, "\n");
  place->kind = place->at[0];
  place->line = (Part){place->at + 2, len - 2};
  place->at += len + 1;
  if (place->kind == '#') {
    place->section = place->line;
    place->topic.len = 0;
  }
  if (place->kind == '+') place->topic = place->line;
  return true;
}

static bool same(Part a, Part b) {
  return a.len == b.len && memcmp(a.text, b.text, a.len) == 0;
}

// `s` and `split` of s.split(sep = nil).
static Query signature_names(Part signature) {
  Query names = {{signature.text, 0}, signature};
  for (size_t n = 0; n < signature.len && signature.text[n] != '('; n++) {
    if (signature.text[n] != '.') continue;
    names.owner.len = n;
    names.name.text = signature.text + n + 1;
  }
  size_t left = (size_t)(signature.text + signature.len - names.name.text);
  const char *open = memchr(names.name.text, '(', left);
  names.name.len = open != NULL ? (size_t)(open - names.name.text) : left;
  return names;
}

// The word in small letters, of "Strings" or "Predeclared functions".
static bool is_section(Part section, Part word) {
  const char *space = memchr(section.text, ' ', section.len);
  size_t len = space != NULL ? (size_t)(space - section.text) : section.len;
  return word.len == len && strncasecmp(section.text, word.text, len) == 0;
}

// Also of one of them: list.push is in "Lists".
static bool is_section_of(Part section, Part word) {
  if (is_section(section, word)) return true;
  return word.len + 1 == section.len && section.text[word.len] == 's' &&
         strncasecmp(section.text, word.text, word.len) == 0;
}

static bool owner_fits(const DocPlace *place, Part owner) {
  return owner.len == 0 || same(signature_names(place->line).owner, owner) ||
         is_section_of(place->section, owner);
}

static bool fits(const DocPlace *place, const Query *query) {
  bool named = query->name.len == 0 ||
               same(signature_names(place->line).name, query->name);
  return named && owner_fits(place, query->owner);
}

// Whether one of the functions in the section at that place is of the owner.
static bool owner_in_section(const DocPlace *section, Part owner) {
  DocPlace place = *section;
  if (owner.len == 0) return true;
  while (next_line(&place) && place.section.text == section->section.text)
    if (place.kind == '@' && owner_fits(&place, owner)) return true;
  return false;
}

static bool owner_is_known(Part owner) {
  DocPlace place = {.at = doc_table};
  while (next_line(&place))
    if (place.kind == '@' && owner_fits(&place, owner)) return true;
  return false;
}

// A short name, such as `g` or `ws`, but not `os`.
static bool is_variable(Part owner) {
  enum { VARIABLE_MOST = 2 };
  DocPlace place = {.at = doc_table};
  if (owner.len == 0 || owner.len > VARIABLE_MOST) return false;
  while (next_line(&place))
    if (is_section(place.section, owner)) return false;
  return true;
}

// --- Writing ----------------------------------------------------------------
static size_t columns_of(Part part) {
  size_t columns = 0;
  for (size_t n = 0; n < part.len; n++)
    columns += !utf8_continues(part.text[n]);
  return columns;
}

// The words, in lines that are indented.
static void add_folded(Text *out, Part text, size_t indent) {
  size_t column = 0;
  while (text.len > 0) {
    const char *space = memchr(text.text, ' ', text.len);
    Part word = {text.text,
                 space != NULL ? (size_t)(space - text.text) : text.len};
    size_t wide = columns_of(word);
    if (column > 0 && column + 1 + wide > COLUMNS) {
      text_add(out, "\n", 1);
      column = 0;
    }
    text_addf(out, "%*s%.*s", column > 0 ? 1 : (int)indent, "", (int)word.len,
              word.text);
    column += wide + (column > 0 ? 1 : indent);
    size_t used = word.len + (space != NULL);
    text = (Part){text.text + used, text.len - used};
  }
  text_add(out, "\n", 1);
}

static void add_line(Text *out, Part part, size_t indent) {
  text_addf(out, "%*s%.*s\n", (int)indent, "", (int)part.len, part.text);
}

// Whether it has the name between such characters.
static bool has_between(Part text, const char *before, Part name,
                        const char *after) {
  for (size_t n = 1; n + name.len < text.len; n++)
    if (strchr(before, text.text[n - 1]) != NULL &&
        strchr(after, text.text[n + name.len]) != NULL &&
        memcmp(text.text + n, name.text, name.len) == 0)
      return true;
  return false;
}

// `e.trace` of "trace", say, or of "e.trace".
static bool mentions(Part text, Part member) {
  bool whole = memchr(member.text, '.', member.len) != NULL;
  return has_between(text, whole ? "`" : ".", member, "`");
}

// Whether it is a row of a parameter: "`idle`: ..." of "serve(at, idle = 60s)".
static bool is_row_of(Part row, Part signature) {
  const char *end = memchr(row.text + 1, '`', row.len > 0 ? row.len - 1 : 0);
  if (end == NULL || row.text[0] != '`') return false;
  Part name = {row.text + 1, (size_t)(end - row.text) - 1};
  return has_between(signature, "( ", name, ",) ");
}

// What the tables after an entry say of its parameters.
static void add_rows(Text *out, DocPlace place, Part signature) {
  while (next_line(&place) && place.kind != '#' && place.kind != '+')
    if (place.kind == '|' && is_row_of(place.line, signature))
      add_folded(out, place.line, 4);
}

// All entries that fit, with an empty line between: how many. With `member`
// only those whose text has a member of that name.
static size_t add_entries(Text *out, const Query *query, Part member) {
  DocPlace place = {.at = doc_table}, entry = {0};
  size_t count = 0;
  bool wanted = false;
  while (next_line(&place)) {
    if (place.kind == '@') {
      if (entry.kind != '@') entry = place;
      wanted = wanted || fits(&place, query);
      continue;
    }
    wanted = wanted && (member.len == 0 || mentions(place.line, member));
    if (place.kind == ':' && wanted) {
      if (count++ > 0) text_add(out, "\n", 1);
      Part signature = entry.line;
      do add_line(out, entry.line, 0);
      while (next_line(&entry) && entry.kind == '@');
      add_folded(out, place.line, 4);
      add_rows(out, place, signature);
    }
    wanted = false;
    entry.kind = '\0';
  }
  return count;
}

// Paragraphs and rows of tables that tell of the name, in the sections that
// have functions of that owner: how many.
static size_t add_passages(Text *out, Part owner, Part name) {
  DocPlace place = {.at = doc_table};
  Part section = {0};
  size_t count = 0;
  bool wanted = false;
  while (next_line(&place)) {
    if (place.kind == '#') wanted = owner_in_section(&place, owner);
    if (!wanted || strchr("~.|", place.kind) == NULL ||
        !has_between(place.line, "`.\"", name, "`\""))
      continue;
    if (place.section.text != section.text) {
      section = place.section;
      text_addf(out, "%s", count > 0 ? "\n" : "");
      add_line(out, section, 0);
    }
    add_folded(out, place.line, 4);
    count++;
  }
  return count;
}

static bool add_section(Text *out, Part name,
                        bool (*is)(Part section, Part word)) {
  DocPlace place = {.at = doc_table};
  bool found = false;
  while (next_line(&place)) {
    if (!is(place.section, name)) continue;
    if (place.kind == '#' && found) text_add(out, "\n", 1);
    if (place.kind == '#') add_line(out, place.line, 0);
    if (place.kind == '~') add_folded(out, place.line, 4);
    if (place.kind == '+') text_addf(out, "\n");
    if (place.kind == '+') add_line(out, place.line, 2);
    if (place.kind == '@') add_line(out, place.line, 4);
    if (place.kind == '|') add_folded(out, place.line, 6);
    found = true;
  }
  return found;
}

static void add_sections(Text *out) {
  DocPlace place = {.at = doc_table};
  size_t count = 0;
  while (next_line(&place)) {
    if (place.kind == '#') {
      text_addf(out, "%s%.*s", out->len > 0 ? "\n" : "", (int)place.line.len,
                place.line.text);
      count = 0;
    } else if (place.kind == '+') {
      text_addf(out, "%s%.*s", count++ > 0 ? " \xc2\xb7 " : ": ",
                (int)place.line.len, place.line.text);
    }
  }
  text_addf(out, "\n");
}

// --- Finding ----------------------------------------------------------------
static Query split_query(const char *name) {
  const char *point = strrchr(name, '.');
  Query query = {{name, 0}, {name, strlen(name)}};
  if (point == NULL) return query;
  query.owner.len = (size_t)(point - name);
  query.name = (Part){point + 1, strlen(point + 1)};
  return query;
}

// suggest->best then is in `best`.
static void try_name(Suggest *suggest, char *best, Part owner, Part name) {
  char word[NAME_MAX_LEN + 1];
  snprintf(word, sizeof word, "%.*s%s%.*s", (int)owner.len, owner.text,
           owner.len > 0 ? "." : "", (int)name.len, name.text);
  suggest_try(suggest, word);
  if (suggest->best != word) return;
  strcpy(best, word);
  suggest->best = best;
}

typedef struct TypeName {
  const char *name;
  ObjType type;
} TypeName;

static const TypeName TYPES[] = {{"list", OBJ_LIST},   {"string", OBJ_STRING},
                                 {"tuple", OBJ_TUPLE}, {"map", OBJ_MAP},
                                 {"bytes", OBJ_BYTES}, {"chan", OBJ_CHAN},
                                 {"task", OBJ_TASK},   {"error", OBJ_ERROR}};

// The type that the owner's section is about, as for `xs` and `list`. Or NULL.
static const TypeName *type_of_owner(Part owner) {
  DocPlace place = {.at = doc_table};
  while (owner.len > 0 && next_line(&place)) {
    if (place.kind != '@' || !owner_fits(&place, owner)) continue;
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
      Part name = {TYPES[i].name, strlen(TYPES[i].name)};
      if (is_section_of(place.section, name)) return &TYPES[i];
    }
    return NULL;
  }
  return NULL;
}

// What other languages call so, with what is written here: of the owner.
static const char *own_habit(const Query *query) {
  char owner[NAME_MAX_LEN + 1], word[NAME_MAX_LEN + 1];
  snprintf(owner, sizeof owner, "%.*s", (int)query->owner.len,
           query->owner.text);
  snprintf(word, sizeof word, "%.*s", (int)query->name.len, query->name.text);
  const char *here = suggest_foreign_member(owner, word);
  const TypeName *type = here == NULL ? type_of_owner(query->owner) : NULL;
  return type != NULL ? habit_find(type->type, word) : here;
}

// ... of any type. Gives how much.
static size_t add_habits(Text *out, Part name) {
  char word[NAME_MAX_LEN + 1];
  const char *before = NULL;
  size_t count = 0;
  snprintf(word, sizeof word, "%.*s", (int)name.len, name.text);
  for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
    const char *here = habit_find(TYPES[i].type, word);
    if (here == NULL || here == before) continue;
    text_addf(out, "    write `%s`\n", before = here);
    count++;
  }
  return count;
}

static size_t add_foreign(Text *out, const char *name, const Query *query) {
  const char *here = own_habit(query);
  if (here != NULL) text_addf(out, "    write `%s`\n", here);
  if (here != NULL) return 1;
  size_t count = add_habits(out, query->name);
  if (count > 0 || query->owner.len > 0) return count;
  here = suggest_foreign_name(name);
  if (here == NULL) here = suggest_foreign_module(name);
  if (here != NULL) text_addf(out, "    %s\n", here);
  return here != NULL;
}

static bool add_keyword(Text *out, const char *name) {
  if (!token_is_keyword_text(name, strlen(name))) return false;
  text_addf(out, "`%s` is a keyword, which language.md explains\n", name);
  return true;
}

static bool is_longer(Part text, Part with) {
  return text.len > with.len && memcmp(text.text, with.text, with.len) == 0;
}

// The name, and with the owner where there is one: "`xs.sort`", once.
static void add_full_name(Text *out, Part owner, Part name) {
  char word[NAME_MAX_LEN * 2 + 4];
  snprintf(word, sizeof word, "`%.*s%s%.*s`", (int)owner.len, owner.text,
           owner.len > 0 ? "." : "", (int)name.len, name.text);
  if (out->data != NULL && strstr(out->data, word) != NULL) return;
  text_addf(out, "%s%s", out->len > 0 ? ", " : "", word);
}

// The owner's names that begin with what was typed, which is more than a
// letter: "`xs.sort`, `xs.sort_by`".
static void add_longer(Text *out, const Query *query, bool known) {
  DocPlace place = {.at = doc_table};
  if (query->name.len < 2) return;
  while (next_line(&place)) {
    if (place.kind != '@') continue;
    Query names = signature_names(place.line);
    if (query->owner.len == 0 && is_longer(names.owner, query->name))
      add_full_name(out, query->owner, names.owner);
    if (known && !owner_fits(&place, query->owner)) continue;
    if (is_longer(names.name, query->name))
      add_full_name(out, known ? query->owner : names.owner, names.name);
  }
}

// The name that differs least from what was typed.
static void add_nearest(Text *out, const char *name, const Query *query,
                        bool known) {
  char best[NAME_MAX_LEN + 1];
  Suggest suggest = {.wanted = name};
  DocPlace place = {.at = doc_table};
  while (next_line(&place)) {
    if (place.kind != '@') continue;
    Query names = signature_names(place.line);
    if (query->owner.len == 0) {
      try_name(&suggest, best, query->owner, names.name);
      try_name(&suggest, best, query->owner, names.owner);
    } else if (!known || owner_fits(&place, query->owner)) {
      try_name(&suggest, best, known ? query->owner : names.owner, names.name);
    }
  }
  if (suggest.best != NULL) text_addf(out, "`%s`", suggest.best);
}

// Whatever has a function of that name: "`xs.push`, `b.push`".
static void add_owners(Text *out, Part name) {
  DocPlace place = {.at = doc_table};
  while (next_line(&place)) {
    if (place.kind != '@') continue;
    Query names = signature_names(place.line);
    if (same(names.name, name)) add_full_name(out, names.owner, name);
  }
}

static bool name_is_elsewhere(Part name) {
  Text owners = {0};
  add_owners(&owners, name);
  bool elsewhere = owners.len > 0;
  text_free(&owners);
  return elsewhere;
}

static void add_unknown(Text *out, const char *name, const Query *query) {
  Text foreign = {0}, owners = {0}, near = {0};
  bool known = query->owner.len > 0 && owner_is_known(query->owner);
  text_addf(out, "the library has no `%s`", name);
  if (own_habit(query) == NULL) add_owners(&owners, query->name);
  if (owners.len == 0) add_foreign(&foreign, name, query);
  if (foreign.len == 0) add_longer(&near, query, known);
  if (foreign.len == 0 && near.len == 0 && owners.len == 0)
    add_nearest(&near, name, query, known);
  if (near.len > 0)
    text_addf(out, " (did you mean %.*s?)", (int)near.len, near.data);
  text_addf(out, "\n%.*s", (int)foreign.len,
            foreign.len > 0 ? foreign.data : "");
  if (owners.len > 0)
    text_addf(out, "    others have it: %.*s\n", (int)owners.len, owners.data);
  text_free(&foreign);
  text_free(&owners);
  text_free(&near);
}

// What the owner does not have: a variable may be of another kind, as in
// `g.timeout`. Or the text of an entry has the name, or another text.
static bool add_elsewhere(Text *out, const char *name, const Query *query) {
  Query any = {{name, 0}, query->name};
  Part all = {name, 0}, whole = {name, strlen(name)};
  bool variable = is_variable(query->owner);
  if (own_habit(query) != NULL) return false;
  if (variable && add_entries(out, &any, all) > 0) return true;
  if (name_is_elsewhere(query->name)) return false;
  any.name.len = 0;
  Text passages = {0};
  size_t count = add_entries(out, &any, whole);
  size_t passed = add_passages(&passages, all, whole);
  if (passed > 0)
    text_addf(out, "%s%.*s", count > 0 ? "\n" : "", (int)passages.len,
              passages.data);
  text_free(&passages);
  bool known = !variable && owner_is_known(query->owner);
  return count + passed > 0 ||
         add_passages(out, known ? query->owner : all, query->name) > 0;
}

// A plain name that is none of a function: of a parameter, a key, a code.
static bool add_word(Text *out, const char *name, const Query *query) {
  Text foreign = {0};
  size_t habits = add_foreign(&foreign, name, query);
  text_free(&foreign);
  return habits == 0 && add_passages(out, query->owner, query->name) > 0;
}

// The type of a literal, as in `"abc".split`; or the word as it is.
static Part type_of_literal(Part word) {
  static const char *const OPENS[] = {"\"string", "`string", "[list", "{map"};
  for (size_t i = 0; i < sizeof OPENS / sizeof *OPENS; i++)
    if (word.len > 0 && word.text[0] == OPENS[i][0])
      return (Part){OPENS[i] + 1, strlen(OPENS[i]) - 1};
  return word;
}

bool doc_find(Text *out, const char *name) {
  Query query = split_query(name);
  Query whole = {{name, 0}, query.owner};
  Part none = {name, 0};
  query.owner = type_of_literal(query.owner);
  if (query.owner.len > 0 && !owner_is_known(query.owner)) {
    Query any = {{name, 0}, query.name};  // a variable's: by its last name
    if (add_entries(out, &any, none) > 0) return true;
    if (add_entries(out, &whole, query.name) > 0) return true;
  } else if (add_entries(out, &query, none) > 0) {
    Text list = {0};
    if (query.owner.len == 0 && add_section(&list, query.name, is_section))
      text_addf(out, "\n%.*s", (int)list.len, list.data);
    text_free(&list);
    return true;
  }
  if (query.owner.len == 0 && add_section(out, query.name, is_section_of))
    return true;
  if (query.owner.len > 0 && add_elsewhere(out, name, &query)) return true;
  if (add_keyword(out, name)) return false;
  if (query.owner.len == 0 && add_word(out, name, &query)) return true;
  add_unknown(out, name, &query);
  return false;
}

int doc_main(int argc, char **argv) {
  if (argc > 1 || (argc == 1 && argv[0][0] == '-')) {
    bool help = argc == 1 &&
                (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0);
    fputs(usage, help ? stdout : stderr);
    return help ? 0 : STATUS_USAGE;
  }
  Text text = {0};
  bool found = true;
  if (argc == 0)
    add_sections(&text);
  else
    found = doc_find(&text, argv[0]);
  found = found && !text.failed;
  if (!found) fputs("cspvm doc: ", stderr);
  if (text.data != NULL)
    fwrite(text.data, 1, text.len, found ? stdout : stderr);
  text_free(&text);
  return found ? 0 : STATUS_UNKNOWN;
}
