// SPDX-License-Identifier: MIT
// The reader of json.stream: documents of any length, in constant memory.
//
// The script feeds it with the text, piece by piece, and asks for the next
// value. It goes through the document token by token down to the list whose
// elements are wanted. An element that is a list or a map is given as text,
// once all of it is there, and json.parse makes the value. Text that is passed
// over is checked as strictly as json.parse does. To find keys that come twice,
// the reader has the keys of each open map in `open`, a list that the script
// keeps.
//
// What always holds:
//   - A token is passed as a whole, or nothing has changed. So the reader can
//     be asked again after it was out of memory.
//   - The results depend on the text, never on its pieces.
// One goroutine at a time uses it, as json.csp has a lock.
#include <stdio.h>

#include "stdlib/json.h"
#include "stdlib/window.h"

enum { UNPAID_MOST = 1 << 12 };

typedef enum ReaderWant {
  READ_VALUE,
  READ_FIRST_VALUE,  // or the list's end
  READ_KEY,
  READ_FIRST_KEY,  // or the map's end
  READ_COLON,
  READ_MORE,  // a comma, or an end
  READ_END    // of the text
} ReaderWant;

// What a step gives, and what the script gets. json.csp has the numbers, too.
typedef enum ReaderStep {
  STREAM_FEED = 0,   // more of the text is needed
  STREAM_TEXT = 1,   // of a list or map
  STREAM_VALUE = 2,  // any other
  STREAM_END = 3,
  STREAM_WRONG = 4,  // the text is, or it has panicked
  STREAM_ON = 5      // a token was passed
} ReaderStep;

// A list or map that is open.
typedef struct ReaderLevel {
  bool is_map;
  bool on_path;      // the path leads here, and maybe on
  bool value_on;     // of a map: and to the value of the last key
  bool is_wanted;    // its elements are
  size_t index;      // of the next element
  size_t key_bytes;  // of a map: what its keys take
} ReaderLevel;

typedef struct JsonReader {
  TextWindow window;    // at most `most` bytes, and one piece
  size_t line, column;  // of where it begins
  size_t most;          // bytes of a value, a key, and of all open keys
  size_t unpaid;        // bytes, since csp_work was called
  bool found;           // the list that is wanted
  ReaderWant want;      // the next token
  JsonFrame frame;      // how far the token was looked at that begins there
  uint32_t depth;
  size_t key_bytes;  // of all levels
  ReaderLevel levels[JSON_DEPTH];
} JsonReader;

// One call of _next.
typedef struct Streaming {
  JsonReader *reader;
  JsonText text;  // the window, from `from` on
  CspValue steps, open;
  CspValue value;  // or its text
  size_t line, column, index;
} Streaming;

// --- The window -------------------------------------------------------------
static void reader_finalize(void *data) {
  JsonReader *reader = data;
  window_free(&reader->window);
}

const CspClass json_reader_class = {"json.reader", reader_finalize,
                                    sizeof(JsonReader), NULL};

static JsonReader *need_reader(CspCall *call) {
  JsonReader *reader = csp_host_data(csp_arg(call, 0), &json_reader_class);
  if (reader == NULL) csp_bad_arg(call, 0, "a reader");
  return reader;
}

// _end(reader): nobody asks it any more.
static CspStatus reader_end(CspCall *call) {
  JsonReader *reader = need_reader(call);
  if (reader == NULL) return CSP_PANIC;
  window_free(&reader->window);
  return csp_ok_nothing(call);
}

// Passes over what the text has read.
static void pass_read(Streaming *stream) {
  JsonReader *reader = stream->reader;
  JsonText *text = &stream->text;
  size_t len = (size_t)(text->at - text->begin);
  move_place(text->begin, len, &reader->line, &reader->column);
  reader->window.from += len;
  reader->unpaid += len;
  reader->frame = (JsonFrame){0};
  text->begin = text->at;
}

// _feed(reader, piece, at)
static CspStatus reader_feed(CspCall *call) {
  JsonReader *reader = need_reader(call);
  if (reader == NULL) return CSP_PANIC;
  return window_feed(call, &reader->window, reader->most);
}

// --- Tokens -----------------------------------------------------------------
// Looks for the end of the token or value at `from`.
static ReaderStep find_token(Streaming *stream, size_t *len) {
  JsonReader *reader = stream->reader;
  JsonText *text = &stream->text;
  size_t left = (size_t)(text->end - text->begin), at = reader->frame.at;
  *len = json_frame(&reader->frame, text->begin, left, reader->window.ended);
  reader->unpaid += reader->frame.at - at;
  if ((*len > 0 ? *len : left) > reader->most) {
    json_refuse(text, text->begin,
                "the value has more than %zu bytes (the argument `most`)",
                reader->most);
    text->code = "limit";
    return STREAM_WRONG;
  }
  return *len > 0 ? STREAM_ON : STREAM_FEED;
}

// false: out of memory.
static bool keep_open(Streaming *stream, uint32_t level, CspValue v) {
  CspCall *call = stream->text.call;
  bool added = !csp_is_undef(v);
  while (added && csp_list_len(stream->open) <= level)
    added = csp_list_push(call, stream->open, csp_nil());
  if (added) csp_list_set(call, stream->open, level, v);
  if (!added) stream->text.fail = JSON_NO_MEMORY;
  return added;
}

static ReaderStep pass_open(Streaming *stream, bool on_path, bool is_wanted) {
  JsonReader *reader = stream->reader;
  JsonText *text = &stream->text;
  bool is_map = *text->at == '{';
  if (reader->depth == JSON_DEPTH) {
    json_refuse(text, text->at, "nested more than %d deep", (int)JSON_DEPTH);
    return STREAM_WRONG;
  }
  if (is_map && !keep_open(stream, reader->depth, csp_map(text->call, 0)))
    return STREAM_WRONG;
  reader->levels[reader->depth++] = (ReaderLevel){
      .is_map = is_map, .on_path = on_path, .is_wanted = is_wanted};
  reader->found |= is_wanted;
  reader->want = is_map ? READ_FIRST_KEY : READ_FIRST_VALUE;
  text->at++;
  return STREAM_ON;
}

static void value_over(JsonReader *reader, bool is_sequence) {
  if (reader->depth > 0)
    reader->want = READ_MORE;
  else
    reader->want = is_sequence ? READ_VALUE : READ_END;
}

static ReaderStep pass_close(Streaming *stream) {
  JsonReader *reader = stream->reader;
  const ReaderLevel *level = &reader->levels[reader->depth - 1];
  if (level->is_map && !keep_open(stream, reader->depth - 1, csp_nil()))
    return STREAM_WRONG;
  reader->key_bytes -= level->key_bytes;
  reader->depth--;
  value_over(reader, false);
  stream->text.at++;
  return STREAM_ON;
}

// --- Values -----------------------------------------------------------------
static size_t path_len(const Streaming *stream) {
  return csp_list_len(stream->steps);
}

// Whether the path leads from the level to its key, or its next element.
static bool leads_to(const Streaming *stream, const ReaderLevel *level,
                     const Str *key) {
  size_t n = stream->reader->depth - 1;
  if (!level->on_path || n >= path_len(stream)) return false;
  CspValue step = csp_list_get(stream->steps, n);
  if (key == NULL)
    return csp_type(step) == CSP_INT &&
           csp_to_int(step) == (int64_t)level->index;
  if (csp_type(step) != CSP_STRING) return false;
  Str name = str_of(step);
  return name.len == key->len && memcmp(name.data, key->data, key->len) == 0;
}

static bool stream_word(JsonText *text, CspValue *v) {
  static const char *const words[] = {"true", "false", "null"};
  const CspValue values[] = {csp_bool(true), csp_bool(false), csp_nil()};
  for (size_t n = 0; n < sizeof words / sizeof *words; n++) {
    size_t len = strlen(words[n]);
    if (strncmp(text->at, words[n], len) != 0) continue;
    text->at += len;
    *v = values[n];
    return true;
  }
  return json_refuse_other(text, "a value");
}

// A value that is no list and no map. It is made if somebody wants it.
static ReaderStep stream_scalar(Streaming *stream, bool is_wanted) {
  JsonText *text = &stream->text;
  CspValue passed, *v = is_wanted ? &stream->value : &passed;
  size_t len;
  char c = *text->at;
  ReaderStep step = find_token(stream, &len);
  if (step != STREAM_ON) return step;
  bool fine;
  if (c == '"') {
    text->at++;
    fine = is_wanted ? json_string(text, v) : json_pass_string(text);
  } else if (c == '-' || (unsigned char)(c - '0') < 10) {
    fine = json_number(text, v);
  } else {
    fine = stream_word(text, v);
  }
  return fine ? STREAM_ON : STREAM_WRONG;
}

// A list or a map that is wanted, as text.
static ReaderStep stream_text(Streaming *stream) {
  JsonText *text = &stream->text;
  size_t len;
  ReaderStep step = find_token(stream, &len);
  if (step != STREAM_ON) return step;
  stream->value = csp_string(text->call, text->begin, len);
  if (csp_is_undef(stream->value)) text->fail = JSON_NO_MEMORY;
  text->at += len;
  return text->fail == JSON_FINE ? STREAM_TEXT : STREAM_WRONG;
}

static ReaderStep stream_value(Streaming *stream) {
  JsonReader *reader = stream->reader;
  JsonText *text = &stream->text;
  bool is_text = *text->at == '[' || *text->at == '{';
  ReaderStep step = is_text ? stream_text(stream) : stream_scalar(stream, true);
  if (step == STREAM_FEED || step == STREAM_WRONG) return step;
  // Numbers and words that follow one another need something between them.
  if (reader->depth == 0 && reader->frame.mode == FRAME_SCALAR &&
      text->at < text->begin + reader->frame.at) {
    json_refuse_other(text, "a blank");
    return STREAM_WRONG;
  }
  stream->line = reader->line;
  stream->column = reader->column;
  if (reader->depth > 0)
    stream->index = reader->levels[reader->depth - 1].index++;
  value_over(reader, reader->depth == 0);
  return is_text ? STREAM_TEXT : STREAM_VALUE;
}

static ReaderStep step_value(Streaming *stream) {
  JsonReader *reader = stream->reader;
  JsonText *text = &stream->text;
  uint32_t depth = reader->depth;
  ReaderLevel *level = depth > 0 ? &reader->levels[depth - 1] : NULL;
  bool whole = csp_type(stream->steps) == CSP_NIL;
  if (level != NULL ? level->is_wanted : whole) return stream_value(stream);
  bool on_path = level == NULL   ? true
                 : level->is_map ? level->value_on
                                 : leads_to(stream, level, NULL);
  bool is_wanted = on_path && depth == path_len(stream);
  if (is_wanted && *text->at != '[') {
    json_refuse_other(text,
                      depth > 0 ? "a list" : "a list (unless `path` is nil)");
    return STREAM_WRONG;
  }
  bool opens = *text->at == '[' || *text->at == '{';
  ReaderStep step = opens ? pass_open(stream, on_path, is_wanted)
                          : stream_scalar(stream, false);
  if (step == STREAM_ON && level != NULL) level->index++;
  if (step == STREAM_ON && !opens) value_over(reader, false);
  return step;
}

// The key goes to those of its map.
static bool note_key(Streaming *stream, CspValue key) {
  JsonReader *reader = stream->reader;
  JsonText *text = &stream->text;
  ReaderLevel *level = &reader->levels[reader->depth - 1];
  CspValue keys = csp_list_get(stream->open, reader->depth - 1);
  size_t cost = str_of(key).len + 2, count = csp_map_len(keys);
  if (reader->key_bytes + cost > reader->most) {
    json_refuse(text, text->begin,
                "the keys of the maps that are open take more than %zu bytes "
                "(the argument `most`)",
                reader->most);
    text->code = "limit";
    return false;
  }
  if (!csp_map_set(text->call, keys, key, csp_nil())) {
    text->fail = JSON_PANICKED;
    return false;
  }
  if (csp_map_len(keys) == count) return json_refuse_key(text, 0, str_of(key));
  level->key_bytes += cost;
  reader->key_bytes += cost;
  return true;
}

static ReaderStep step_key(Streaming *stream) {
  JsonReader *reader = stream->reader;
  JsonText *text = &stream->text;
  ReaderLevel *level = &reader->levels[reader->depth - 1];
  CspValue key;
  size_t len;
  if (*text->at != '"') {
    json_refuse_other(text, "a key in quotes");
    return STREAM_WRONG;
  }
  ReaderStep step = find_token(stream, &len);
  if (step != STREAM_ON) return step;
  text->at++;
  if (!json_string(text, &key) || !note_key(stream, key)) return STREAM_WRONG;
  Str name = str_of(key);
  level->value_on = leads_to(stream, level, &name);
  reader->want = READ_COLON;
  return STREAM_ON;
}

static ReaderStep step_sign(Streaming *stream, char c) {
  JsonReader *reader = stream->reader;
  JsonText *text = &stream->text;
  if (reader->want == READ_COLON) {
    if (c != ':') json_refuse_other(text, "a colon");
    reader->want = READ_VALUE;
  } else {
    bool is_map = reader->levels[reader->depth - 1].is_map;
    if (c == (is_map ? '}' : ']')) return pass_close(stream);
    if (c != ',')
      json_refuse_other(text, is_map ? "a comma or }" : "a comma or ]");
    reader->want = is_map ? READ_KEY : READ_VALUE;
  }
  text->at++;
  return text->fail == JSON_FINE ? STREAM_ON : STREAM_WRONG;
}

// --- All of it --------------------------------------------------------------
static ReaderStep step_end(Streaming *stream) {
  const JsonReader *reader = stream->reader;
  JsonText *text = &stream->text;
  bool is_map = reader->depth > 0 && reader->levels[reader->depth - 1].is_map;
  bool between = reader->depth == 0 && csp_type(stream->steps) == CSP_NIL;
  switch (reader->want) {
    case READ_END:
      return STREAM_END;
    case READ_KEY:
    case READ_FIRST_KEY:
      json_refuse_other(text, "a key in quotes");
      return STREAM_WRONG;
    case READ_COLON:
      json_refuse_other(text, "a colon");
      return STREAM_WRONG;
    case READ_MORE:
      json_refuse_other(text, is_map ? "a comma or }" : "a comma or ]");
      return STREAM_WRONG;
    case READ_VALUE:
    case READ_FIRST_VALUE:
      break;
  }
  if (between) return STREAM_END;
  json_refuse_other(text, "a value");
  return STREAM_WRONG;
}

static ReaderStep step_token(Streaming *stream, char c) {
  switch (stream->reader->want) {
    case READ_FIRST_VALUE:
      return c == ']' ? pass_close(stream) : step_value(stream);
    case READ_VALUE:
      return step_value(stream);
    case READ_FIRST_KEY:
      return c == '}' ? pass_close(stream) : step_key(stream);
    case READ_KEY:
      return step_key(stream);
    case READ_END:
      json_refuse_other(&stream->text, "nothing more");
      return STREAM_WRONG;
    case READ_COLON:
    case READ_MORE:
      break;
  }
  return step_sign(stream, c);
}

// Blanks, and the next token or value.
static ReaderStep reader_step(Streaming *stream) {
  enum { CHARACTER = 4 };
  const JsonReader *reader = stream->reader;
  JsonText *text = &stream->text;
  if (!json_blanks(text)) return STREAM_WRONG;
  if (text->at > text->begin) pass_read(stream);
  size_t left = (size_t)(text->end - text->at);
  if (left == 0) return reader->window.ended ? step_end(stream) : STREAM_FEED;
  bool ascii = (unsigned char)*text->at < 0x80;
  if (!ascii && left < CHARACTER && !reader->window.ended) return STREAM_FEED;
  ReaderStep step = step_token(stream, *text->at);
  if (step != STREAM_FEED && step != STREAM_WRONG) pass_read(stream);
  return step;
}

static CspStatus reader_wrong(Streaming *stream) {
  JsonText *text = &stream->text;
  if (text->fail == JSON_NO_MEMORY) return csp_panic_memory(text->call);
  if (text->fail == JSON_PANICKED) return CSP_PANIC;
  csp_return(text->call, csp_int(text->call, STREAM_WRONG));
  size_t line = stream->reader->line, column = stream->reader->column;
  move_place(text->begin, text->wrong, &line, &column);
  if (json_refused(text, line, column) != CSP_OK) return CSP_PANIC;
  csp_return(text->call, csp_nil());
  return csp_ok(text->call, csp_nil());
}

// _next(reader, steps, open) gives a ReaderStep and more. That is a value or
// its text, with its line, column and index. It is nil and an error for what is
// wrong, and at the end whether the list was found.
static CspStatus reader_next(CspCall *call) {
  JsonReader *reader = need_reader(call);
  if (reader == NULL) return CSP_PANIC;
  Streaming stream = {.reader = reader,
                      .steps = csp_arg(call, 1),
                      .open = csp_arg(call, 2),
                      .value = csp_nil()};
  const char *begin = window_begin(&reader->window);
  stream.text = (JsonText){.call = call, .begin = begin, .at = begin};
  stream.text.end = begin + window_left(&reader->window);
  ReaderStep step;
  do {
    step = reader_step(&stream);
    if (step == STREAM_WRONG) return reader_wrong(&stream);
    if (reader->unpaid < UNPAID_MOST) continue;
    uint64_t units = reader->unpaid;
    reader->unpaid = 0;
    if (step == STREAM_ON && !csp_work(call, units)) return CSP_PANIC;
  } while (step == STREAM_ON);
  csp_return(call, csp_int(call, step));
  csp_return(call, step == STREAM_END ? csp_bool(reader->found) : stream.value);
  csp_return(call, csp_int(call, (int64_t)stream.line));
  csp_return(call, csp_int(call, (int64_t)stream.column));
  return csp_ok(call, csp_int(call, (int64_t)stream.index));
}

CspStatus json_reader(CspCall *call) {
  int64_t most;
  void *data = NULL;
  if (!need_int_in(call, 0, 1, INT64_MAX / 4, &most)) return CSP_PANIC;
  CspValue v = csp_host_new(call, &json_reader_class, &data);
  if (csp_is_undef(v)) return csp_panic_memory(call);
  JsonReader *reader = data;
  reader->line = reader->column = 1;
  reader->most = (size_t)most;
  return csp_ok(call, v);
}

const CspFunction json_reader_methods[] = {
    CSP_REPEATABLE,
    {"_feed", "reader, piece, at", reader_feed},
    {"_next", "reader, steps, open", reader_next},
    {"_end", "reader", reader_end},
    {NULL, NULL, NULL},
};
