// SPDX-License-Identifier: MIT
// json.text: a value as JSON, in pieces (text_job.h).
//
// The lists, maps and structs that are being written are levels, in C memory
// that the job's driver frees. The job's list holds them, and the tables of
// maps that are walked, so the collector finds all that the levels name. Other
// goroutines may change what is written. A list is as long as it is when its
// next element is due, and a map has the keys that it had at first.
//
// A value that cannot be written makes an error at once. The error names the
// path to the value, which leads through the levels. A cycle is noticed when it
// gets too deep.
//
// In a job, `item` is a string that is being written, and `s` what is left of
// it. `flag` says that `item` is the error.
#include <math.h>
#include <stdio.h>

#include "stdlib/json.h"
#include "stdlib/text_job.h"

enum {
  PART = 1 << 12,     // bytes of a string that are written at once
  LONGEST = 6,        // that one byte becomes
  INDENT_MOST = 16,   // bytes
  LEVEL_KEPT = 3,     // values of a level that the job's list has
  JSON_PATH_ENDS = 8  // levels of a path that are shown at each end
};

// A list, tuple, map or struct that is being written.
typedef struct JsonOut {
  CspValue of;
  CspValue key;      // of a map: that of the last entry
  const char *name;  // of a struct: that of the last field
  CspIter iter;
  CspValue value;  // of a map: what follows the key, if pending
  bool pending;
  size_t begun;  // elements
  CspType type;
} JsonOut;

typedef struct JsonWriter {
  char indent[INDENT_MOST];
  size_t indent_len;
  bool spread;  // over lines
  uint32_t depth;
  JsonOut levels[JSON_DEPTH];
} JsonWriter;

// --- Errors -----------------------------------------------------------------
static void json_path_step(Buffer *path, const JsonOut *level) {
  char number[32];
  if (level->name != NULL) {
    json_path_name(path, (Str){level->name, strlen(level->name)});
  } else if (level->type == CSP_MAP && csp_type(level->key) == CSP_STRING) {
    json_path_name(path, str_of(level->key));
  } else if (level->type != CSP_MAP) {
    snprintf(number, sizeof number, "[%zu]", level->begun - 1);
    buffer_add(path, number, strlen(number));
  }
}

// Where the first `depth` levels lead: "$.items[3].price".
static void json_path_add(Buffer *path, const JsonWriter *writer,
                          uint32_t depth) {
  buffer_add_char(path, '$');
  for (uint32_t n = 0; n < depth; n++) {
    if (n == JSON_PATH_ENDS && depth > 2 * JSON_PATH_ENDS) {
      n = depth - JSON_PATH_ENDS;
      buffer_add(path, "...", 3);
    }
    json_path_step(path, &writer->levels[n]);
  }
}

// The value where the first `depth` levels lead cannot be written. Gives false.
static bool refuse_path(TextJob *job, uint32_t depth, const char *why,
                        const char *more) {
  Buffer text = buffer_of(job->call);
  buffer_add(&text, "json: ", 6);
  json_path_add(&text, job->own, depth);
  job->s.len = 0;
  return text_job_refuse(job, &text, why, more);
}

static bool refuse_written(TextJob *job, const char *why, const char *more) {
  const JsonWriter *writer = job->own;
  return refuse_path(job, writer->depth, why, more);
}

// There are too many levels, because one of them is in itself or because the
// value is so.
static bool refuse_nested(TextJob *job) {
  const JsonWriter *writer = job->own;
  const JsonOut *levels = writer->levels;
  for (uint32_t inner = 1; inner < JSON_DEPTH; inner++)
    for (uint32_t outer = 0; outer < inner; outer++)
      if (csp_same(levels[outer].of, levels[inner].of))
        return refuse_path(job, inner, "it contains itself", "");
  return refuse_written(job, "nested more than 512 deep", "");
}

// --- Strings ----------------------------------------------------------------
static char *json_put_escape(char *to, unsigned char c) {
  static const char letters[] = "btn\0fr";  // from \b on
  const char *hex = "0123456789abcdef";
  *to++ = '\\';
  if (c == '"' || c == '\\') {
    *to++ = (char)c;
  } else if (c >= '\b' && c <= '\r' && c != '\v') {
    *to++ = letters[c - '\b'];
  } else {
    memcpy(to, "u00", 3);
    to[3] = hex[c >> 4];
    to[4] = hex[c & 15];
    to += 5;
  }
  return to;
}

// Writes some of what is left of the string, and its last quote after it.
static bool json_put_part(TextJob *job) {
  Buffer *text = &job->text;
  const char *at = job->s.data, *end = at + job->s.len;
  const char *stop = job->s.len > PART ? at + PART : end;
  size_t room = job->s.len > PART ? PART + 4 : job->s.len;
  if (!buffer_reserve(text, room * LONGEST + 1)) return false;
  char *to = text->data + text->len;
  while (at < stop) {
    const char *from = at;
    at = json_plain(at, stop);
    memcpy(to, from, (size_t)(at - from));
    to += at - from;
    if (at == stop) break;
    if ((signed char)*at >= 0) {
      to = json_put_escape(to, (unsigned char)*at++);
      continue;
    }
    size_t len = utf8_sequence(at, (size_t)(end - at));
    if (len == 0) return refuse_written(job, "a string that is not UTF-8", "");
    memcpy(to, at, len);
    to += len;
    at += len;
  }
  job->took += (size_t)(at - job->s.data) / 2 + 8;
  job->s = (Str){at, (size_t)(end - at)};
  if (at == end) *to++ = '"';
  text->len = (size_t)(to - text->data);
  return true;
}

static bool json_put_string(TextJob *job, CspValue v) {
  job->item = v;
  job->s = str_of(v);
  buffer_add_char(&job->text, '"');
  return json_put_part(job);
}

// --- Lists, maps, structs ---------------------------------------------------
static void json_put_line(TextJob *job) {
  JsonWriter *writer = job->own;
  size_t len = writer->indent_len;
  if (!writer->spread) return;
  if (!buffer_reserve(&job->text, 1 + len * writer->depth)) return;
  buffer_add_char(&job->text, '\n');
  for (uint32_t n = 0; n < writer->depth; n++)
    buffer_add(&job->text, writer->indent, len);
  job->took += len * writer->depth / 8;
}

// The innermost level keeps v as number n of its values.
static void keep_written(TextJob *job, size_t n, CspValue v) {
  const JsonWriter *writer = job->own;
  size_t at = (writer->depth - 1) * LEVEL_KEPT + n;
  while (csp_list_len(job->list) <= at && !job->text.failed)
    job->text.failed = !csp_list_push(job->call, job->list, csp_nil());
  csp_list_set(job->call, job->list, at, v);
}

static bool open_out(TextJob *job, CspValue v, CspType type) {
  JsonWriter *writer = job->own;
  if (writer->depth == JSON_DEPTH) return refuse_nested(job);
  JsonOut *level = &writer->levels[writer->depth];
  *level = (JsonOut){.of = v, .key = csp_nil(), .type = type};
  writer->depth++;
  keep_written(job, 0, v);
  buffer_add_char(&job->text,
                  type == CSP_MAP || type == CSP_INSTANCE ? '{' : '[');
  return true;
}

static bool json_put_float(TextJob *job, double d) {
  if (!isfinite(d))
    return refuse_written(job, isnan(d) ? "NaN" : "an infinite float",
                          " is no JSON");
  if (!buffer_reserve(&job->text, 32)) return false;
  job->text.len += (size_t)csp_format_float(d, job->text.data + job->text.len);
  return true;
}

static void json_put_int(TextJob *job, int64_t i) {
  char digits[24], *at = digits + sizeof digits;
  uint64_t n = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
  do {
    *--at = (char)('0' + n % 10);
    n /= 10;
  } while (n > 0);
  if (i < 0) *--at = '-';
  buffer_add(&job->text, at, (size_t)(digits + sizeof digits - at));
}

static bool json_put_value(TextJob *job, CspValue v) {
  CspType type = csp_type(v);
  switch (type) {
    case CSP_NIL:
      buffer_add(&job->text, "null", 4);
      return true;
    case CSP_BOOL:
      buffer_add(&job->text, csp_to_bool(v) ? "true" : "false",
                 csp_to_bool(v) ? 4 : 5);
      return true;
    case CSP_INT:
      json_put_int(job, csp_to_int(v));
      return true;
    case CSP_FLOAT:
      return json_put_float(job, csp_to_float(v));
    case CSP_STRING:
      return json_put_string(job, v);
    case CSP_LIST:
    case CSP_TUPLE:
    case CSP_MAP:
    case CSP_INSTANCE:
      return open_out(job, v, type);
    case CSP_NO_MEMORY:
      job->text.failed = true;
      return false;
    default:
      return refuse_written(job, "there is no JSON for a value of type ",
                            csp_type_name(v));
  }
}

// What comes before the next element, or the next key.
static void json_put_between(TextJob *job, JsonOut *level) {
  if (level->begun++ > 0) buffer_add_char(&job->text, ',');
  json_put_line(job);
}

static void json_put_colon(TextJob *job) {
  const JsonWriter *writer = job->own;
  buffer_add(&job->text, ": ", writer->spread ? 2 : 1);
}

static bool close_out(TextJob *job, JsonOut *level) {
  JsonWriter *writer = job->own;
  writer->depth--;
  if (level->begun > 0) json_put_line(job);
  bool is_map = level->type == CSP_MAP || level->type == CSP_INSTANCE;
  buffer_add_char(&job->text, is_map ? '}' : ']');
  return true;
}

static bool write_element(TextJob *job, JsonOut *level) {
  if (level->begun >= csp_list_len(level->of)) return close_out(job, level);
  json_put_between(job, level);
  return json_put_value(job, csp_list_get(level->of, level->begun - 1));
}

static bool write_field(TextJob *job, JsonOut *level) {
  CspValue value;
  level->name = csp_field_at(level->of, (int)level->begun, &value);
  if (level->name == NULL) return close_out(job, level);
  json_put_between(job, level);
  buffer_add_char(&job->text, '"');
  buffer_add(&job->text, level->name, strlen(level->name));
  buffer_add_char(&job->text, '"');
  json_put_colon(job);
  return json_put_value(job, value);
}

static bool write_entry(TextJob *job, JsonOut *level) {
  if (level->pending) {
    level->pending = false;
    json_put_colon(job);
    return json_put_value(job, level->value);
  }
  if (!csp_map_next(job->call, level->of, &level->iter, &level->key,
                    &level->value))
    return close_out(job, level);
  if (level->begun == 0) keep_written(job, 1, (CspValue){level->iter.state[0]});
  if (csp_type(level->key) != CSP_STRING)
    return refuse_written(job, "a key is no string, but of type ",
                          csp_type_name(level->key));
  json_put_between(job, level);
  if (!json_put_string(job, level->key)) return false;
  if (job->s.len > 0) {
    level->pending = true;
    keep_written(job, 2, level->value);
    return true;
  }
  json_put_colon(job);
  return json_put_value(job, level->value);
}

static bool write_next(TextJob *job) {
  JsonWriter *writer = job->own;
  if (job->s.len > 0) return json_put_part(job);
  JsonOut *level = &writer->levels[writer->depth - 1];
  switch (level->type) {
    case CSP_MAP:
      return write_entry(job, level);
    case CSP_INSTANCE:
      return write_field(job, level);
    default:
      return write_element(job, level);
  }
}

// --- All of it --------------------------------------------------------------
static bool write_turns(TextJob *job) {
  enum { STEP_NS = 10 };
  const JsonWriter *writer = job->own;
  while (!text_job_full(job)) {
    if (writer->depth == 0 && job->s.len == 0) return false;
    if (!write_next(job)) return false;
    job->took += STEP_NS;
  }
  return true;
}

static bool write_first(TextJob *job) {
  job->turns = write_turns;
  return json_put_value(job, csp_arg(job->call, 0));
}

static CspStatus write_done(CspCall *call, TextJob *job, CspValue text) {
  if (!job->flag) return csp_ok_value(call, text);
  csp_return(call, csp_nil());
  return csp_ok(call, job->item);
}

// The argument: nil, a number of spaces, or spaces and tabs. false: panicked.
static bool need_indent(CspCall *call, JsonWriter *writer) {
  int64_t spaces;
  Str text = {"                ", 0};
  writer->spread = !is_nil(call, 1);
  if (csp_type(csp_arg(call, 1)) == CSP_STRING) {
    if (!need_str(call, 1, &text)) return false;
  } else if (writer->spread) {
    if (!need_int_in(call, 1, 0, INDENT_MOST, &spaces)) return false;
    text.len = (size_t)spaces;
  }
  if (text.len <= INDENT_MOST && strspn(text.data, " \t") >= text.len) {
    memcpy(writer->indent, text.data, text.len);
    writer->indent_len = text.len;
    return true;
  }
  bad_string(call, "json.text: indent", "at most 16 spaces and tabs", text);
  return false;
}

CspStatus json_write(CspCall *call) {
  TextJob job = text_job_of(call, write_first);
  job.done = write_done;
  job.list = csp_list(call, LEVEL_KEPT);
  JsonWriter *writer = csp_alloc(csp_of(call), NULL, sizeof *writer);
  if (writer == NULL || csp_is_undef(job.list)) {
    csp_alloc_free(writer);
    return csp_panic_memory(call);
  }
  writer->depth = 0;
  job.own = writer;
  if (need_indent(call, writer)) return text_job_run(&job);
  csp_alloc_free(writer);
  return CSP_PANIC;
}
