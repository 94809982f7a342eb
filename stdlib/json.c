// SPDX-License-Identifier: MIT
// The module json: its table, and what json.csp and shared.types.csp need.
#include "stdlib/json.h"

#include <stdio.h>

#include "vm/object/suggest.h"

// --- Paths ------------------------------------------------------------------
void json_path_name(Buffer *path, Str name) {
  enum { SHOWN = 40 };
  char shown[UTF8_SHOWN(SHOWN)];
  bool plain = name.len > 0 && name.len <= SHOWN;
  for (size_t n = 0; n < name.len && plain; n++) {
    char small = (char)(name.data[n] | 0x20);
    plain = (small >= 'a' && small <= 'z') || name.data[n] == '_' ||
            (n > 0 && name.data[n] >= '0' && name.data[n] <= '9');
  }
  utf8_show(name.data, name.len, SHOWN, shown);
  if (!utf8_is_valid(shown, strlen(shown))) strcpy(shown, "?");
  buffer_add(path, plain ? "." : "[\"", plain ? 1 : 2);
  buffer_add(path, shown, strlen(shown));
  if (name.len > SHOWN) buffer_add(path, "...", 3);
  if (!plain) buffer_add(path, "\"]", 2);
}

CspStatus json_step(CspCall *call) {
  Str key;
  Buffer path = buffer_of(call);
  if (!need_str(call, 0, &key)) return CSP_PANIC;
  json_path_name(&path, key);
  return buffer_ok(call, &path);
}

// --- Structs ----------------------------------------------------------------
enum {
  JSON_FIELDS = 256,  // of a struct
  TRY_UNITS = 500     // that a name is compared for
};

// The fields that a map has.
typedef struct JsonFields {
  int count;
  const char *names[JSON_FIELDS];
  CspValue values[JSON_FIELDS];
} JsonFields;

// Results: nil, the path of the field, and why it is wrong.
static CspStatus wrong_field(CspCall *call, Str name, const char *why) {
  Buffer path = buffer_of(call);
  json_path_name(&path, name);
  csp_return(call, csp_nil());
  csp_return(call, buffer_string(call, &path));
  return csp_ok_string(call, why, strlen(why));
}

// The key of a map that is no field. One that the map lacks may be meant. (No
// field that is near it has a longer name than these.)
static CspStatus no_such_field(CspCall *call, Str name) {
  enum { LONGEST = 64 };
  char why[160] = "the struct has no such field";
  CspValue value;
  const char *field;
  Suggest suggest = {name.data, NULL, 0};
  for (int at = 0; name.len <= LONGEST; at++) {
    field = csp_field_at(csp_arg(call, 0), at, &value);
    if (field == NULL) break;
    if (csp_map_get_name(call, csp_arg(call, 1), field, &value)) continue;
    suggest_try(&suggest, field);
    if (!csp_work(call, TRY_UNITS)) return CSP_PANIC;
  }
  size_t len = strlen(why);
  if (suggest.best != NULL)
    snprintf(why + len, sizeof why - len, " (did you mean `%s`?)",
             suggest.best);
  return wrong_field(call, name, why);
}

// The first key of the map that is no field.
static CspStatus unknown_field(CspCall *call, const JsonFields *fields) {
  CspIter iter = {0};
  CspValue key, value;
  while (csp_map_next(call, csp_arg(call, 1), &iter, &key, &value)) {
    Str name = str_of(key);
    bool known = false;
    for (int n = 0; n < fields->count && !known; n++)
      known = strlen(fields->names[n]) == name.len &&
              memcmp(fields->names[n], name.data, name.len) == 0;
    if (!known) return no_such_field(call, name);
    if (!csp_work(call, 4 + (uint64_t)fields->count)) break;
  }
  return CSP_PANIC;
}

// The message of a constructor that wants a field is "NAME: argument `FIELD` is
// missing".
static bool tells_missing(CspValue error, const char *field) {
  char end[300];
  int len = snprintf(end, sizeof end, ": argument `%s` is missing", field);
  if (csp_type(error) != CSP_ERROR || len < 0) return false;
  CspValue message = csp_error_message(error);
  if (csp_type(message) != CSP_STRING) return false;
  Str text = str_of(message);
  return text.len > (size_t)len &&
         strcmp(text.data + text.len - (size_t)len, end) == 0;
}

// No instance was made: a field is not given and has no default, or a default
// has panicked.
static CspStatus no_instance(CspCall *call, const JsonFields *fields,
                             CspResult *result) {
  CspValue value;
  const char *name;
  int given = 0;
  if (result->end != CSP_THREW) return csp_rethrow(call, result);
  for (int at = 0; (name = csp_field_at(csp_arg(call, 0), at, &value)) != NULL;
       at++) {
    if (given < fields->count && fields->names[given] == name) {
      given++;
    } else if (tells_missing(result->values[0], name)) {
      csp_result_free(result);
      return wrong_field(call, (Str){name, strlen(name)},
                         "the struct needs this field");
    }
  }
  return csp_rethrow(call, result);
}

CspStatus json_instance(CspCall *call) {
  CspValue type = csp_arg(call, 0), map = csp_arg(call, 1), value;
  JsonFields fields;
  fields.count = 0;
  CspResult result;
  const char *name;
  for (int at = 0; (name = csp_field_at(type, at, &value)) != NULL; at++) {
    if (!csp_map_get_name(call, map, name, &value)) continue;
    fields.names[fields.count] = name;
    fields.values[fields.count++] = value;
  }
  if ((size_t)fields.count < csp_map_len(map))
    return unknown_field(call, &fields);
  if (csp_new_struct(call, type, fields.count, fields.values, fields.names,
                     &result) != CSP_DONE)
    return no_instance(call, &fields, &result);
  csp_return(call, result.values[0]);
  csp_return(call, csp_nil());
  return csp_ok(call, csp_nil());
}

// --- The module -------------------------------------------------------------
static const CspFunction json_functions[] = {
    CSP_REPEATABLE,
    {"text", "value, indent = nil", json_write},
    // Where the text begins, and how deep in lists and maps.
    {"_parse", "text, line, column, depth", json_parse},
    {"_reader", "most", json_reader},
    {"_step", "key", json_step},
    {"_instance", "type, map", json_instance},
    {NULL, NULL, NULL}};

static void add_json_reader(CspCall *call, CspValue module) {
  (void)module;
  Csp *csp = csp_of(call);
  if (!csp_register_class(csp, &json_reader_class, json_reader_methods))
    csp_panic_memory(call);
}

const CspModule json_module = {"json", json_functions, add_json_reader, NULL,
                               0};
