// SPDX-License-Identifier: MIT
// csv.text: rows as CSV, in pieces (text_job.h).
//
// Other goroutines may change the rows meanwhile. So a job keeps only its
// place, which is `at` (the row) and `seen` (the cell), and the text of a long
// cell, as `item`. A cell is written in quotes where that is needed. A long
// cell always is, so that nobody has to look through all of it first.
//
// In a job, `s` is what is left of a cell in quotes. `flag` says that `item` is
// an error.
#include <stdio.h>

#include "stdlib/csv.h"
#include "stdlib/text_job.h"

enum { CELL_PART = 1 << 12, CELL_NS = 10 };

typedef struct CsvWriter {
  bool special[256];  // bytes of cells that have to be in quotes
  char separator;
  bool crlf;
  bool names;   // the header is written, and no row
  bool is_map;  // columns are chosen
} CsvWriter;

// --- Errors -----------------------------------------------------------------
static void csv_add_name(Buffer *text, CspValue name) {
  enum { SHOWN = 40 };
  char shown[UTF8_SHOWN(SHOWN)];
  Str key = str_of(name);
  utf8_show(key.data, key.len, SHOWN, shown);
  buffer_add(text, "[\"", 2);
  buffer_add(text, shown, strlen(shown));
  buffer_add(text, key.len > SHOWN ? "...\"]" : "\"]", key.len > SHOWN ? 5 : 2);
}

// "csv: rows[3][0]: why", or of the row. Gives false.
static bool csv_refuse_written(TextJob *job, bool is_row, const char *why,
                               const char *more) {
  const CsvWriter *writer = job->own;
  char place[64];
  Buffer text = buffer_of(job->call);
  snprintf(place, sizeof place,
           writer->names ? "csv: columns" : "csv: rows[%zu]", job->at);
  buffer_add(&text, place, strlen(place));
  CspValue name = csp_nil();
  if (writer->is_map && !writer->names)
    name = csp_list_get(csp_arg(job->call, 1), job->seen);
  snprintf(place, sizeof place, "[%zu]", job->seen);
  if (!is_row && csp_type(name) == CSP_STRING)
    csv_add_name(&text, name);
  else if (!is_row)
    buffer_add(&text, place, strlen(place));
  return text_job_refuse(job, &text, why, more);
}

// --- Cells ------------------------------------------------------------------
// Writes some of what is left of the cell, and its last quote after it.
static void csv_put_part(TextJob *job) {
  Buffer *text = &job->text;
  const char *at = job->s.data;
  size_t len = job->s.len < CELL_PART ? job->s.len : CELL_PART;
  if (!buffer_reserve(text, 2 * len + 1)) return;
  char *to = text->data + text->len;
  for (const char *end = at + len; at < end;) {
    const char *quote = memchr(at, '"', (size_t)(end - at));
    size_t count = (size_t)((quote != NULL ? quote + 1 : end) - at);
    memcpy(to, at, count);
    to += count;
    at += count;
    if (quote != NULL) *to++ = '"';
  }
  job->took += len / 2 + CELL_NS;
  job->s = (Str){at, job->s.len - len};
  if (job->s.len == 0) *to++ = '"';
  text->len = (size_t)(to - text->data);
}

// What a reader would take for something else than this cell. What it takes for
// a byte order mark or a comment begins a row.
static bool needs_quotes(const TextJob *job, Str s, bool alone) {
  const CsvWriter *writer = job->own;
  if (s.len > CELL_PART || (s.len == 0 && alone)) return true;
  if (job->seen == 0 && s.len > 0 && *s.data == '#') return true;
  if (job->seen == 0 && s.len >= 3 && memcmp(s.data, "\xef\xbb\xbf", 3) == 0)
    return true;
  for (size_t n = 0; n < s.len; n++)
    if (writer->special[(unsigned char)s.data[n]]) return true;
  return false;
}

static void csv_put_text(TextJob *job, Str s, bool alone) {
  const CsvWriter *writer = job->own;
  Buffer *text = &job->text;
  bool quotes = needs_quotes(job, s, alone);
  size_t len = quotes ? 0 : s.len;
  if (!buffer_reserve(text, len + 2)) return;
  char *to = text->data + text->len;
  if (job->seen > 0) *to++ = writer->separator;
  if (quotes) *to++ = '"';
  if (len > 0) memcpy(to, s.data, len);
  text->len = (size_t)(to + len - text->data);
  job->took += CELL_NS + (s.len < CELL_PART ? s.len : 0);
  job->seen++;
  if (!quotes) return;
  job->s = s;
  csv_put_part(job);
}

static bool csv_put_value(TextJob *job, CspValue v, bool alone) {
  char text[40];
  switch (csp_type(v)) {
    case CSP_NIL:
      *text = '\0';
      break;
    case CSP_BOOL:
      snprintf(text, sizeof text, "%s", csp_to_bool(v) ? "true" : "false");
      break;
    case CSP_INT:
      snprintf(text, sizeof text, "%lld", (long long)csp_to_int(v));
      break;
    case CSP_FLOAT:
      text[csp_format_float(csp_to_float(v), text)] = '\0';
      break;
    case CSP_STRING:
      job->item = v;
      csv_put_text(job, str_of(v), alone);
      return true;
    case CSP_NO_MEMORY:
      job->text.failed = true;
      return false;
    default:
      return csv_refuse_written(
          job, false, "there is no CSV for a value of type ", csp_type_name(v));
  }
  csv_put_text(job, (Str){text, strlen(text)}, alone);
  return true;
}

// --- Rows -------------------------------------------------------------------
static bool is_row_of_cells(CspValue v) {
  return csp_type(v) == CSP_LIST || csp_type(v) == CSP_TUPLE;
}

// The value of a row's column. false: there is none.
static bool csv_column(TextJob *job, CspValue row, CspValue name, CspValue *v) {
  if (csp_type(row) == CSP_MAP) return csp_map_get(job->call, row, name, v);
  Str field = str_of(name);
  return strlen(field.data) == field.len && csp_field(row, field.data, v);
}

// A cell of a row that is a map or a struct, or of the header.
static bool csv_put_column(TextJob *job, CspValue columns) {
  const CsvWriter *writer = job->own;
  CspValue name = csp_list_get(columns, job->seen), v;
  bool alone = csp_list_len(columns) == 1;
  if (csp_type(name) != CSP_STRING)
    return csv_refuse_written(job, false, "a name must be a string, not ",
                              csp_type_name(name));
  if (writer->names) return csv_put_value(job, name, alone);
  CspValue row = csp_list_get(csp_arg(job->call, 0), job->at);
  if (csp_type(row) != CSP_MAP && csp_type(row) != CSP_INSTANCE)
    return csv_refuse_written(job, true,
                              "with columns a row must be a map or a struct, "
                              "not ",
                              csp_type_name(row));
  if (!csv_column(job, row, name, &v))
    return csv_refuse_written(job, false, "the row has no such value", "");
  return csv_put_value(job, v, alone);
}

// Some cells of a row that is a list.
static bool csv_put_cells(TextJob *job, CspValue row, size_t count) {
  while (job->seen < count && job->s.len == 0 && !text_job_full(job))
    if (!csv_put_value(job, csp_list_get(row, job->seen), count == 1))
      return false;
  return true;
}

static bool csv_put_row(TextJob *job) {
  const CsvWriter *writer = job->own;
  CspValue row = writer->is_map ? csp_arg(job->call, 1)
                                : csp_list_get(csp_arg(job->call, 0), job->at);
  if (!is_row_of_cells(row))
    return csv_refuse_written(job, true,
                              "without columns a row must be a list, not ",
                              csp_type_name(row));
  size_t count = csp_list_len(row);
  if (count == 0) return csv_refuse_written(job, true, "it has no cells", "");
  if (!writer->is_map) return csv_put_cells(job, row, count);
  return job->seen >= count || csv_put_column(job, row);
}

// The next cells, or what is left of a long one, or a row's end. false: there
// is nothing more.
static bool csv_write_next(TextJob *job) {
  CsvWriter *writer = job->own;
  CspValue rows = csp_arg(job->call, 0);
  size_t seen = job->seen;
  if (job->s.len > 0) {
    csv_put_part(job);
    return true;
  }
  if (!writer->names && job->at >= csp_list_len(rows)) return false;
  if (!csv_put_row(job)) return false;
  if (job->seen > seen) return true;
  buffer_add(&job->text, writer->crlf ? "\r\n" : "\n", writer->crlf ? 2 : 1);
  job->seen = 0;
  if (writer->names)
    writer->names = false;
  else
    job->at++;
  return true;
}

// --- All of it --------------------------------------------------------------
static bool csv_turns(TextJob *job) {
  while (!text_job_full(job))
    if (!csv_write_next(job)) return false;
  return true;
}

static CspStatus csv_written(CspCall *call, TextJob *job, CspValue text) {
  if (!job->flag) return csp_ok_value(call, text);
  csp_return(call, csp_nil());
  return csp_ok(call, job->item);
}

// _text(rows, columns, separator, crlf), of which csv.csp has checked the
// types.
CspStatus csv_write(CspCall *call) {
  TextJob job = text_job_of(call, csv_turns);
  job.done = csv_written;
  char separator;
  if (!csv_need_sign(call, 2, "csv.text: separator", &separator))
    return CSP_PANIC;
  CsvWriter *writer = csp_alloc(csp_of(call), NULL, sizeof *writer);
  if (writer == NULL) return csp_panic_memory(call);
  *writer = (CsvWriter){.separator = separator};
  writer->is_map = writer->names = !is_nil(call, 1);
  writer->crlf = csp_truthy(csp_arg(call, 3));
  const char special[] = {separator, '"', '\r', '\n'};
  for (size_t n = 0; n < sizeof special; n++)
    writer->special[(unsigned char)special[n]] = true;
  job.own = writer;
  return text_job_run(&job);
}
