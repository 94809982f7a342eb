// SPDX-License-Identifier: MIT
// What the REPL shows: values, and where an input went wrong.
//
// Values are in source form. Of lists and maps the first 100 parts are shown,
// of strings and bytes the first 1000 bytes, four levels of all that nests, and
// no more once the text is long: what it takes has a bound, whatever the value.
// string() methods are not called.
#include <stdio.h>
#include <string.h>

#include "cli/repl_internal.h"
#include "lang/diag.h"
#include "vm/interp/native_call.h"
#include "vm/object/bytes.h"
#include "vm/object/list.h"
#include "vm/object/map.h"
#include "vm/object/value_text.h"
#include "vm/value/utf8.h"

enum { PARTS_MAX = 100, BYTES_MAX = 1000, LEVELS_MAX = 4, TEXT_MAX = 8000 };

static void add(Text *out, const char *text) {
  text_add(out, text, strlen(text));
}

static void add_value(Text *out, CspCall *call, Value v, int level);

// Before a part. false: no more are shown, and their number is said instead.
static bool next_part(Text *out, size_t at, size_t count) {
  if (at > 0) add(out, ", ");
  if (at < PARTS_MAX && out->len < TEXT_MAX) return true;
  text_addf(out, "... %zu more", count - at);
  return false;
}

static void add_list(Text *out, CspCall *call, Value list, int level) {
  const ObjValues *block = sequence_block(list);
  size_t count = values_len(block);
  bool tuple = value_is_type(list, OBJ_TUPLE);
  add(out, tuple ? "(" : "[");
  for (size_t n = 0; n < count && next_part(out, n, count); n++) {
    const Value *slot = values_at(block, n);
    if (slot != NULL) add_value(out, call, heap_load(slot), level);
  }
  add(out, !tuple ? "]" : count == 1 ? ",)" : ")");
}

static void add_map(Text *out, CspCall *call, const ObjMap *map, int level) {
  const ObjTable *table = heap_load(&map->table);
  size_t count = map_len(map), n = 0;
  uint64_t at = 0;
  Value key, v;
  add(out, "{");
  for (; map_next(call->vm, map, table, &at, &key, &v); n++) {
    if (!next_part(out, n, count > n ? count : n + 1)) break;
    add_value(out, call, key,
              value_is_type(key, OBJ_TUPLE) ? level : LEVELS_MAX);
    add(out, ": ");
    add_value(out, call, v, level);
  }
  add(out, "}");
}

static void add_instance(Text *out, CspCall *call, const ObjInstance *instance,
                         int level) {
  text_addf(out, "%s(", instance->type->name->own);
  for (uint16_t n = 0;
       n < instance->obj.aux && next_part(out, n, instance->obj.aux); n++) {
    text_addf(out, "%s: ", instance->type->fields[n]->own);
    add_value(out, call, heap_load(&instance->fields[n]), level);
  }
  add(out, ")");
}

static void add_error(Text *out, CspCall *call, const ObjError *error,
                      int level) {
  add(out, "error(");
  add_value(out, call, error->message, level);
  if (error->cause != VALUE_NIL) {
    add(out, ", cause: ");
    add_value(out, call, error->cause, level);
  }
  if (error->code != VALUE_NIL) {
    add(out, ", code: ");
    add_value(out, call, error->code, level);
  }
  add(out, ")");
}

// The first bytes of a long string or bytes as a value of its own.
static void add_long(Text *out, CspCall *call, Value v, const char *data,
                     size_t len) {
  size_t shown = BYTES_MAX;
  bool text = value_is_type(v, OBJ_STRING);
  while (text && shown > BYTES_MAX - 4 && utf8_continues(data[shown])) shown--;
  CspValue part =
      text ? csp_string(call, data, shown) : csp_bytes(call, data, shown);
  format_value(out, call->vm, part.word, true);
  text_addf(out, "... %zu more bytes", len - shown);
}

static void add_plain(Text *out, CspCall *call, Value v) {
  size_t len = 0;
  const char *data = NULL;
  if (value_is_type(v, OBJ_STRING)) {
    data = string_data((ObjString *)value_obj(v));
    len = ((ObjString *)value_obj(v))->len;
  } else if (value_is_type(v, OBJ_BYTES)) {
    const ObjRaw *block = bytes_block((ObjBytes *)value_obj(v));
    data = (const char *)block->data;
    len = raw_len(block);
  }
  if (len > BYTES_MAX) {
    add_long(out, call, v, data, len);
  } else {
    format_value(out, call->vm, v, true);
  }
}

static void add_deep(Text *out, Value v) {
  switch (value_obj(v)->type) {
    case OBJ_LIST:
      add(out, "[...]");
      break;
    case OBJ_TUPLE:
      add(out, "(...)");
      break;
    case OBJ_MAP:
      add(out, "{...}");
      break;
    default:
      text_addf(out, "%s(...)", value_type_name(v));
  }
}

static void add_value(Text *out, CspCall *call, Value v, int level) {
  int type = value_is_obj(v) ? value_obj(v)->type : -1;
  bool nests = type == OBJ_LIST || type == OBJ_MAP || type == OBJ_INSTANCE ||
               type == OBJ_ERROR || type == OBJ_TUPLE;
  if (!nests) {
    add_plain(out, call, v);
  } else if (level == LEVELS_MAX) {
    add_deep(out, v);
  } else if (type == OBJ_LIST || type == OBJ_TUPLE) {
    add_list(out, call, v, level + 1);
  } else if (type == OBJ_MAP) {
    add_map(out, call, (ObjMap *)value_obj(v), level + 1);
  } else if (type == OBJ_INSTANCE) {
    add_instance(out, call, (ObjInstance *)value_obj(v), level + 1);
  } else {
    add_error(out, call, (ObjError *)value_obj(v), level + 1);
  }
}

void print_value(Text *out, CspCall *call, Value v) {
  add_value(out, call, v, 0);
}

// --- Places in an input -----------------------------------------------------
// The line and the caret, as a compile error has them.
static void point_at(Text *out, const SessionInput *input, uint32_t line,
                     uint32_t col) {
  const Source source = {
      .path = input->path, .text = input->text, .len = input->len};
  const char *start = input->text;
  for (uint32_t n = 1; n < line; n++) {
    start = strchr(start, '\n');
    if (start++ == NULL) return;
  }
  size_t offset = (size_t)(start - input->text) + col - 1;
  Diags *diags = offset <= input->len ? diags_new(&mem_libc, &source) : NULL;
  if (diags == NULL) return;
  diag_error(diags, (Pos){line, col, (uint32_t)offset}, 1, "here");
  char *text = diags_text(diags);
  const char *end = text != NULL ? strchr(text, '\n') : NULL;
  if (end != NULL) text_addf(out, "%s", end + 1);
  mem_free(text);
  diags_free(diags);
}

void print_report(Text *out, const SessionInput *input, const char *report) {
  size_t path = strlen(input->path);
  bool pointed = input->file;
  for (const char *at = report; *at != '\0';) {
    size_t len = strcspn(at, "\n");
    unsigned line, col;
    text_addf(out, "%.*s\n", (int)len, at);
    const char *place = at[0] == ' ' ? strstr(at, " at ") : NULL;
    if (!pointed && place != NULL && place < at + len &&
        strncmp(place + 4, input->path, path) == 0 &&
        sscanf(place + 4 + path, ":%u:%u", &line, &col) == 2) {
      point_at(out, input, line, col);
      pointed = true;
    }
    at += len + (at[len] == '\n');
  }
}
