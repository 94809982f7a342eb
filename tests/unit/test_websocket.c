// SPDX-License-Identifier: MIT
// The reader of WebSocket frames gives the same for the same bytes, however
// they are cut: whole, byte by byte, and in two at each place. The cases are
// those of the Autobahn test suite, sections 1 to 7, with what RFC 6455 says of
// each. A frame is its first byte and its payload, and the test adds the length
// and the mask.
#include "stdlib/websocket.h"

#include "embed_fixture.h"

enum { INPUT_MOST = 1 << 18, SHOWN_MOST = 512, MESSAGE_LIMIT = 100000 };

// frames: words. `81'Hello` is a frame with that text, `81+c3a9` one with these
// bytes, `81*126` one with so many stars, and `=81058` raw bytes, for which
// there is no mask. events: what is read, as show_event writes it.
typedef struct Case {
  const char *name, *frames, *events;
} Case;

static const Case cases[] = {
    {"1.1.1", "81", "1: "},
    {"1.1.2", "81*125", "1:#125 "},
    {"1.1.3", "81*126", "1:#126 "},
    {"1.1.4", "81*127", "1:#127 "},
    {"1.1.5", "81*128", "1:#128 "},
    {"1.1.6", "81*65535", "1:#65535 "},
    {"1.1.7", "81*65536", "1:#65536 "},
    {"1.2.1", "82", "2: "},
    {"1.2.2", "82*125", "2:#125 "},
    {"1.2.3", "82+00fffefdfcfb00ff", "2:%00%ff%fe%fd%fc%fb%00%ff "},
    {"1.2.7", "82*65536", "2:#65536 "},
    {"2.1", "89", "9: "},
    {"2.2", "89'Hello", "9:Hello "},
    {"2.3", "89+00fffefdfcfb00ff", "9:%00%ff%fe%fd%fc%fb%00%ff "},
    {"2.4", "89*125", "9:#125 "},
    {"2.5", "89*126", "!1002"},
    {"2.7", "8a", "10: "},
    {"2.8", "8a'unsolicited", "10:unsolicited "},
    {"2.9", "8a'x 89'y", "10:x 9:y "},
    {"2.10", "89'1 89'2 89'3 89'4", "9:1 9:2 9:3 9:4 "},
    {"3.1", "91'Hello", "!1002"},
    {"3.2", "81'Hello a1'Hello 89", "1:Hello !1002"},
    {"3.3", "81'Hello b1'Hello 89", "1:Hello !1002"},
    {"3.4", "81'Hello c1'Hello 89", "1:Hello !1002"},
    {"3.5", "d2+00ff", "!1002"},
    {"3.6", "e9'Hello", "!1002"},
    {"3.7", "f8", "!1002"},
    {"4.1.1", "83", "!1002"},
    {"4.1.2", "84'payload", "!1002"},
    {"4.1.3", "81'Hello 85 89", "1:Hello !1002"},
    {"4.1.4", "81'Hello 86'payload 89", "1:Hello !1002"},
    {"4.1.5", "81'Hello 87'payload 89", "1:Hello !1002"},
    {"4.2.1", "8b", "!1002"},
    {"4.2.2", "8c'payload", "!1002"},
    {"4.2.3", "81'Hello 8d 89", "1:Hello !1002"},
    {"4.2.4", "81'Hello 8e'payload 89", "1:Hello !1002"},
    {"4.2.5", "81'Hello 8f'payload 89", "1:Hello !1002"},
    {"5.1", "09'fragment1 80'fragment2", "!1002"},
    {"5.2", "0a'fragment1 80'fragment2", "!1002"},
    {"5.3", "01'one 80'two", "1:onetwo "},
    {"5.6", "01'one 89'ping 80'two", "9:ping 1:onetwo "},
    {"5.9", "80'non-continuation 81'Hello", "!1002"},
    {"5.10", "00'non-continuation 81'Hello", "!1002"},
    {"5.12", "00'no 80'no 81'Hello", "!1002"},
    {"5.15", "01'1 80'2 00'3 81'4", "1:12 !1002"},
    {"5.16", "00'1 01'2 80'3", "!1002"},
    {"5.18", "01'1 01'2", "!1002"},
    {"5.19", "01'1 00'2 89'a 00'3 00'4 89'b 80'5", "9:a 9:b 1:12345 "},
    {"5.20", "02'1 8a'a 00 00'2 8a'b 80", "10:a 10:b 2:12 "},
    {"6.1.1", "81", "1: "},
    {"6.1.2", "01 00 80", "1: "},
    {"6.1.3", "01 00'middle 80", "1:middle "},
    {"6.2.2", "01'Hello- 80+c2b5c39fc3b6", "1:Hello-%c2%b5%c3%9f%c3%b6 "},
    {"6.2.3", "01+c2 00+b5 00+c3 80+9f", "1:%c2%b5%c3%9f "},
    {"6.2.4", "01+ce 00+ba 00+e1 89'p 00+bd 80+b9", "9:p 1:%ce%ba%e1%bd%b9 "},
    {"6.3.1", "81+cebae1bdb9cf83cebcceb5eda080656469746564", "!1007"},
    {"6.3.2", "01+ce 00+ba 00+ed 00+a0 00+80 80+65", "!1007"},
    {"6.4.1", "01+cebae1bdb9cf83cebcceb5 00+f4908080 80'edited", "!1007"},
    {"6.4.2", "01+cebae1bdb9cf83cebcceb5f4 00+90", "!1007"},
    {"6.4.3", "=8120cebae1bdb9cf83cebcceb5f490", "!1007"},
    {"6.4.4", "=8120cebae1bdb9cf83cebcceb5ff", "!1007"},
    {"binary is no text", "82+f4908080ff", "2:%f4%90%80%80%ff "},
    {"7.1.1", "81'Hello 88", "1:Hello 8:1005: "},
    {"7.1.2", "88 88", "8:1005: "},
    {"7.1.3", "88 89", "8:1005: "},
    {"7.1.5", "01'1 88+03e8 80'2", "8:1000: "},
    {"7.3.1", "88", "8:1005: "},
    {"7.3.2", "88'a", "!1002"},
    {"7.3.3", "88+03e8", "8:1000: "},
    {"7.3.4", "88+03e848656c6c6f", "8:1000:Hello "},
    {"7.3.6", "88*126", "!1002"},
    {"7.5.1", "88+03e8cebae1bdb9cf83cebcceb5eda080", "!1007"},
    {"7.5.1 cut", "88+03e8ce", "!1007"},
    {"7.7.1", "88+03e8", "8:1000: "},
    {"7.7.2", "88+03e9", "8:1001: "},
    {"7.7.3", "88+03ea", "8:1002: "},
    {"7.7.4", "88+03eb", "8:1003: "},
    {"7.7.5", "88+03ef", "8:1007: "},
    {"7.7.6", "88+03f0", "8:1008: "},
    {"7.7.7", "88+03f1", "8:1009: "},
    {"7.7.8", "88+03f2", "8:1010: "},
    {"7.7.9", "88+03f3", "8:1011: "},
    {"7.7.10", "88+0bb8", "8:3000: "},
    {"7.7.11", "88+0f9f", "8:3999: "},
    {"7.7.12", "88+0fa0", "8:4000: "},
    {"7.7.13", "88+1387", "8:4999: "},
    {"7.9.1", "88+0000", "!1002"},
    {"7.9.2", "88+03e7", "!1002"},
    {"7.9.3", "88+03ec", "!1002"},
    {"7.9.4", "88+03ed", "!1002"},
    {"7.9.5", "88+03ee", "!1002"},
    {"7.9.6", "88+03f7", "!1002"},
    {"7.9.7", "88+03f8", "!1002"},
    {"7.9.8", "88+044c", "!1002"},
    {"7.9.9", "88+07d0", "!1002"},
    {"7.9.10", "88+0bb7", "!1002"},
    {"7.13.1", "88+1388", "!1002"},
    {"7.13.2", "88+ffff", "!1002"},
    {"two bytes for 125", "=817e007d", "!1002"},
    {"eight bytes for 65535", "=827f000000000000ffff", "!1002"},
    {"64 bits", "=827f8000000000000001", "!1002"},
    {"63 bits", "=827f7fffffffffffffff", "!1009"},
    {"at the limit", "82*100000", "2:#100000 "},
    {"over the limit", "=827f00000000000186a1", "!1009"},
    {"over it in parts", "02*99999 00*1 00*1", "!1009"},
    {"a mask", "=818500000000", "!1002"},
};

// Texts of section 6.5 to 6.23: those that are UTF-8, and those that are not.
static const char *const good_texts[] = {"ceba",
                                         "cebae1bdb9",
                                         "cebae1bdb9cf83cebcceb5",
                                         "00",
                                         "c280",
                                         "e0a080",
                                         "f0908080",
                                         "7f",
                                         "dfbf",
                                         "efbfbf",
                                         "f48fbfbf",
                                         "ed9fbf",
                                         "ee8080",
                                         "efbfbd",
                                         "f48fbfbf",
                                         "efbfbe",
                                         "f09fbfbe",
                                         "f3bfbfbf",
                                         "f0a0818b61c3a9",
                                         "",
                                         "6161616161616161616161c3a9"};
static const char *const bad_texts[] = {
    "ce",       "cebae1",       "cebae1bd",     "cebae1bdb9cf",
    "f8888080", "fc84808080",   "f7bfbfbf",     "fbbfbfbfbf",
    "f4908080", "80",           "bf",           "80bf80bf",
    "c020",     "c320",         "e08020",       "e18020",
    "f0908020", "f1808020",     "c3",           "e0a0",
    "f09080",   "fe",           "ff",           "fefeffff",
    "c0af",     "e080af",       "f08080af",     "c1bf",
    "e09fbf",   "f08fbfbf",     "c080",         "e08080",
    "f0808080", "eda080",       "edadbf",       "edae80",
    "edbfbf",   "eda080edb080", "edafbfedbfbf", "6161616161616161ff"};

// --- Inputs -----------------------------------------------------------------
typedef struct Input {
  uint8_t data[INPUT_MOST];
  size_t len;
  bool masked, is_raw;
} Input;

static size_t read_hex(const char *from, size_t len, uint8_t *to) {
  for (size_t i = 0; i + 1 < len; i += 2)
    to[i / 2] = (uint8_t)(hex_digit(from[i]) << 4 | hex_digit(from[i + 1]));
  return len / 2;
}

static void put_length(Input *input, size_t len) {
  uint8_t masked = input->masked ? 0x80 : 0;
  size_t bytes = len < 126 ? 0 : len < 65536 ? 2 : 8;
  input->data[input->len++] = masked | (uint8_t)(bytes == 0   ? len
                                                 : bytes == 2 ? 126
                                                              : 127);
  for (size_t i = bytes; i-- > 0;)
    input->data[input->len++] = (uint8_t)((uint64_t)len >> 8 * i);
}

static void put_frame(Input *input, uint8_t first, const uint8_t *data,
                      size_t len) {
  static const uint8_t mask[4] = {0x37, 0xfa, 0x21, 0x3d};
  input->data[input->len++] = first;
  put_length(input, len);
  if (input->masked) {
    memcpy(input->data + input->len, mask, 4);
    input->len += 4;
  }
  for (size_t i = 0; i < len; i++)
    input->data[input->len++] = data[i] ^ (input->masked ? mask[i % 4] : 0);
}

static void put_word(Input *input, const char *word, size_t len) {
  static uint8_t payload[INPUT_MOST];
  uint8_t first;
  size_t size = 0;
  if (word[0] == '=') {
    input->is_raw = true;
    input->len += read_hex(word + 1, len - 1, input->data + input->len);
    return;
  }
  read_hex(word, 2, &first);
  if (len > 2 && word[2] == '+') size = read_hex(word + 3, len - 3, payload);
  if (len > 2 && word[2] == '*')
    memset(payload, '*', size = strtoul(word + 3, NULL, 10));
  if (len > 2 && word[2] == '\'') memcpy(payload, word + 3, size = len - 3);
  put_frame(input, first, payload, size);
}

static void put_words(Input *input, const char *words) {
  input->len = 0;
  input->is_raw = false;
  while (*words != '\0') {
    size_t len = strcspn(words, " ");
    put_word(input, words, len);
    words += len;
    words += strspn(words, " ");
  }
}

// --- Events as text ---------------------------------------------------------
static void show_data(char *out, const char *data, size_t len) {
  if (len > 40) {
    sprintf(out + strlen(out), "#%zu", len);
    return;
  }
  for (size_t i = 0; i < len; i++) {
    bool plain = data[i] > ' ' && data[i] <= '~';
    sprintf(out + strlen(out), plain ? "%c" : "%%%02x", (uint8_t)data[i]);
  }
}

static void show_event(const WsReader *reader, char *out) {
  char *end = out + strlen(out);
  size_t from = 0;
  switch (reader->event) {
    case WS_HAS_MESSAGE:
      sprintf(end, "%d:", reader->kind);
      show_data(out, reader->data, reader->data_len);
      break;
    case WS_HAS_CONTROL:
      sprintf(end, "%d:", reader->control_kind);
      if (reader->control_kind == WS_CLOSE) {
        sprintf(end + strlen(end), "%d:", reader->code);
        from = reader->control_len > 0 ? 2 : 0;
      }
      show_data(out, reader->control + from, reader->control_len - from);
      break;
    default:
      sprintf(end, "!%d", reader->code);
      return;
  }
  strcat(out, " ");
}

// Each piece has a block of its own, so that a sanitizer sees what is read
// beyond its end.
static void feed(WsReader *reader, const uint8_t *data, size_t len, char *out) {
  char *piece = malloc(len + 1);
  memcpy(piece, data, len);
  for (size_t at = 0; !ws_is_over(reader);) {
    at += ws_take(reader, (Str){piece + at, len - at}, SIZE_MAX);
    if (reader->event == WS_NOTHING) {
      assert_int_equal(at, len);
      break;
    }
    show_event(reader, out);
    ws_taken(reader);
  }
  free(piece);
}

// What is read of the input, cut at one place or (step > 0) at each step.
static void read_all(Csp *csp, const Input *input, size_t cut, size_t step,
                     char out[SHOWN_MOST]) {
  WsReader reader = {
      .csp = csp, .masked = input->masked, .most = MESSAGE_LIMIT};
  out[0] = '\0';
  if (step == 0) feed(&reader, input->data, cut, out);
  for (size_t at = step == 0 ? cut : 0, len; at < input->len; at += len) {
    len = step == 0 || input->len - at < step ? input->len - at : step;
    feed(&reader, input->data + at, len, out);
  }
  csp_alloc_free(reader.data);
}

static void is_read_as(Csp *csp, const Input *input, const char *name,
                       const char *events) {
  char out[SHOWN_MOST];
  for (size_t cut = 0; cut <= input->len; cut++) {
    read_all(csp, input, cut, 0, out);
    if (strcmp(out, events) != 0)
      fail_msg("%s cut at %zu: %s, not %s", name, cut, out, events);
    if (cut > 300 && input->len - cut > 300) cut = input->len - 300;
  }
  for (size_t step = 1; step < 20; step++) {
    read_all(csp, input, 0, step, out);
    if (strcmp(out, events) != 0)
      fail_msg("%s in steps of %zu: %s, not %s", name, step, out, events);
  }
}

// --- Tests ------------------------------------------------------------------
static Csp *open_stepped_runtime(void) {
  CspConfig config;
  test_config(&config);
  config.stepped = true;
  Csp *csp = csp_new(&config);
  assert_non_null(csp);
  return csp;
}

static void cases_are_read(void **state) {
  (void)state;
  static Input input;
  Csp *csp = open_stepped_runtime();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int masked = 0; masked < 2; masked++) {
      input.masked = masked;
      put_words(&input, cases[i].frames);
      if (masked && input.is_raw) continue;
      is_read_as(csp, &input, cases[i].name, cases[i].events);
    }
  }
  csp_free(csp);
}

// Which frames have a mask is the peer's role, and not its choice.
static void masks_are_wanted(void **state) {
  (void)state;
  static Input input;
  Csp *csp = open_stepped_runtime();
  char out[SHOWN_MOST];
  for (int masked = 0; masked < 2; masked++) {
    input.masked = masked;
    put_words(&input, "81'Hello");
    input.masked = !masked;
    read_all(csp, &input, input.len, 0, out);
    assert_string_equal(out, "!1002");
  }
  csp_free(csp);
}

static void texts_are(Csp *csp, const char *const *texts, size_t count,
                      bool good) {
  static Input input;
  char frames[128];
  for (size_t i = 0; i < count; i++) {
    char events[SHOWN_MOST] = "1:";
    uint8_t data[64];
    size_t len = read_hex(texts[i], strlen(texts[i]), data);
    show_data(events, (char *)data, len);
    strcat(events, " ");
    sprintf(frames, "81+%s", texts[i]);
    input.masked = i % 2;
    put_words(&input, frames);
    is_read_as(csp, &input, texts[i], good ? events : "!1007");
  }
}

static void texts_are_utf8(void **state) {
  (void)state;
  Csp *csp = open_stepped_runtime();
  texts_are(csp, good_texts, sizeof good_texts / sizeof *good_texts, true);
  texts_are(csp, bad_texts, sizeof bad_texts / sizeof *bad_texts, false);
  csp_free(csp);
}

// Each character as it is written, and nothing else of up to three bytes.
static void all_characters_are_text(void **state) {
  (void)state;
  size_t good = 0;
  for (uint32_t n = 0; n < 1 << 24; n++) {
    char bytes[3] = {(char)(n >> 16), (char)(n >> 8), (char)n};
    WsText text = {0};
    good += ws_text_goes_on(&text, bytes, 3) && ws_text_ends(&text);
  }
  // ASCII three times, two bytes before or after ASCII, and three bytes.
  assert_int_equal(good, 128 * 128 * 128 + 2 * 1920 * 128 + 63488 - 2048);
}

static void memory_is_for_what_came(void **state) {
  (void)state;
  Csp *csp = open_stepped_runtime();
  static const uint8_t head[] = {0x82, 0x7f, 0,    0,    0,
                                 0,    0x3f, 0xff, 0xff, 0xff};
  WsReader reader = {.csp = csp, .most = 1 << 30};
  char out[SHOWN_MOST] = "";
  feed(&reader, head, sizeof head, out);
  for (int i = 0; i < 5; i++) feed(&reader, head, sizeof head, out);
  assert_int_equal(reader.event, WS_NOTHING);
  assert_int_equal(reader.data_len, 5 * sizeof head);
  assert_true(reader.data_cap <= 2 * reader.data_len);
  // without room nothing is lost
  const char more[] = "0123456789012345678901234567890123456789";
  size_t len = sizeof more - 1;
  assert_int_equal(ws_take(&reader, (Str){more, len}, 8), 0);
  assert_int_equal(reader.event, WS_LACKS_MEMORY);
  assert_int_equal(ws_take(&reader, (Str){more, len}, SIZE_MAX), len);
  assert_int_equal(reader.data_len, 5 * sizeof head + len);
  csp_alloc_free(reader.data);
  csp_free(csp);
}

static void masks_turn(void **state) {
  (void)state;
  static const uint8_t mask[4] = {1, 2, 4, 8};
  char from[64], to[64];
  for (size_t i = 0; i < sizeof from; i++) from[i] = (char)(i * 7);
  for (size_t at = 0; at < 9; at++) {
    for (size_t len = 0; len <= sizeof from; len++) {
      ws_mask(to, from, len, mask, at);
      for (size_t i = 0; i < len; i++)
        assert_int_equal(to[i], (char)(from[i] ^ mask[(at + i) % 4]));
    }
  }
}

// --- SHA-1 (RFC 3174, 7.3) --------------------------------------------------
static void digest_is(const char *piece, size_t times, const char *wanted) {
  size_t len = strlen(piece);
  char *text = malloc(len * times + 1), shown[2 * WS_DIGEST + 1];
  uint8_t digest[WS_DIGEST];
  for (size_t i = 0; i < times; i++) memcpy(text + i * len, piece, len);
  ws_sha1(text, len * times, digest);
  for (size_t i = 0; i < WS_DIGEST; i++)
    sprintf(shown + 2 * i, "%02x", digest[i]);
  assert_string_equal(shown, wanted);
  free(text);
}

static void digests_are_right(void **state) {
  (void)state;
  digest_is("abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d");
  digest_is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  digest_is("a", 1000000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  digest_is("0123456701234567012345670123456701234567012345670123456701234567",
            10, "dea356a2cddd90c7a7ecedc5ebb563934f460452");
  digest_is("", 0, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cases_are_read),
      cmocka_unit_test(masks_are_wanted),
      cmocka_unit_test(texts_are_utf8),
      cmocka_unit_test(all_characters_are_text),
      cmocka_unit_test(memory_is_for_what_came),
      cmocka_unit_test(masks_turn),
      cmocka_unit_test(digests_are_right),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
