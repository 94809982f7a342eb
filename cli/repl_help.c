// SPDX-License-Identifier: MIT
// What `:help` shows of a name.
//
// Of a function, struct or method that the session declared that is its head,
// as it was written, and the comments above it. Comments that were inputs of
// their own right before count as above. So it is for those of an imported
// file, which is read again. Of a function whose text is not there the
// parameters are shown. A method of another value is the library's, by the
// value's type. By the main goroutine, with its P.
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/doc.h"
#include "cli/read_source.h"
#include "cli/repl_internal.h"
#include "lang/compile/head.h"
#include "lang/compiler.h"
#include "vm/code/proto.h"
#include "vm/interp/access.h"
#include "vm/object/map.h"
#include "vm/object/string.h"
#include "vm/value/object.h"
#include "vm/value/utf8.h"

// --- Values of the session --------------------------------------------------
static ObjCell *find_cell(const Repl *repl, const char *name, size_t len) {
  Value cell;
  ObjString *key = vm_intern(repl->vm, name, len);
  if (key == NULL || !map_get(repl->vm, repl->session.module->members,
                              value_from_obj(key), &cell))
    return NULL;
  return (ObjCell *)value_obj(cell);
}

const Proto *help_function(Repl *repl, const char *name) {
  const ObjCell *cell = find_cell(repl, name, strlen(name));
  Value v = cell != NULL ? heap_load(&cell->value) : VALUE_NIL;
  return value_is_type(v, OBJ_CLOSURE) ? ((ObjClosure *)value_obj(v))->proto
                                       : NULL;
}

// Of `a.b` the value of a, which the session has.
static bool find_owner(const Repl *repl, const char *name, Value *owner) {
  const char *point = strrchr(name, '.');
  size_t len = point != NULL ? (size_t)(point - name) : 0;
  return point != NULL && lookup_is_own(repl, name, len) &&
         lookup_path(repl, name, len, owner);
}

// `p.move` is `Point.move` for an instance p, and `geo.Point.move`, too.
// Malloced. NULL: no memory.
static char *full_name(const Repl *repl, const char *name) {
  Value owner;
  char *full = NULL;
  const char *type = NULL, *point = strrchr(name, '.');
  if (!find_owner(repl, name, &owner)) return strdup(name);
  if (value_is_type(owner, OBJ_INSTANCE)) type = value_type_name(owner);
  if (value_is_type(owner, OBJ_STRUCT))
    type = ((ObjStruct *)value_obj(owner))->name->own;
  if (type == NULL) return strdup(name);
  return asprintf(&full, "%s%s", type, point) < 0 ? NULL : full;
}

// --- Texts ------------------------------------------------------------------
// Each line of the comments, without what makes it one.
static void add_comments(Text *out, const char *text, size_t len) {
  const char *at = text, *end = text + len;
  while (at < end) {
    const char *line_end = memchr(at, '\n', (size_t)(end - at));
    const char *next = line_end != NULL ? line_end + 1 : end;
    const char *from = at + strspn(at, " \t\r");
    if (from < next && strncmp(from, "//", 2) == 0) from += 2;
    if (from < next && *from == ' ') from++;
    size_t left = from < next ? (size_t)(next - from) : 0;
    while (left > 0 && strchr(" \t\r\n", from[left - 1]) != NULL) left--;
    if (left > 0) text_addf(out, "    %.*s\n", (int)left, from);
    at = next;
  }
}

// Whether it is nothing but `//` lines.
static bool is_comment(const char *text) {
  bool any = false;
  for (const char *at = text; *at != '\0';) {
    const char *from = at + strspn(at, " \t\r");
    if (strncmp(from, "//", 2) != 0) return false;
    any = true;
    at += strcspn(at, "\n");
    at += *at == '\n';
  }
  return any;
}

static void add_inputs_above(Text *out, const Repl *repl, size_t n) {
  size_t first = n;
  while (first > 0 && is_comment(repl->entries[first - 1].text)) first--;
  for (; first < n; first++)
    add_comments(out, repl->entries[first].text,
                 strlen(repl->entries[first].text));
}

static bool is_first(const char *text, uint32_t offset) {
  return strspn(text, " \t\r\n") >= offset;
}

static bool add_entry(Text *out, const Repl *repl, size_t n, const char *name) {
  const char *text = repl->entries[n].text;
  Source source = {.path = "repl", .text = text, .len = strlen(text)};
  LangHead head;
  if (!lang_head(&source, name, &head)) return false;
  text_addf(out, "%.*s\n", (int)(head.end - head.begin), text + head.begin);
  if (is_first(text, head.comment)) add_inputs_above(out, repl, n);
  add_comments(out, text + head.comment, head.begin - head.comment);
  return true;
}

static void add_parameters(Text *out, const char *name, const Proto *proto) {
  bool rest = (proto->flags & PROTO_REST) != 0;
  text_addf(out, "%s(", name);
  for (int i = 0; i < proto->nparams; i++) {
    bool is_rest = rest && i == proto->nparams - 1;
    text_addf(out, "%s%s%s", i > 0 ? ", " : "", proto->param_names[i]->own,
              is_rest                ? "..."
              : i < proto->nrequired ? ""
                                     : " = ...");
  }
  text_addf(out, ")\n");
}

// --- Of files ---------------------------------------------------------------
// The text of a file, malloced, of at most that many bytes. NULL: it is none.
static char *read_file(const char *path, size_t *len) {
  enum { FILE_MOST = 1 << 20 };
  struct stat info;
  char *text = NULL;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_size > FILE_MOST || source_load(path, NULL, &text, len) != 0)
    return NULL;
  return text;
}

static bool is_input(const Proto *proto) {
  return strncmp(proto->path->own, "repl[", 5) == 0;
}

// The head of what the proto's file declares under that name, and its comments.
// false: the file is not there any more, or does not declare it.
static bool add_from_file(Text *out, const Proto *proto, const char *name) {
  size_t len = 0;
  LangHead head;
  const char *path = proto->path->own;
  char *text = is_input(proto) ? NULL : read_file(path, &len);
  if (text == NULL) return false;
  Source source = {.path = path, .text = text, .len = len};
  bool found = lang_head(&source, name, &head);
  if (found) {
    unsigned line = 1;
    for (uint32_t n = 0; n < head.begin; n++) line += text[n] == '\n';
    text_addf(out, "%.*s\n", (int)(head.end - head.begin), text + head.begin);
    add_comments(out, text + head.comment, head.begin - head.comment);
    text_addf(out, "    (%s:%u)\n", path, line);
  }
  free(text);
  return found;
}

// A function, or a struct with its constructor.
static void add_code(Text *out, const char *name, const Proto *proto) {
  const char *point = strrchr(name, '.');
  if (add_from_file(out, proto, point != NULL ? point + 1 : name)) return;
  add_parameters(out, name, proto);
  if (!is_input(proto))
    text_addf(out, "    (%s:%u)\n", proto->path->own,
              proto_line(proto, proto->code).line);
}

// What has code that is not the library's. Else NULL.
static const Proto *own_code(Value v) {
  const Proto *proto = NULL;
  if (value_is_type(v, OBJ_CLOSURE))
    proto = ((ObjClosure *)value_obj(v))->proto;
  if (value_is_type(v, OBJ_STRUCT))
    proto = ((ObjStruct *)value_obj(v))->constructor;
  return proto != NULL && !(proto->flags & PROTO_LIBRARY) ? proto : NULL;
}

static bool is_builtin_module(const Repl *repl, const ObjModule *module) {
  const NativeModule *known = repl->vm->native_modules;
  while (known != NULL && known->made != module) known = known->next;
  return known != NULL;
}

// A file's members.
static void add_module(Text *out, Repl *repl, const char *name,
                       const ObjModule *module) {
  uint64_t at = 0;
  Value key, cell;
  const ObjTable *table = heap_load(&module->members->table);
  const ObjClosure *main = module->main;
  text_addf(out, "%s\n    a module%s%s, with\n", name,
            main != NULL ? " of " : "",
            main != NULL ? main->proto->path->own : "");
  while (map_next(repl->vm, module->members, table, &at, &key, &cell)) {
    const char *member = ((ObjString *)value_obj(key))->own;
    Value v = heap_load(&((ObjCell *)value_obj(cell))->value);
    const Proto *proto = own_code(v);
    if (member[0] == '_' || v == VALUE_UNDEF) continue;
    text_addf(out, "    ");
    if (proto != NULL)
      add_parameters(out, member, proto);
    else
      text_addf(out, "%s\n", member);
  }
}

// --- Values -----------------------------------------------------------------
static void add_shortened(Text *out, CspCall *call, Value v) {
  enum { SHOWN = 60 };
  Text text = {0};
  print_value(&text, call, v);
  size_t len = text.len < SHOWN ? text.len : SHOWN;
  while (len > 0 && len < text.len && utf8_continues(text.data[len])) len--;
  if (!text.failed)
    text_addf(out, "%.*s%s", (int)len, text.data, len < text.len ? "..." : "");
  text_free(&text);
}

static void add_held(Text *out, const Repl *repl, CspCall *call,
                     const char *name, Value v) {
  const ObjCell *cell = find_cell(repl, name, strlen(name));
  const char *what = strcmp(name, "_") == 0         ? "the value before"
                     : cell == NULL                 ? "a value"
                     : cell->obj.flags & CELL_CONST ? "a constant"
                                                    : "a variable";
  text_addf(out, "%s\n    %s, now ", name, what);
  if (v != VALUE_NIL) text_addf(out, "the %s ", value_type_name(v));
  add_shortened(out, call, v);
  text_addf(out, "\n");
}

// --- All of it --------------------------------------------------------------
typedef enum HelpEnd { HELP_NONE, HELP_FOUND, HELP_FAILED } HelpEnd;

// What the library says of `name` of that owner. A message comes only where
// `fails` is set.
static bool add_doc(Text *out, const char *owner, const char *name,
                    bool fails) {
  char *full = NULL;
  Text text = {0};
  bool named = asprintf(&full, "%s.%s", owner, name) >= 0;
  bool found = named && doc_find(&text, full);
  if (found || fails) text_add(out, text.data, text.len);
  text_free(&text);
  if (named) free(full);
  return found;
}

typedef struct Member {
  const char *name;
  bool found;
} Member;

static void match_member(void *arg, const char *name) {
  Member *member = arg;
  member->found = member->found || strcmp(member->name, name) == 0;
}

// `a.name`, where it is no field, key or member: by what a is.
static HelpEnd add_of_owner(Text *out, const Repl *repl, Value owner,
                            const char *full) {
  const char *name = strrchr(full, '.') + 1;
  if (value_is_type(owner, OBJ_INSTANCE)) {
    const ObjInstance *instance = (ObjInstance *)value_obj(owner);
    owner = value_from_obj(instance->type);
  }
  if (value_is_type(owner, OBJ_STRUCT)) {
    const Proto *proto = own_code(owner);
    bool found = proto != NULL && add_from_file(out, proto, full);
    return found ? HELP_FOUND : HELP_NONE;
  }
  if (value_is_type(owner, OBJ_MODULE)) {
    const ObjModule *module = (ObjModule *)value_obj(owner);
    bool known = is_builtin_module(repl, module);
    if (!known) text_addf(out, "`%s` has no `%s`\n", module->name->own, name);
    if (!known) return HELP_FAILED;
    return add_doc(out, module->name->own, name, true) ? HELP_FOUND
                                                       : HELP_FAILED;
  }
  Member member = {name, false};
  access_each_name(repl->vm, owner, match_member, &member);
  const char *type = value_type_name(owner);
  if (add_doc(out, type, name, !member.found)) return HELP_FOUND;
  if (!member.found) return HELP_FAILED;
  bool error = value_is_type(owner, OBJ_ERROR);  // its parts are told of there
  return error && doc_find(out, type) ? HELP_FOUND : HELP_NONE;
}

// The newest input that declares the name. false: none, or not as a function.
static bool add_declared(Text *out, const Repl *repl, const char *name) {
  for (size_t n = repl->entry_count; n-- > 0;)
    if (entry_declares(&repl->entries[n], name))
      return add_entry(out, repl, n, name);
  return false;
}

static HelpEnd add_value(Text *out, Repl *repl, CspCall *call, const char *name,
                         Value v) {
  Value owner;
  const Proto *proto = own_code(v);
  const ObjModule *module =
      value_is_type(v, OBJ_MODULE) ? (ObjModule *)value_obj(v) : NULL;
  if (proto != NULL) {
    add_code(out, name, proto);
  } else if (module != NULL && !is_builtin_module(repl, module)) {
    add_module(out, repl, name, module);
  } else if (module != NULL) {
    return doc_find(out, module->name->own) ? HELP_FOUND : HELP_FAILED;
  } else if (find_owner(repl, name, &owner) &&
             value_is_type(owner, OBJ_MODULE) &&
             is_builtin_module(repl, (ObjModule *)value_obj(owner))) {
    return add_of_owner(out, repl, owner, name);
  } else {
    add_held(out, repl, call, name, v);
  }
  return HELP_FOUND;
}

static HelpEnd add_own(Text *out, Repl *repl, CspCall *call, const char *name,
                       const char *full) {
  Value v;
  size_t len = strlen(name);
  if (add_declared(out, repl, full)) return HELP_FOUND;
  if (!lookup_is_own(repl, name, len)) return HELP_NONE;
  if (lookup_path(repl, name, len, &v))
    return add_value(out, repl, call, name, v);
  return find_owner(repl, name, &v) ? add_of_owner(out, repl, v, full)
                                    : HELP_NONE;
}

bool help_find(Text *out, Repl *repl, CspCall *call, const char *name) {
  Value hidden;
  char *full = full_name(repl, name);
  HelpEnd end = full != NULL ? add_own(out, repl, call, name, full) : HELP_NONE;
  free(full);
  if (end == HELP_NONE) return doc_find(out, name);
  if (end == HELP_FOUND && lookup_is_own(repl, name, strlen(name)) &&
      lookup_builtin(repl, name, strlen(name), &hidden)) {
    text_addf(out, "    It hides the library's:\n\n");
    doc_find(out, name);
  }
  return end == HELP_FOUND;
}
