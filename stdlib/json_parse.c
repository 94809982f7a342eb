// SPDX-License-Identifier: MIT
// json.parse: the value of a JSON text.
//
// The lists and maps that are open are levels. What was read of a level waits
// on one stack of values, keys and values in turn for a map. At its end a level
// is made at once, in its right size. There are two cases in which values leave
// the stack before: it is full, or a piece ends (csp_again). Then each level is
// made that is not, is put into the one around it, and takes the values that
// wait for it.
//
// What always holds:
//   - The stack is at most JSON_STACK values, whatever the text is.
//   - A level that is made has been put into the one around it, so all that was
//     made can be reached from the root between two pieces. A piece ends after
//     a comma, where no key waits for its value, or within a long string. If
//     that is a value its key is kept beside the stack.
//   - While a level is open nothing is added to the ones around it. So when a
//     level that is not made ends, its values are the last ones on the stack.
//   - Nobody else sees any of the lists and maps before all is read.
// Belongs to one native call.
#include "stdlib/json.h"

enum {
  JSON_STACK = 2048,
  JSON_ROOM = JSON_STACK - JSON_DEPTH - 8,  // beyond it, the stack is emptied
  JSON_LOOK = 1 << 12,                      // bytes of text
  JSON_BYTE_NS = 4,
  JSON_KEPT = 3,
  SEEN = 16,  // bytes that say why a token is wrong
#ifdef CSP_DEBUG
  WINDOW_SIZE = 64,
  WINDOW_AHEAD = 16
#else
  WINDOW_SIZE = 1 << 16,
  WINDOW_AHEAD = 1 << 12
#endif
};

typedef enum JsonWant {
  WANT_VALUE,
  WANT_FIRST_VALUE,  // or the list's end
  WANT_KEY,
  WANT_FIRST_KEY,  // or the map's end
  WANT_COLON,
  WANT_MORE,  // a comma, or an end
  WANT_END,   // of the text
  WANT_NOTHING
} JsonWant;

// A list or map that is open.
typedef struct JsonLevel {
  CspValue made;  // if is_made
  size_t begin;   // bytes of the text before it
  uint32_t from;  // where its values begin on the stack
  bool is_made, is_map;
} JsonLevel;

// A part of bytes, and a NUL after it.
typedef struct JsonWindow {
  char *data;  // NULL: the text is a string
  size_t cap;
  bool is_last;
} JsonWindow;

typedef struct JsonParser {
  JsonText text;
  JsonWindow window;
  size_t len;     // of the text
  size_t looked;  // up to where the text was charged
  JsonWant want;
  bool spent;     // the piece is to end
  bool guessed;   // how long a list becomes
  CspValue root;  // the outermost list or map once it is made; or the value
  CspValue key;   // of the long string, or nil
  size_t key_at;  // where it stands, or the key that is read
  bool in_long;   // the piece ends within a long string
  JsonLong string;
  uint32_t depth, count;
  uint32_t deepest;  // that may be open
  JsonLevel levels[JSON_DEPTH];
  CspValue values[JSON_STACK];
  size_t keys[JSON_STACK];  // where the key stands that is a value
} JsonParser;

// What is kept between two pieces.
typedef struct JsonJob {
  CspValue root, key, made;
  JsonParser *parser;
} JsonJob;

static bool parser_fail(JsonParser *parser, JsonFail fail) {
  parser->text.fail = fail;
  return false;
}

// --- Levels -----------------------------------------------------------------
// How long a list becomes of which so many values are read: as if the rest of
// the text were more of them. A wrong guess costs memory, so there is one for
// each text.
static size_t guess_len(JsonParser *parser, const JsonLevel *level,
                        size_t count) {
  enum { ENOUGH = 512 };
  if (parser->guessed || count < ENOUGH) return count;
  parser->guessed = true;
  size_t at = json_offset(&parser->text, parser->text.at);
  size_t rest = parser->len > at ? parser->len - at : 0;  // others may cut it
  return count + rest / ((at - level->begin) / count);
}

static bool make_json(JsonParser *parser, JsonLevel *level, size_t count,
                      size_t about) {
  CspCall *call = parser->text.call;
  level->made = level->is_map ? csp_map(call, count / 2)
                              : csp_list_growing(call, count, about);
  level->is_made = true;
  if (csp_is_undef(level->made)) return parser_fail(parser, JSON_NO_MEMORY);
  return true;
}

// The key that is value number `at` gets its value.
static bool put_pair(JsonParser *parser, CspValue map, uint32_t at,
                     CspValue value) {
  size_t len = csp_map_len(map);
  if (!csp_map_set(parser->text.call, map, parser->values[at], value))
    return parser_fail(parser, JSON_PANICKED);
  return csp_map_len(map) > len ||
         json_refuse_key(&parser->text, parser->keys[at],
                         str_of(parser->values[at]));
}

// The values [from, end) of the stack go into the level, which is made.
static bool put_values(JsonParser *parser, const JsonLevel *level,
                       uint32_t from, uint32_t end) {
  const CspValue *values = parser->values;
  if (!level->is_map)
    return csp_list_append(parser->text.call, level->made, &values[from],
                           end - from) ||
           parser_fail(parser, JSON_PANICKED);
  for (uint32_t at = from; at < end; at += 2)
    if (!put_pair(parser, level->made, at, values[at + 1])) return false;
  return true;
}

// Level number n goes into the one around it, whose last key is its own.
static bool attach_json(JsonParser *parser, uint32_t n) {
  const JsonLevel *level = &parser->levels[n], *around = level - 1;
  if (n == 0) {
    parser->root = level->made;
    return true;
  }
  if (around->is_map)
    return put_pair(parser, around->made, level->from - 1, level->made);
  return csp_list_push(parser->text.call, around->made, level->made) ||
         parser_fail(parser, JSON_PANICKED);
}

// Level number n, which is open, has so many values so far.
static bool begin_made(JsonParser *parser, uint32_t n, size_t count) {
  JsonLevel *level = &parser->levels[n];
  size_t about = level->is_map ? count : guess_len(parser, level, count);
  return make_json(parser, level, count, about) && attach_json(parser, n);
}

// Empties the stack. The innermost level has no key that waits for its value.
static bool settle_json(JsonParser *parser) {
  for (uint32_t n = 0; n < parser->depth; n++) {
    JsonLevel *level = &parser->levels[n], *inner = level + 1;
    bool innermost = n + 1 == parser->depth;
    uint32_t end = innermost ? parser->count : inner->from;
    if (!innermost && level->is_map && !inner->is_made) end--;
    if (!level->is_made && !begin_made(parser, n, end - level->from))
      return false;
    if (!put_values(parser, level, level->from, end)) return false;
  }
  for (uint32_t n = 0; n < parser->depth; n++) parser->levels[n].from = 0;
  parser->count = 0;
  return true;
}

static bool open_json(JsonParser *parser, bool is_map) {
  JsonText *text = &parser->text;
  if (parser->depth == parser->deepest)
    return json_refuse(text, text->at, "nested more than %d deep",
                       (int)JSON_DEPTH);
  parser->levels[parser->depth++] =
      (JsonLevel){.begin = json_offset(text, text->at),
                  .from = parser->count,
                  .is_map = is_map};
  text->at++;
  parser->want = is_map ? WANT_FIRST_KEY : WANT_FIRST_VALUE;
  return true;
}

// --- Windows ----------------------------------------------------------------
// Bytes are read through a window, because others may change them. It is
// refilled before less than WINDOW_AHEAD bytes are ahead, so a token that comes
// to its end is longer than that, and no bracket or comma. Such a token is read
// again in a larger window. But a string goes on where it was.

// A window of that size begins at `at`, of which *left bytes are there. false:
// it failed.
static bool move_window(JsonParser *parser, size_t cap, size_t *left) {
  JsonText *text = &parser->text;
  JsonWindow *window = &parser->window;
  char *data = window->data;
  *left = (size_t)(text->end - text->at);
  if (*left > 0) memmove(data, text->at, *left);
  if (!csp_work(text->call, text->at > data ? *left / 8 : 0))
    return parser_fail(parser, JSON_PANICKED);
  if (cap <= window->cap) return true;
  if (cap - window->cap <= csp_room(text->call))
    data = csp_alloc(csp_of(text->call), data, cap + 1);
  else
    data = NULL;
  if (data == NULL) return parser_fail(parser, JSON_NO_MEMORY);
  window->data = data;
  window->cap = cap;
  return true;
}

// The text from `at` on, in a window of that size, with at most so many more of
// its bytes. false: it failed.
static bool fill_window(JsonParser *parser, size_t cap, size_t most) {
  JsonText *text = &parser->text;
  JsonWindow *window = &parser->window;
  size_t from = json_offset(text, text->at), left;
  if (!move_window(parser, cap, &left)) return false;
  size_t wanted = window->cap - left < most ? window->cap - left : most;
  size_t count = csp_bytes_read(csp_arg(text->call, 0), from + left,
                                window->data + left, wanted);
  window->data[left + count] = '\0';
  window->is_last = count < wanted;
  text->base = from;
  text->begin = text->at = window->data;
  text->end = window->data + left + count;
  text->ahead = window->is_last ? 0 : SEEN;
  return csp_work(text->call, count / 8) || parser_fail(parser, JSON_PANICKED);
}

// Whether the paused string's end is looked for where the window ends.
static bool is_window_read(const JsonParser *parser) {
  const JsonText *text = &parser->text;
  size_t left = (size_t)(text->end - parser->string.at);
  return parser->string.to == NULL && left < text->ahead;
}

// More of the string, which the window holds from its quote on.
static bool more_of_long(JsonParser *parser) {
  JsonText *text = &parser->text;
  JsonLong *string = &parser->string;
  size_t cap = parser->window.cap,
         seen = (size_t)(string->at - string->raw.from);
  text->at = string->raw.from - 1;
  if ((size_t)(text->end - text->at) + WINDOW_AHEAD > cap) cap *= 2;
  if (!fill_window(parser, cap, WINDOW_SIZE)) return false;
  string->raw.from = ++text->at;
  string->at = text->at + seen;
  return true;
}

// --- Values -----------------------------------------------------------------
static bool take_json(JsonParser *parser, CspValue v) {
  parser->want = parser->depth > 0 ? WANT_MORE : WANT_END;
  if (parser->depth > 0)
    parser->values[parser->count++] = v;
  else
    parser->root = v;
  return true;
}

static bool close_json(JsonParser *parser) {
  JsonLevel *level = &parser->levels[parser->depth - 1];
  uint32_t from = level->from, end = parser->count;
  bool was_made = level->is_made;
  size_t count = end - from;
  if (!was_made && !make_json(parser, level, count, count)) return false;
  if (!put_values(parser, level, from, end)) return false;
  parser->text.at++;
  parser->count = from;
  parser->depth--;
  if (!was_made) return take_json(parser, level->made);
  parser->want = parser->depth > 0 ? WANT_MORE : WANT_END;
  return true;
}

static bool read_word(JsonParser *parser, const char *word, CspValue v) {
  JsonText *text = &parser->text;
  size_t len = strlen(word);
  if (strncmp(text->at, word, len) != 0)
    return json_refuse_other(text, "a value");
  text->at += len;
  return take_json(parser, v);
}

static bool read_colon(JsonParser *parser) {
  JsonText *text = &parser->text;
  if (*text->at != ':') return json_refuse_other(text, "a colon");
  text->at++;
  parser->want = WANT_VALUE;
  return true;
}

// The key at key_at is read. In bytes the colon may not be there yet.
static bool take_key(JsonParser *parser, CspValue key) {
  parser->keys[parser->count] = parser->key_at;
  parser->values[parser->count++] = key;
  parser->want = WANT_COLON;
  if (parser->window.data != NULL) return true;
  return json_blanks(&parser->text) && read_colon(parser);
}

static bool is_key_wanted(const JsonParser *parser) {
  return parser->want == WANT_KEY || parser->want == WANT_FIRST_KEY;
}

static bool take_json_string(JsonParser *parser, CspValue v) {
  return is_key_wanted(parser) ? take_key(parser, v) : take_json(parser, v);
}

// The piece ends within a string. Where that has a key, the key is the last
// value on the stack.
static bool leave_long(JsonParser *parser) {
  uint32_t depth = parser->depth;
  bool in_map = depth > 0 && parser->levels[depth - 1].is_map;
  parser->spent = parser->in_long = true;
  parser->key = csp_nil();
  if (in_map && !is_key_wanted(parser)) {
    parser->key = parser->values[--parser->count];
    parser->key_at = parser->keys[parser->count];
  }
  return settle_json(parser);
}

// A string was paused in this piece, or in the last one: `resumed`. Each piece
// reads one part at least. false: it is paused again, or it failed.
static __attribute__((noinline)) bool read_long(JsonParser *parser,
                                                bool resumed) {
  JsonText *text = &parser->text;
  CspValue v;
  while (resumed || text->fail == JSON_PAUSED) {
    text->fail = JSON_FINE;
    if (!resumed && csp_spent(text->call, parser->string.took))
      return leave_long(parser);
    resumed = false;
    if (is_window_read(parser) && !more_of_long(parser)) return false;
    if (!json_string_on(text, &v)) continue;
    parser->string.made = csp_nil();
    parser->looked = json_offset(text, text->at);
    return take_json_string(parser, v);
  }
  return false;
}

// On with the string in the next piece.
static bool resume_long(JsonParser *parser) {
  if (csp_type(parser->key) == CSP_STRING) {
    parser->keys[parser->count] = parser->key_at;
    parser->values[parser->count++] = parser->key;
  }
  parser->key = csp_nil();
  parser->in_long = false;
  return read_long(parser, true);
}

static inline bool read_json_string(JsonParser *parser) {
  JsonText *text = &parser->text;
  CspValue v;
  text->at++;
  parser->string.to = NULL;
  bool fine = json_string(text, &v);
  return fine ? take_json_string(parser, v) : read_long(parser, false);
}

static bool read_value(JsonParser *parser, char first) {
  CspValue v;
  switch (first) {
    case '"':
      return read_json_string(parser);
    case '{':
    case '[':
      return open_json(parser, first == '{');
    case 't':
      return read_word(parser, "true", csp_bool(true));
    case 'f':
      return read_word(parser, "false", csp_bool(false));
    case 'n':
      return read_word(parser, "null", csp_nil());
    default:
      if (first != '-' && (unsigned char)(first - '0') >= 10)
        return json_refuse_other(&parser->text, "a value");
      return json_number(&parser->text, &v) && take_json(parser, v);
  }
}

static bool read_key(JsonParser *parser) {
  JsonText *text = &parser->text;
  if (*text->at != '"') return json_refuse_other(text, "a key in quotes");
  parser->key_at = json_offset(text, text->at);
  return read_json_string(parser);
}

// --- All of it --------------------------------------------------------------
// After a comma: what was read is charged, and the piece ends if it is time.
static bool json_look(JsonParser *parser) {
  JsonText *text = &parser->text;
  if (parser->count >= JSON_ROOM && !settle_json(parser)) return false;
  size_t at = json_offset(text, text->at), len = at - parser->looked;
  if (len < JSON_LOOK) return true;
  parser->looked = at;
  parser->spent = csp_spent(text->call, len * JSON_BYTE_NS);
  return !parser->spent || settle_json(parser);
}

static bool read_more(JsonParser *parser, char c) {
  bool is_map = parser->levels[parser->depth - 1].is_map;
  if (c == ',') {
    parser->text.at++;
    parser->want = is_map ? WANT_KEY : WANT_VALUE;
    return json_look(parser);
  }
  if (c == (is_map ? '}' : ']')) return close_json(parser);
  return json_refuse_other(&parser->text,
                           is_map ? "a comma or }" : "a comma or ]");
}

static bool read_json_end(JsonParser *parser) {
  JsonText *text = &parser->text;
  parser->want = WANT_NOTHING;
  return text->at == text->end || json_refuse_other(text, "nothing more");
}

// The next token. false: the text is wrong, or it failed.
static bool read_next(JsonParser *parser) {
  if (!json_blanks(&parser->text)) return false;
  char c = *parser->text.at;
  switch (parser->want) {
    case WANT_FIRST_VALUE:
      return c == ']' ? close_json(parser) : read_value(parser, c);
    case WANT_VALUE:
      return read_value(parser, c);
    case WANT_FIRST_KEY:
      return c == '}' ? close_json(parser) : read_key(parser);
    case WANT_KEY:
      return read_key(parser);
    case WANT_COLON:
      return read_colon(parser);
    case WANT_MORE:
      return read_more(parser, c);
    case WANT_END:
    case WANT_NOTHING:
      break;
  }
  return read_json_end(parser);
}

// --- Tokens at a window's end -----------------------------------------------
// Whether the token could go on after the window's end, or be right. (A number
// is refused at its beginning, but has been read.)
static bool needs_more(const JsonText *text, bool fine) {
  if (fine) return text->at == text->end && text->at[-1] != '"';
  if (text->fail != JSON_WRONG) return false;
  return text->at == text->end ||
         text->wrong + SEEN > json_offset(text, text->end);
}

static bool read_whole_token(JsonParser *parser) {
  JsonText *text = &parser->text;
  const JsonWindow *window = &parser->window;
  uint32_t count = parser->count;
  JsonWant want = parser->want;
  for (;;) {
    size_t at = (size_t)(text->at - text->begin);
    bool fine = read_next(parser);
    if (window->is_last || !needs_more(text, fine)) return fine;
    text->at = text->begin + at;
    text->fail = JSON_FINE;
    parser->count = count;
    parser->want = want;
    size_t cap = 2 * window->cap;
    if (!fill_window(parser, cap, cap)) return false;
  }
}

static bool read_windowed(JsonParser *parser) {
  JsonText *text = &parser->text;
  const JsonWindow *window = &parser->window;
  for (;;) {
    if (!json_blanks(text)) return false;
    if (window->is_last || text->end - text->at >= WINDOW_AHEAD)
      return read_whole_token(parser);
    size_t cap = window->cap < WINDOW_SIZE ? WINDOW_SIZE : window->cap;
    if (!fill_window(parser, cap, WINDOW_SIZE)) return false;
  }
}

// --- Pieces -----------------------------------------------------------------
// The place of what is wrong. false: given up.
static bool find_place(JsonParser *parser, size_t *line, size_t *column) {
  const JsonText *text = &parser->text;
  const JsonWindow *window = &parser->window;
  size_t most = window->cap > 0 ? window->cap : JSON_PART;
  *line = (size_t)csp_to_int(csp_arg(text->call, 1));
  *column = (size_t)csp_to_int(csp_arg(text->call, 2));
  for (size_t at = 0; at < text->wrong;) {
    size_t len = text->wrong - at < most ? text->wrong - at : most;
    const char *from = window->data != NULL ? window->data : text->begin + at;
    if (window->data != NULL)
      len = csp_bytes_read(csp_arg(text->call, 0), at, window->data, len);
    move_place(from, len, line, column);
    at += len;
    if (len == 0) break;  // others have cut the bytes
    if (!csp_work(text->call, len)) return false;
  }
  return true;
}

static CspStatus parsed(JsonParser *parser) {
  CspCall *call = parser->text.call;
  size_t line, column;
  switch (parser->text.fail) {
    case JSON_FINE:
      return csp_ok_value(call, parser->root);
    case JSON_WRONG:
      if (!find_place(parser, &line, &column)) return CSP_PANIC;
      return json_refused(&parser->text, line, column);
    case JSON_NO_MEMORY:
      return csp_panic_memory(call);
    case JSON_PANICKED:
    case JSON_PAUSED:
      break;
  }
  return CSP_PANIC;
}

static CspStatus parse_end(JsonParser *parser, CspStatus status) {
  csp_alloc_free(parser->window.data);
  csp_alloc_free(parser);
  return status;
}

static CspStatus parse_on(CspCall *call, void *data, bool on) {
  JsonJob *job = data;
  JsonParser *parser = job->parser;
  bool windowed = parser->window.data != NULL;
  parser->text.call = call;
  parser->spent = false;
  bool fine = on && (!parser->in_long || resume_long(parser));
  while (fine && !parser->spent && parser->want != WANT_NOTHING)
    fine = windowed ? read_windowed(parser) : read_next(parser);
  if (on && parser->spent && parser->text.fail == JSON_FINE) {
    job->root = parser->root;
    job->key = parser->key;
    job->made = parser->string.made;
    return csp_again(call, parse_on, job, sizeof *job, JSON_KEPT);
  }
  return parse_end(parser, on ? parsed(parser) : CSP_PANIC);
}

CspStatus json_parse(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  CspType type = csp_type(v);
  if (type == CSP_NO_MEMORY) return csp_panic_memory(call);
  if (type != CSP_STRING && type != CSP_BYTES)
    return csp_bad_arg(call, 0, "a string or bytes");
  JsonParser *parser = csp_alloc(csp_of(call), NULL, sizeof *parser);
  if (parser == NULL) return csp_panic_memory(call);
  Str s = type == CSP_STRING ? str_of(v) : (Str){"", 0};
  parser->text = (JsonText){
      .call = call, .begin = s.data, .at = s.data, .paused = &parser->string};
  parser->text.end = s.data + s.len;
  parser->window = (JsonWindow){NULL, 0, false};
  parser->deepest = JSON_DEPTH - (uint32_t)csp_to_int(csp_arg(call, 3));
  parser->looked = 0;
  parser->guessed = false;
  parser->want = WANT_VALUE;
  parser->root = parser->key = parser->string.made = csp_nil();
  parser->in_long = false;
  parser->depth = parser->count = 0;
  size_t len = type == CSP_BYTES ? csp_bytes_len(v) : s.len;
  parser->len = len;
  if (type == CSP_BYTES &&
      !fill_window(parser, len < WINDOW_SIZE ? len + 1 : WINDOW_SIZE,
                   WINDOW_SIZE))
    return parse_end(parser, parsed(parser));
  JsonJob job = {parser->root, parser->key, parser->string.made, parser};
  return parse_on(call, &job, true);
}
