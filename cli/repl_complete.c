// SPDX-License-Identifier: MIT
// Completion: what a word may go on to, with what stands before its points
// looked up in the running program.
//
// The thread that edits has no P, so it must not touch values: it posts a
// question to the runtime, which an M with a P answers between two goroutines
// or at a safepoint. No collection comes meanwhile; the answer is C memory.
// When none comes in time the question is left to the thread that answers it.
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/repl_internal.h"
#include "lang/parse/unexpected.h"
#include "vm/heap/local.h"
#include "vm/interp/access.h"
#include "vm/native/builtin_modules.h"
#include "vm/object/map.h"

enum { MAP_KEYS_MAX = 1000, PATIENCE_S = 2, LITERALS_MAX = 64 };
enum { FILES_MAX = 10000 };  // of a folder that are looked at

typedef struct Question {
  SchedPost post;
  Repl *repl;
  char *path;  // "a.b" of a.b.c, "" of a plain name; NULL means a module to
               // import
  ObjType literal;  // before the point; OBJ_TYPE_COUNT means something else
  char *prefix;     // "c"
  Names names;
  size_t room;
  pthread_mutex_t lock;
  pthread_cond_t answered_note;
  bool answered, left;  // guarded by lock
} Question;

// --- Names ------------------------------------------------------------------
static void add_part(Question *question, const char *name, size_t len) {
  size_t typed = strlen(question->prefix);
  if (len < typed || memcmp(name, question->prefix, typed) != 0) return;
  if (question->names.count == question->room) {
    size_t room = question->room ? question->room * 2 : 32;
    char **more = realloc(question->names.all, room * sizeof *more);
    if (more == NULL) return;
    question->names.all = more;
    question->room = room;
  }
  char *copy = strndup(name, len);
  if (copy != NULL) question->names.all[question->names.count++] = copy;
}

static void add_name(void *arg, const char *name) {
  add_part(arg, name, strlen(name));
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_names(Names *names) {
  size_t kept = 0;
  if (names->count == 0) return;
  qsort(names->all, names->count, sizeof *names->all, by_text);
  for (size_t n = 0; n < names->count; n++) {
    if (kept > 0 && strcmp(names->all[n], names->all[kept - 1]) == 0) {
      free(names->all[n]);
    } else {
      names->all[kept++] = names->all[n];
    }
  }
  names->count = kept;
}

// --- With a P ---------------------------------------------------------------
// Whether a key may stand after a point, and is not private.
static bool is_offered(const char *key, size_t len) {
  for (size_t n = 0; n < len; n++)
    if (key[n] == '\0' || strchr(" .\"'()[]{}:,\n\t", key[n])) return false;
  return len > 0 && key[0] != '_';
}

static void add_keys(Question *question, const ObjMap *map, bool cells) {
  uint64_t at = 0;
  Value key, v;
  const ObjTable *table = heap_load(&map->table);
  for (int n = 0; n < MAP_KEYS_MAX; n++) {
    if (!map_next(question->repl->vm, map, table, &at, &key, &v)) return;
    if (!value_is_type(key, OBJ_STRING)) continue;
    const ObjString *string = (ObjString *)value_obj(key);
    if (!is_offered(string_data(string), string->len)) continue;
    if (cells && heap_load(&((ObjCell *)value_obj(v))->value) == VALUE_UNDEF)
      continue;
    add_part(question, string_data(string), string->len);
  }
}

static void add_plain_names(Question *question) {
  const char *word;
  for (int i = 0; (word = lang_keyword(i)) != NULL; i++)
    add_name(question, word);
  add_keys(question, question->repl->vm->builtins, false);
  add_keys(question, question->repl->session.module->members, true);
}

static void add_methods(Question *question, ObjType type) {
  const MethodTable *table = question->repl->vm->methods[type];
  for (uint32_t n = 0; table != NULL && n < table->count; n++)
    add_name(question, table->methods[n].name->own);
}

static void answer_with_p(Question *question) {
  Value x;
  if (question->literal != OBJ_TYPE_COUNT) {
    add_methods(question, question->literal);
  } else if (question->path == NULL) {
    vm_each_builtin_module(question->repl->vm, add_name, question);
  } else if (*question->path == '\0') {
    add_plain_names(question);
  } else if (lookup_path(question->repl, question->path, strlen(question->path),
                         &x)) {
    if (value_is_type(x, OBJ_MODULE)) {
      add_keys(question, ((ObjModule *)value_obj(x))->members, true);
    } else if (value_is_type(x, OBJ_MAP)) {
      add_keys(question, (ObjMap *)value_obj(x), false);
    } else {
      access_each_name(question->repl->vm, x, add_name, question);
    }
  }
}

// --- Asking -----------------------------------------------------------------
static void free_question(Question *question) {
  names_free(&question->names);
  pthread_cond_destroy(&question->answered_note);
  pthread_mutex_destroy(&question->lock);
  free(question->path);
  free(question->prefix);
  free(question);
}

static void answer(P *p, SchedPost *post) {
  (void)p;
  Question *question = (Question *)(void *)post;  // its first field
  answer_with_p(question);
  pthread_mutex_lock(&question->lock);
  question->answered = true;
  bool left = question->left;
  pthread_cond_signal(&question->answered_note);
  pthread_mutex_unlock(&question->lock);
  if (left) free_question(question);
}

static Names ask(Question *question) {
  struct timespec until;
  Names names = {0};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += PATIENCE_S;
  sched_post(question->repl->vm->sched, &question->post);
  pthread_mutex_lock(&question->lock);
  int error = 0;
  while (!question->answered && error == 0)
    error = pthread_cond_timedwait(&question->answered_note, &question->lock,
                                   &until);
  bool answered = question->answered;
  question->left = !answered;
  pthread_mutex_unlock(&question->lock);
  if (!answered) return names;
  names = question->names;
  question->names = (Names){0};
  free_question(question);
  sort_names(&names);
  return names;
}

// --- The word ---------------------------------------------------------------
static bool is_word_byte(char c) {
  unsigned char b = (unsigned char)c;
  return b == '_' || (b >= '0' && b <= '9') || (b >= 'a' && b <= 'z') ||
         (b >= 'A' && b <= 'Z') || b >= 0x80;
}

static size_t word_start(const char *line, size_t end) {
  while (end > 0 && is_word_byte(line[end - 1])) end--;
  return end;
}

// Where the path before line[from], which follows a point, begins: names with
// points between them. SIZE_MAX: something else stands before the point.
static size_t path_start(const char *line, size_t from) {
  size_t start = from;
  while (start > 0 && line[start - 1] == '.') {
    size_t word = word_start(line, start - 1);
    if (word == start - 1) return SIZE_MAX;
    start = word;
  }
  return start;
}

// Where the literal that ends at line[end] begins: its quote or bracket.
// SIZE_MAX: it begins in another line.
static size_t literal_start(const char *line, size_t end) {
  size_t open[LITERALS_MAX], depth = 0;
  char quote = '\0';
  for (size_t at = 0; at <= end; at++) {
    char c = line[at];
    if (quote != '\0') {
      if (c == '\\' && quote != '`') at++;
      if (c == quote && at == end) return open[depth - 1];
      if (c == quote) quote = '\0', depth--;
    } else if (depth < LITERALS_MAX && strchr("\"'`[({", c) != NULL) {
      open[depth++] = at;
      if (strchr("\"'`", c) != NULL) quote = c;
    } else if (strchr("])}", c) != NULL) {
      if (depth-- == 0) return SIZE_MAX;
      if (at == end) return open[depth];
    }
  }
  return SIZE_MAX;
}

static bool is_keyword(const char *word, size_t len) {
  const char *keyword;
  for (int i = 0; (keyword = lang_keyword(i)) != NULL; i++)
    if (strlen(keyword) == len && memcmp(keyword, word, len) == 0) return true;
  return false;
}

// Whether what ends at line[end] is a value, so that a bracket after it is an
// index or a call: `xs [1]`, but not `in (1, 2)`.
static bool ends_value(const char *line, size_t end) {
  while (end > 0 && line[end - 1] == ' ') end--;
  if (end == 0) return false;
  size_t word = word_start(line, end);
  if (word < end) return !is_keyword(line + word, end - word);
  return strchr(")]}\"`", line[end - 1]) != NULL;
}

// What is between round brackets, from `at` to `end`.
static ObjType type_in_brackets(const char *line, size_t at, size_t end) {
  bool empty = true, range = false;
  size_t depth = 0;
  char quote = '\0';
  for (; at < end; at++) {
    char c = line[at];
    empty = empty && c == ' ';
    if (quote != '\0') {
      if (c == '\\' && quote != '`') at++;
      if (c == quote) quote = '\0';
    } else if (strchr("\"'`", c) != NULL) {
      quote = c;
    } else if (strchr("[({", c) != NULL) {
      depth++;
    } else if (strchr("])}", c) != NULL) {
      depth--;
    } else if (depth == 0 && c == ',') {
      return OBJ_TUPLE;
    } else if (depth == 0 && c == '.' && line[at + 1] == '.') {
      range = true;
    }
  }
  return empty ? OBJ_TUPLE : range ? OBJ_RANGE : OBJ_TYPE_COUNT;
}

// The type of the literal before the point at line[point], or
// OBJ_TYPE_COUNT.
static ObjType literal_type(const char *line, size_t point) {
  if (point == 0 || strchr("\"`])", line[point - 1]) == NULL)
    return OBJ_TYPE_COUNT;
  size_t start = literal_start(line, point - 1);
  if (start == SIZE_MAX) return OBJ_TYPE_COUNT;
  if (line[point - 1] != ']' && line[point - 1] != ')') return OBJ_STRING;
  if (ends_value(line, start)) return OBJ_TYPE_COUNT;
  return line[point - 1] == ']' ? OBJ_LIST
                                : type_in_brackets(line, start + 1, point - 1);
}

// In `import "str`, where the path begins. SIZE_MAX: it is none.
static size_t import_start(const char *line, size_t len) {
  size_t at = len;
  while (at > 0 &&
         (is_word_byte(line[at - 1]) || strchr("/.-", line[at - 1]) != NULL))
    at--;
  if (at == 0 || line[at - 1] != '"') return SIZE_MAX;
  return strncmp(line, "import ", 7) == 0 && len >= 8 ? at : SIZE_MAX;
}

static void add_command(void *arg, const char *name) { add_name(arg, name); }

static Question *new_question(Repl *repl, char *path, char *prefix) {
  Question *question = calloc(1, sizeof *question);
  if (question == NULL || prefix == NULL) {
    free(question);
    free(path);
    free(prefix);
    return NULL;
  }
  question->post.fn = answer;
  question->repl = repl;
  question->path = path;
  question->prefix = prefix;
  question->literal = OBJ_TYPE_COUNT;
  pthread_mutex_init(&question->lock, NULL);
  pthread_cond_init(&question->answered_note, NULL);
  return question;
}

// The names that were found without a P.
static Names answer_alone(Question *question) {
  Names names = question->names;
  question->names = (Names){0};
  free_question(question);
  sort_names(&names);
  return names;
}

static Names complete_command(Repl *repl, const char *line, size_t len) {
  Question *question = new_question(repl, NULL, strndup(line, len));
  if (question == NULL) return (Names){0};
  command_each(add_command, question);
  return answer_alone(question);
}

// The scripts and folders that the path may go on to, `./lib/geo` for
// ./lib/geo.csp.
static void add_files(Question *question) {
  const char *path = question->prefix;
  size_t folder = (size_t)(strrchr(path, '/') + 1 - path);
  char *name = strndup(path, folder);
  DIR *all = name != NULL ? opendir(name) : NULL;
  const struct dirent *file;
  free(name);
  for (int n = 0; n < FILES_MAX && all != NULL && (file = readdir(all)); n++) {
    const char *end = strrchr(file->d_name, '.');
    struct stat info;
    bool script = end != NULL && strcmp(end, ".csp") == 0;
    if (file->d_name[0] == '.' ||
        asprintf(&name, "%.*s%s/", (int)folder, path, file->d_name) < 0)
      continue;
    if (script)
      add_part(question, name, strlen(name) - sizeof "csp/");
    else if (stat(name, &info) == 0)  // a folder: a slash ends its path
      add_name(question, name);
    free(name);
  }
  if (all != NULL) closedir(all);
}

static Names complete_file(Repl *repl, const char *path, size_t len) {
  Question *question = new_question(repl, NULL, strndup(path, len));
  if (question == NULL) return (Names){0};
  add_files(question);
  return answer_alone(question);
}

static bool is_file_path(const char *path, size_t len) {
  return (len >= 2 && memcmp(path, "./", 2) == 0) ||
         (len >= 3 && memcmp(path, "../", 3) == 0);
}

Names complete_word(void *data, const char *line, size_t len, size_t *from) {
  Repl *repl = data;
  *from = 0;
  if (line[0] == ':' && memchr(line, ' ', len) == NULL)
    return complete_command(repl, line, len);
  *from = import_start(line, len);
  if (*from != SIZE_MAX && is_file_path(line + *from, len - *from))
    return complete_file(repl, line + *from, len - *from);
  if (*from != SIZE_MAX) {
    Question *question =
        new_question(repl, NULL, strndup(line + *from, len - *from));
    return question != NULL ? ask(question) : (Names){0};
  }
  *from = word_start(line, len);
  size_t start = path_start(line, *from);
  ObjType literal = OBJ_TYPE_COUNT;
  if (start == SIZE_MAX) {
    literal = literal_type(line, *from - 1);
    if (literal == OBJ_TYPE_COUNT) return (Names){0};
    start = *from;
  }
  size_t path = *from > start ? *from - start - 1 : 0;
  Question *question = new_question(repl, strndup(line + start, path),
                                    strndup(line + *from, len - *from));
  if (question != NULL) question->literal = literal;
  return question != NULL ? ask(question) : (Names){0};
}
