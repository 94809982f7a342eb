// SPDX-License-Identifier: MIT
// What `:help` shows of a function, struct or method that the session declared.
// That is its head, as it was written, and the comments above it. Comments that
// were inputs of their own right before count as above. Of a function whose
// text is not there the parameters are shown. By the main goroutine, with its
// P.
#include <stdlib.h>

#include "cli/repl_internal.h"
#include "lang/compile/head.h"
#include "vm/object/map.h"
#include "vm/object/string.h"
#include "vm/value/object.h"

// --- Values of the session --------------------------------------------------
static bool find_value(Repl *repl, const char *name, size_t len, Value *v) {
  Value cell;
  ObjString *key = vm_intern(repl->vm, name, len);
  if (key == NULL || !map_get(repl->vm, repl->session.module->members,
                              value_from_obj(key), &cell))
    return false;
  *v = heap_load(&((ObjCell *)value_obj(cell))->value);
  return true;
}

const Proto *help_function(Repl *repl, const char *name) {
  Value v;
  if (!find_value(repl, name, strlen(name), &v) ||
      !value_is_type(v, OBJ_CLOSURE))
    return NULL;
  return ((ObjClosure *)value_obj(v))->proto;
}

// `p.move` is `Point.move` for an instance p. Malloced. NULL: no memory.
static char *full_name(Repl *repl, const char *name) {
  const char *point = strrchr(name, '.');
  Value v;
  char *full = NULL;
  if (point == NULL || !find_value(repl, name, (size_t)(point - name), &v) ||
      !value_is_type(v, OBJ_INSTANCE))
    return strdup(name);
  return asprintf(&full, "%s%s", value_type_name(v), point) < 0 ? NULL : full;
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

// --- All of it --------------------------------------------------------------
// The newest input that declares the name. false: none, or not as a function.
static bool add_declared(Text *out, const Repl *repl, const char *name) {
  for (size_t n = repl->entry_count; n-- > 0;)
    if (entry_declares(&repl->entries[n], name))
      return add_entry(out, repl, n, name);
  return false;
}

bool help_find(Text *out, Repl *repl, const char *name) {
  char *full = full_name(repl, name);
  bool found = full != NULL && add_declared(out, repl, full);
  free(full);
  if (found) return true;
  const Proto *proto = help_function(repl, name);
  if (proto != NULL) add_parameters(out, name, proto);
  return proto != NULL;
}
