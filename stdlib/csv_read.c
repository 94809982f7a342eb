// SPDX-License-Identifier: MIT
// The reader of csv.parse and csv.rows: texts of any length, row by row.
//
// The script feeds it with the text, piece by piece, and asks for rows. A row
// is read twice. The first pass goes through its bytes once, wherever they are
// cut, and notes where its cells are. At its end the second pass makes the
// values. So no value is made of a row that is wrong, and a long row is made in
// parts, between which the script can be interrupted.
//
// What always holds:
//   - The window begins with the row that is read, at column 1 of `line`.
//   - The results depend on the text, never on its pieces.
//   - Each step is done as a whole, or nothing has changed. So the reader can
//     be asked again after it was out of memory.
// One goroutine at a time uses it, as csv.csp has a lock.
#include <stdarg.h>
#include <stdio.h>

#include "stdlib/csv.h"
#include "stdlib/window.h"

enum {
  CELLS_AT_ONCE = 64,   // of which values are made
  CELLS_BEGIN = 16,     // for which there is room at first
  CELL_SHORT = 256,     // bytes that are written beside the value first
  CELL_LONG = 1 << 13,  // bytes of a cell that is made in parts
  CSV_BYTE_NS = 1,
  CSV_CELL_NS = 24
};

typedef enum CsvState {
  CSV_TEXT,     // before all, where a byte order mark may stand
  CSV_ROW,      // before a row
  CSV_CELL,     // before a cell
  CSV_PLAIN,    // in a cell
  CSV_QUOTED,   // in a cell in quotes
  CSV_QUOTE,    // after a quote in one, which is its end unless one follows
  CSV_RETURN,   // after a carriage return, at a row's end
  CSV_COMMENT,  // in a line that is passed over
  CSV_MAKE      // the row is read, and its values are made
} CsvState;

// What a step gives, and what the script gets. csv.csp has the numbers, too.
typedef enum CsvStep {
  CSV_FEED = 0,  // more of the text is needed
  CSV_END = 1,
  CSV_WRONG = 2,  // the text is, or it has panicked
  CSV_FULL = 3,   // there are as many rows as wanted
  CSV_ON = 4      // something was done
} CsvStep;

// A cell's bytes, without its quotes. They count from where the row begins.
typedef struct CsvCell {
  size_t from, len;
  size_t doubled;  // quotes that are there twice
} CsvCell;

typedef struct CsvReader {
  TextWindow window;
  CsvState state;
  bool ragged, quoted;  // rows of any length; the row has cells in quotes
  bool opened;          // the row that is made is there
  char comment;         // '\0': there are none
  char separator;
  size_t most;     // bytes of a row
  size_t line;     // where the window begins
  size_t at;       // how far the row is read
  size_t row_len;  // bytes of a row that is read, without its end
  size_t doubled;  // of the cell that is read
  size_t cell;     // where it begins
  size_t width;    // cells of the first row, or 0
  size_t count, cap, made;
  CsvCell *cells;
} CsvReader;

// What is made in parts: of a row a long cell, then the check that the header's
// names differ, then the count of its lines.
typedef enum CsvPart { PART_NONE, PART_CELL, PART_NAMES, PART_LINES } CsvPart;

// One call of _next, from piece to piece.
typedef struct CsvReading {
  CspValue made;  // kept: the long cell's text, or a map of the names so far
  CsvPart part;
  size_t done;          // of the part: bytes or names
  char *to;             // where the cell's text goes on
  size_t line, column;  // so far
  size_t units;         // of this step
  CspCall *call;        // of this piece
  CsvReader *reader;
  CspValue rows, names;  // where rows go; the header's list, or nil
  const char *begin;     // of the window
  size_t left;
  size_t wrong;      // where the text is wrong, from `begin` on
  const char *code;  // of the error. NULL: it has panicked
  char why[160];
} CsvReading;

static void csv_finalize(void *data) {
  CsvReader *reader = data;
  window_free(&reader->window);
  csp_alloc_free(reader->cells);
}

const CspClass csv_reader_class = {"csv.reader", csv_finalize,
                                   sizeof(CsvReader), NULL};

static CsvReader *need_csv_reader(CspCall *call) {
  CsvReader *reader = csp_host_data(csp_arg(call, 0), &csv_reader_class);
  if (reader == NULL) csp_bad_arg(call, 0, "a reader");
  return reader;
}

// --- Errors -----------------------------------------------------------------
static CsvStep csv_panicked(CsvReading *reading) {
  reading->code = NULL;
  return CSV_WRONG;
}

static CsvStep csv_no_memory(CsvReading *reading) {
  csp_panic_memory(reading->call);
  return csv_panicked(reading);
}

// The text is wrong, `where` bytes after the row's begin.
__attribute__((format(printf, 4, 5), cold)) static CsvStep csv_refuse(
    CsvReading *reading, size_t where, const char *code, const char *format,
    ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(reading->why, sizeof reading->why, format, args);
  va_end(args);
  reading->code = code;
  reading->wrong = where;
  return CSV_WRONG;
}

__attribute__((cold)) static CsvStep csv_too_long(CsvReading *reading) {
  return csv_refuse(reading, 0, "limit",
                    "the row has more than %zu bytes (the argument `most`)",
                    reading->reader->most);
}

// What is wrong was found `read` bytes after the row's begin. The row may be
// too long before that.
__attribute__((cold)) static CsvStep csv_refuse_row(CsvReading *reading,
                                                    size_t where, size_t read,
                                                    const char *why) {
  if (read > reading->reader->most) return csv_too_long(reading);
  return csv_refuse(reading, where, "syntax", "%s", why);
}

// (CSV_WRONG, error) with the place, which is known.
static CspStatus csv_failed_there(const CsvReading *reading) {
  CspCall *call = reading->call;
  csp_return(call, csp_int(call, CSV_WRONG));
  CspValue code = csp_string(call, reading->code, strlen(reading->code));
  char text[256];
  int len = snprintf(text, sizeof text, "csv: line %zu, column %zu: %s",
                     reading->line, reading->column, reading->why);
  CspValue message = csp_string(call, text, (size_t)len);
  return csp_ok(call, csp_error_coded(call, message, csp_nil(), code));
}

// The line and column in a part of what is read go on, in the bytes up to
// `end`. Gives the units.
static size_t csv_move_place(CsvReading *reading, size_t end) {
  size_t len = end - reading->done;
  if (len > CSV_PART) len = CSV_PART;
  move_place(reading->begin + reading->done, len, &reading->line,
             &reading->column);
  reading->done += len;
  return len;
}

static CspStatus csv_find_place(CspCall *call, void *data, bool on) {
  CsvReading *reading = data;
  if (!on) return CSP_PANIC;
  reading->call = call;
  while (reading->done < reading->wrong) {
    size_t units = csv_move_place(reading, reading->wrong);
    if (csp_spent(call, units))
      return csp_again(call, csv_find_place, reading, sizeof *reading, 0);
  }
  return csv_failed_there(reading);
}

static CspStatus csv_failed(CsvReading *reading) {
  if (reading->code == NULL) return CSP_PANIC;
  reading->done = 0;
  reading->line = reading->reader->line;
  reading->column = 1;
  return csv_find_place(reading->call, reading, true);
}

// --- The first pass ---------------------------------------------------------
// Whether the next row is the header.
static bool csv_is_header(const CsvReading *reading) {
  return reading->reader->width == 0 && csp_type(reading->names) == CSP_LIST;
}

// Room for one more cell. false: CSV_WRONG.
static bool csv_reserve(CsvReading *reading) {
  CsvReader *reader = reading->reader;
  if (reader->count < reader->cap) return true;
  if (reader->count == CSV_CELLS) {
    csv_refuse(reading, 0, "limit", "the row has more than %d cells",
               (int)CSV_CELLS);
    return false;
  }
  size_t cap = reader->cap > 0 ? 2 * reader->cap : CELLS_BEGIN;
  CsvCell *cells = NULL;
  if (cap * sizeof *cells <= csp_room(reading->call))
    cells =
        csp_alloc(csp_of(reading->call), reader->cells, cap * sizeof *cells);
  if (cells == NULL) {
    csv_no_memory(reading);
    return false;
  }
  reader->cells = cells;
  reader->cap = cap;
  return true;
}

// The cell that was read ends before `end`.
static bool csv_add_cell(CsvReading *reading, size_t end) {
  CsvReader *reader = reading->reader;
  if (end > reader->most) {
    csv_too_long(reading);
    return false;
  }
  if (!csv_reserve(reading)) return false;
  reader->cells[reader->count++] =
      (CsvCell){reader->cell, end - reader->cell, reader->doubled};
  return true;
}

// The row's bytes end at `end`, and at `at` the next one begins.
static CsvStep csv_end_row(CsvReading *reading, size_t end) {
  CsvReader *reader = reading->reader;
  if (end > reader->most) return csv_too_long(reading);
  reader->row_len = end;
  reader->state = CSV_MAKE;
  reader->made = 0;
  reader->opened = false;
  return CSV_ON;
}

// Passes over what was read: a row, or a line that is none.
static void csv_pass(CsvReading *reading, size_t lines) {
  CsvReader *reader = reading->reader;
  reader->line += lines;
  reader->window.from += reader->at;
  reading->begin += reader->at;
  reading->left -= reader->at;
  reader->at = reader->count = 0;
  reader->quoted = false;
  reader->state = CSV_ROW;
}

static CsvStep csv_text_begin(CsvReading *reading) {
  static const char mark[] = "\xef\xbb\xbf";
  enum { MARK = sizeof mark - 1 };
  CsvReader *reader = reading->reader;
  size_t len = reading->left < MARK ? reading->left : MARK;
  bool same = memcmp(reading->begin, mark, len) == 0;
  if (same && len < MARK && !reader->window.ended) return CSV_FEED;
  if (same && len == MARK) {
    reader->at = MARK;
    csv_pass(reading, 0);
  }
  reader->state = CSV_ROW;
  return CSV_ON;
}

static CsvStep csv_row_begin(CsvReading *reading) {
  CsvReader *reader = reading->reader;
  char c = *reading->begin;
  reader->state = CSV_CELL;
  if (c == '\n') {
    reader->at = 1;
    csv_pass(reading, 1);
  } else if (c == '\r') {
    reader->state = CSV_RETURN;
    reader->at = 1;
  } else if (c == reader->comment && c != '\0') {
    reader->state = CSV_COMMENT;
  }
  return CSV_ON;
}

// A cell in quotes, or the end of a plain one, of which `at` is the first byte
// that is not read.
static CsvStep csv_cell_end(CsvReading *reading) {
  CsvReader *reader = reading->reader;
  size_t at = reader->at;
  char c = reading->begin[at];
  bool ends = c == reader->separator || c == '\n' || c == '\r';
  if (!ends)
    return csv_refuse_row(
        reading, at, at,
        reader->state == CSV_PLAIN
            ? "a quote in a cell that does not begin with one"
            : "after a cell in quotes only a separator or the "
              "line's end may stand");
  if (!csv_add_cell(reading, reader->state == CSV_PLAIN ? at : at - 1))
    return CSV_WRONG;
  reader->at++;
  reader->state = c == '\r' ? CSV_RETURN : CSV_CELL;
  return c == '\n' ? csv_end_row(reading, at) : CSV_ON;
}

// The high bits of the bytes that are `byte`, of which eight are in `bytes`.
// Above the lowest of them a borrow may set a bit wrongly.
static inline uint64_t csv_same_bytes(uint64_t eight, uint64_t bytes) {
  const uint64_t ones = 0x0101010101010101u;
  uint64_t other = eight ^ bytes;
  return (other - ones) & ~other & ones << 7;
}

// The first byte that may end a plain cell; or end.
static const char *csv_stop(const CsvReader *reader, const char *at,
                            const char *end) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  const uint64_t ones = 0x0101010101010101u;
  uint64_t eight, separators = ones * (unsigned char)reader->separator;
  for (; (size_t)(end - at) >= sizeof eight; at += sizeof eight) {
    memcpy(&eight, at, sizeof eight);
    uint64_t found =
        csv_same_bytes(eight, separators) | csv_same_bytes(eight, ones * '"') |
        csv_same_bytes(eight, ones * '\r') | csv_same_bytes(eight, ones * '\n');
    if (found != 0) return at + __builtin_ctzll(found) / 8;
  }
#endif
  while (at < end && *at != reader->separator && *at != '"' && *at != '\r' &&
         *at != '\n')
    at++;
  return at;
}

static CsvStep csv_plain(CsvReading *reading) {
  CsvReader *reader = reading->reader;
  const char *end = reading->begin + reading->left;
  const char *at = csv_stop(reader, reading->begin + reader->at, end);
  reader->at = (size_t)(at - reading->begin);
  return at < end ? csv_cell_end(reading) : CSV_ON;
}

static CsvStep csv_cell_begin(CsvReading *reading) {
  CsvReader *reader = reading->reader;
  reader->doubled = 0;
  reader->cell = reader->at;
  if (reading->begin[reader->at] != '"') {
    reader->state = CSV_PLAIN;
    return csv_plain(reading);
  }
  reader->at = ++reader->cell;
  reader->quoted = true;
  reader->state = CSV_QUOTED;
  return CSV_ON;
}

// Cells one after another, some KB of them.
static CsvStep csv_cells(CsvReading *reading) {
  enum { CELLS_BYTES = 1 << 12 };
  const CsvReader *reader = reading->reader;
  size_t left = reading->left, more = left - reader->at, most = CELLS_BYTES;
  size_t stop = reader->at + (more < most ? more : most);
  CsvStep step;
  do {
    step = csv_cell_begin(reading);
  } while (step == CSV_ON && reader->state == CSV_CELL && reader->at < stop);
  return step;
}

static CsvStep csv_in_quotes(CsvReading *reading) {
  CsvReader *reader = reading->reader;
  const char *from = reading->begin + reader->at;
  const char *quote = memchr(from, '"', reading->left - reader->at);
  reader->at = reading->left;
  if (quote == NULL) return CSV_ON;
  reader->at = (size_t)(quote + 1 - reading->begin);
  reader->state = CSV_QUOTE;
  return CSV_ON;
}

static CsvStep csv_after_quote(CsvReading *reading) {
  CsvReader *reader = reading->reader;
  if (reading->begin[reader->at] != '"') return csv_cell_end(reading);
  reader->doubled++;
  reader->at++;
  reader->state = CSV_QUOTED;
  return CSV_ON;
}

static CsvStep csv_after_return(CsvReading *reading) {
  CsvReader *reader = reading->reader;
  if (reading->begin[reader->at] != '\n')
    return csv_refuse_row(reading, reader->at - 1, reader->at,
                          "a carriage return that no line feed follows");
  reader->at++;
  if (reader->count > 0) return csv_end_row(reading, reader->at - 2);
  csv_pass(reading, 1);
  return CSV_ON;
}

static CsvStep csv_in_comment(CsvReading *reading) {
  CsvReader *reader = reading->reader;
  const char *end = memchr(reading->begin, '\n', reading->left);
  reader->at = end == NULL ? reading->left : (size_t)(end + 1 - reading->begin);
  csv_pass(reading, end != NULL);
  if (end == NULL) reader->state = CSV_COMMENT;
  return CSV_ON;
}

// The window is read. The text may be, too.
static CsvStep csv_window_end(CsvReading *reading) {
  CsvReader *reader = reading->reader;
  size_t at = reader->at;
  if (!reader->window.ended)  // (one carriage return may belong to the end)
    return at > reader->most + 1 ? csv_too_long(reading) : CSV_FEED;
  switch (reader->state) {
    case CSV_CELL:
      reader->cell = at;
      reader->doubled = 0;
      return csv_add_cell(reading, at) ? csv_end_row(reading, at) : CSV_WRONG;
    case CSV_PLAIN:
      return csv_add_cell(reading, at) ? csv_end_row(reading, at) : CSV_WRONG;
    case CSV_QUOTE:
      return csv_add_cell(reading, at - 1) ? csv_end_row(reading, at)
                                           : CSV_WRONG;
    case CSV_QUOTED:
      return csv_refuse_row(reading, reader->cell - 1, at,
                            "the text ends before these quotes do");
    case CSV_RETURN:
      return csv_refuse_row(reading, at - 1, at,
                            "a carriage return that no line feed follows");
    case CSV_TEXT:
    case CSV_ROW:
    case CSV_COMMENT:
    case CSV_MAKE:
      break;
  }
  return csv_is_header(reading)
             ? csv_refuse(reading, 0, "syntax",
                          "the text ends where its header should stand")
             : CSV_END;
}

static CsvStep csv_read(CsvReading *reading) {
  const CsvReader *reader = reading->reader;
  if (reader->state == CSV_TEXT) return csv_text_begin(reading);
  if (reader->at == reading->left) return csv_window_end(reading);
  switch (reader->state) {
    case CSV_ROW:
      return csv_row_begin(reading);
    case CSV_CELL:
      return csv_cells(reading);
    case CSV_PLAIN:
      return csv_plain(reading);
    case CSV_QUOTED:
      return csv_in_quotes(reading);
    case CSV_QUOTE:
      return csv_after_quote(reading);
    case CSV_RETURN:
      return csv_after_return(reading);
    case CSV_TEXT:
    case CSV_COMMENT:
    case CSV_MAKE:
      break;
  }
  return csv_in_comment(reading);
}

// --- The second pass --------------------------------------------------------
// Writes what the bytes from *from on mean, in which each quote is there twice,
// some of them. Gives the units.
static size_t csv_undouble(const char **from, const char *end, char **to) {
  size_t took = 0;
  while (*from < end && took < CELL_LONG) {
    const char *stop = end - *from > CSV_PART ? *from + CSV_PART : end;
    const char *quote = memchr(*from, '"', (size_t)(stop - *from));
    size_t count = (size_t)((quote != NULL ? quote + 1 : stop) - *from);
    memcpy(*to, *from, count);
    *to += count;
    *from += count + (quote != NULL);
    took += 4 + count / 8;
  }
  return took;
}

// Of a cell that is not long. undef: no memory, or it has panicked.
static CspValue csv_value(CsvReading *reading, const CsvCell *cell) {
  const char *from = reading->begin + cell->from, *end = from + cell->len;
  size_t len = cell->len - cell->doubled;
  char bytes[CELL_SHORT], *to = bytes;
  if (cell->doubled == 0) return csp_string(reading->call, from, len);
  CspValue v = csp_nil();
  if (len > CELL_SHORT) v = csp_string_room(reading->call, len, &to);
  if (csp_is_undef(v)) return v;
  while (from < end) reading->units += csv_undouble(&from, end, &to);
  return len > CELL_SHORT ? v : csp_string(reading->call, bytes, len);
}

// A part of the long cell, whose text is `made` when it is complete. false: no
// memory, or it has panicked.
static bool csv_long_value(CsvReading *reading, const CsvCell *cell) {
  if (reading->part == PART_NONE) {
    size_t len = cell->len - cell->doubled;
    reading->made = csp_string_room(reading->call, len, &reading->to);
    if (csp_is_undef(reading->made)) return false;
    reading->part = PART_CELL;
    reading->done = 0;
  }
  const char *begin = reading->begin + cell->from,
             *from = begin + reading->done;
  size_t left = cell->len - reading->done;
  if (cell->doubled > 0) {
    reading->units += csv_undouble(&from, begin + cell->len, &reading->to);
    reading->done = (size_t)(from - begin);
  } else {
    size_t count = left < CSV_PART ? left : CSV_PART;
    memcpy(reading->to, from, count);
    reading->to += count;
    reading->done += count;
    reading->units += count / 8;
  }
  if (reading->done == cell->len) reading->part = PART_NONE;
  return true;
}

// The row has as many cells as the first one.
static CsvStep csv_check_width(CsvReading *reading) {
  const CsvReader *reader = reading->reader;
  size_t count = reader->count, width = reader->width;
  bool is_map = csp_type(reading->names) == CSP_LIST;
  if (width == 0 || count == width) return CSV_ON;
  if (reader->ragged && (!is_map || count < width)) return CSV_ON;
  return csv_refuse(
      reading, 0, "syntax", "the row has %zu cell%s, but the %s has %zu", count,
      count == 1 ? "" : "s", is_map ? "header" : "first one", width);
}

// The row that is made, to be filled.
static CsvStep csv_open(CsvReading *reading) {
  CsvReader *reader = reading->reader;
  CspCall *call = reading->call;
  if (csv_check_width(reading) == CSV_WRONG) return CSV_WRONG;
  bool is_map = csp_type(reading->names) == CSP_LIST;
  if (!csv_is_header(reading)) {
    CspValue row =
        is_map ? csp_map(call, reader->width) : csp_list(call, reader->count);
    if (!csp_list_push(call, reading->rows, row)) return csv_panicked(reading);
  }
  reader->opened = true;
  return CSV_ON;
}

static bool csv_put(CsvReading *reading, CspValue row, const CspValue *values,
                    size_t count) {
  CspCall *call = reading->call;
  size_t made = reading->reader->made;
  if (csp_type(row) == CSP_LIST)
    return csp_list_append(call, row, values, count);
  for (size_t n = 0; n < count; n++)
    if (!csp_map_set(call, row, csp_list_get(reading->names, made + n),
                     values[n]))
      return false;
  return true;
}

static CsvStep csv_refuse_name(CsvReading *reading, size_t n, Str name) {
  enum { SHOWN = 30 };
  char shown[UTF8_SHOWN(SHOWN)];
  utf8_show(name.data, name.len, SHOWN, shown);
  return csv_refuse(reading, reading->reader->cells[n].from, "syntax",
                    "the header has the name \"%s%s\" twice", shown,
                    name.len > SHOWN ? "..." : "");
}

// The header's names differ: some more of them. At the end the lines are next.
static CsvStep csv_check_names(CsvReading *reading) {
  size_t count = reading->reader->count;
  for (size_t n = 0; n < CELLS_AT_ONCE && reading->done < count; n++) {
    size_t at = reading->done++;
    CspValue name = csp_list_get(reading->names, at);
    if (!csp_map_set(reading->call, reading->made, name, csp_nil()))
      return csv_panicked(reading);
    reading->units += CSV_CELL_NS;
    if (csp_map_len(reading->made) == at)
      return csv_refuse_name(reading, at, str_of(name));
  }
  if (reading->done < count) return CSV_ON;
  reading->part = PART_LINES;
  reading->done = 0;
  return CSV_ON;
}

// The row is made: its end begins.
static CsvStep csv_begin_end(CsvReading *reading) {
  const CsvReader *reader = reading->reader;
  reading->done = 0;
  reading->line = reader->at > reader->row_len;
  reading->column = 1;
  reading->part = PART_LINES;
  if (!csv_is_header(reading)) return CSV_ON;
  reading->part = PART_NAMES;
  reading->made = csp_map(reading->call, reader->count);
  return csp_is_undef(reading->made) ? csv_no_memory(reading) : CSV_ON;
}

// The row is made, and a part of its end is done. Then what was read of it is
// passed over.
static CsvStep csv_close(CsvReading *reading) {
  CsvReader *reader = reading->reader;
  if (reading->part == PART_NONE && csv_begin_end(reading) == CSV_WRONG)
    return CSV_WRONG;
  if (reading->part == PART_NAMES) return csv_check_names(reading);
  if (reader->quoted && reading->done < reader->row_len)
    reading->units += csv_move_place(reading, reader->row_len) / 4;
  if (reader->quoted && reading->done < reader->row_len) return CSV_ON;
  reading->part = PART_NONE;
  if (reader->width == 0) reader->width = reader->count;
  csv_pass(reading, reading->line);
  return CSV_ON;
}

// The values of the next cells, at most *count, up to one that is long. That
// one is made alone, in parts. *count: how many are complete.
static CsvStep csv_values(CsvReading *reading, CspValue *values,
                          size_t *count) {
  const CsvReader *reader = reading->reader;
  size_t bytes = 0, n = 0;
  for (; n < *count; n++) {
    size_t at = reader->made + n;
    const CsvCell *cell = at < reader->count ? &reader->cells[at] : NULL;
    if (cell != NULL) bytes += cell->len;
    if (n > 0 && bytes > CELL_LONG) break;
    if (bytes > CELL_LONG) {
      if (!csv_long_value(reading, cell)) return csv_no_memory(reading);
      values[n] = reading->made;
      *count = reading->part == PART_NONE;
      return CSV_ON;
    }
    values[n] = cell != NULL ? csv_value(reading, cell) : csp_nil();
    if (csp_is_undef(values[n])) return csv_no_memory(reading);
  }
  *count = n;
  return CSV_ON;
}

// Some of the values, or a part of the row's end.
static CsvStep csv_make(CsvReading *reading) {
  CsvReader *reader = reading->reader;
  CspValue values[CELLS_AT_ONCE];
  if (!reader->opened && csv_open(reading) == CSV_WRONG) return CSV_WRONG;
  if (reading->part > PART_CELL) return csv_close(reading);
  bool is_header = csv_is_header(reading);
  CspValue rows = reading->rows;
  CspValue row =
      is_header ? reading->names : csp_list_get(rows, csp_list_len(rows) - 1);
  size_t all = csp_type(row) == CSP_MAP ? reader->width : reader->count;
  size_t count = all - reader->made;
  if (count > CELLS_AT_ONCE) count = CELLS_AT_ONCE;
  if (csv_values(reading, values, &count) == CSV_WRONG) return CSV_WRONG;
  if (!csv_put(reading, row, values, count)) return csv_panicked(reading);
  reader->made += count;
  return reader->made == all ? csv_close(reading) : CSV_ON;
}

// --- For the script ---------------------------------------------------------
static CspStatus csv_feed(CspCall *call) {
  CsvReader *reader = need_csv_reader(call);
  if (reader == NULL) return CSP_PANIC;
  return window_feed(call, &reader->window, reader->most);
}

// _end(reader): nobody asks it any more.
static CspStatus csv_end(CspCall *call) {
  CsvReader *reader = need_csv_reader(call);
  if (reader == NULL) return CSP_PANIC;
  window_free(&reader->window);
  csp_alloc_free(reader->cells);
  reader->cells = NULL;
  reader->cap = reader->count = 0;
  return csp_ok_nothing(call);
}

// One step, and what it costs.
static CsvStep csv_step(CsvReading *reading) {
  const CsvReader *reader = reading->reader;
  size_t before = reading->left - reader->at, made = reader->made;
  bool makes = reader->state == CSV_MAKE;
  reading->units = 0;
  CsvStep step = makes ? csv_make(reading) : csv_read(reading);
  size_t read = before - (reading->left - reader->at);
  reading->units +=
      makes ? CSV_CELL_NS * (reader->made - made + 1) : read * CSV_BYTE_NS;
  return step;
}

static CspStatus csv_next_on(CspCall *call, void *data, bool on) {
  CsvReading *reading = data;
  size_t count = (size_t)csp_to_int(csp_arg(call, 3));
  CsvStep step;
  bool spent;
  if (!on) return CSP_PANIC;
  reading->call = call;
  do {
    step = csv_step(reading);
    if (step == CSV_WRONG) return csv_failed(reading);
    if (step == CSV_ON && reading->reader->state == CSV_ROW &&
        csp_list_len(reading->rows) >= count)
      step = CSV_FULL;
    spent = csp_spent(call, reading->units);
    if (spent && reading->part != PART_NONE)
      return csp_again(call, csv_next_on, reading, sizeof *reading, 1);
  } while (!spent && step == CSV_ON);
  csp_return(call, csp_int(call, step));
  return csp_ok(call, csp_nil());
}

// _next(reader, rows, names, count) adds rows until the list has so many, or
// until the piece is spent. Then cells of the last row may be missing. It gives
// a CsvStep, and the error for what is wrong. names is nil or, for a text with
// a header, the list of its names, which is empty at first.
static CspStatus csv_next(CspCall *call) {
  CsvReader *reader = need_csv_reader(call);
  int64_t count;
  if (reader == NULL || !csp_need_int(call, 3, &count)) return CSP_PANIC;
  CsvReading reading = {.made = csp_nil(),
                        .call = call,
                        .reader = reader,
                        .rows = csp_arg(call, 1),
                        .names = csp_arg(call, 2),
                        .begin = window_begin(&reader->window),
                        .left = window_left(&reader->window)};
  return csv_next_on(call, &reading, true);
}

// _reader(name, most, separator, comment, ragged). name is that of the function
// that the script has called.
CspStatus csv_reader(CspCall *call) {
  int64_t most;
  void *data = NULL;
  Str name;
  char what[40], separator, comment = '\0';
  if (!need_str(call, 0, &name) ||
      !need_int_in(call, 1, 1, INT64_MAX / 4, &most))
    return CSP_PANIC;
  snprintf(what, sizeof what, "%s: separator", name.data);
  if (!csv_need_sign(call, 2, what, &separator)) return CSP_PANIC;
  snprintf(what, sizeof what, "%s: comment", name.data);
  if (!is_nil(call, 3) && !csv_need_sign(call, 3, what, &comment))
    return CSP_PANIC;
  if (comment == separator)
    return csp_panic(call, "%s must not be the separator", what);
  CspValue v = csp_host_new(call, &csv_reader_class, &data);
  if (csp_is_undef(v)) return csp_panic_memory(call);
  CsvReader *reader = data;
  reader->line = 1;
  reader->most = (size_t)most;
  reader->separator = separator;
  reader->comment = comment;
  reader->ragged = csp_truthy(csp_arg(call, 4));
  return csp_ok(call, v);
}

const CspFunction csv_reader_methods[] = {
    CSP_REPEATABLE,
    {"_feed", "reader, piece, at", csv_feed},
    {"_next", "reader, rows, names, count", csv_next},
    {"_end", "reader", csv_end},
    {NULL, NULL, NULL},
};
