// SPDX-License-Identifier: MIT
// Values as CBOR and back: the vectors of RFC 8949 (appendices A and F), round
// trips, and what is refused.
#include "stepped_fixture.h"

#include <math.h>

// --- Hexadecimal ------------------------------------------------------------
enum { BYTES_MAX = 256 };

static size_t from_hex(const char *hex, uint8_t *out) {
  size_t len = 0;
  for (; *hex != '\0'; hex += 2) {
    unsigned byte;
    assert_int_equal(sscanf(hex, "%2x", &byte), 1);
    assert_true(len < BYTES_MAX);
    out[len++] = (uint8_t)byte;
  }
  return len;
}

// Reads them from memory of just that length, for the address sanitizer.
static bool read_hex(const char *hex, CspValue *v, char **error) {
  uint8_t bytes[BYTES_MAX];
  size_t len = from_hex(hex, bytes);
  uint8_t *exact = malloc(len);
  memcpy(exact, bytes, len);
  bool fine = csp_from_cbor(call, exact, len, NULL, v, error);
  free(exact);
  return fine;
}

static void expect_text(const char *hex, const char *text) {
  CspValue v;
  char *error = NULL;
  bool fine = read_hex(hex, &v, &error);
  if (!fine) fail_msg("%s: %s", hex, error);
  char *got = csp_format(call, v, true, NULL);
  if (strcmp(got, text) != 0) fail_msg("%s: %s, not %s", hex, got, text);
  free(got);
}

static void expect_bytes(CspValue v, const char *hex) {
  size_t len;
  char *error = NULL;
  char *bytes = csp_to_cbor(call, v, SIZE_MAX, &len, &error);
  if (bytes == NULL) fail_msg("%s: %s", hex, error);
  char got[2 * BYTES_MAX + 1] = "";
  for (size_t n = 0; n < len; n++)
    snprintf(got + 2 * n, 3, "%02x", (uint8_t)bytes[n]);
  assert_string_equal(got, hex);
  free(bytes);
}

// Without an end: that of the message.
static void expect_refused(const char *hex, const char *message) {
  CspValue v;
  char *error = NULL;
  if (read_hex(hex, &v, &error)) fail_msg("%s was read", hex);
  assert_int_equal(csp_type(v), CSP_NIL);
  assert_non_null(error);
  if (strstr(error, message) == NULL)
    fail_msg("%s: %s, not %s", hex, error, message);
  free(error);
}

// --- Appendix A -------------------------------------------------------------
#define TO_25 "0102030405060708090a0b0c0d0e0f101112131415161718181819"
#define LIST_25                                                              \
  "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, " \
  "21, 22, 23, 24, 25]"

static const struct {
  const char *hex, *text;
} same[] = {
    // ints
    {"00", "0"},
    {"01", "1"},
    {"0a", "10"},
    {"17", "23"},
    {"1818", "24"},
    {"1819", "25"},
    {"1864", "100"},
    {"1903e8", "1000"},
    {"1a000f4240", "1000000"},
    {"1b000000e8d4a51000", "1000000000000"},
    {"20", "-1"},
    {"29", "-10"},
    {"3863", "-100"},
    {"3903e7", "-1000"},
    {"1b7fffffffffffffff", "9223372036854775807"},
    {"3b7fffffffffffffff", "-9223372036854775808"},
    // floats
    {"f90000", "0.0"},
    {"f98000", "-0.0"},
    {"f93c00", "1.0"},
    {"fb3ff199999999999a", "1.1"},
    {"f93e00", "1.5"},
    {"f97bff", "65504.0"},
    {"fa47c35000", "100000.0"},
    {"fa7f7fffff", "3.4028234663852886e+38"},
    {"fb7e37e43c8800759c", "1e+300"},
    {"f90001", "5.960464477539063e-08"},
    {"f90400", "6.103515625e-05"},
    {"f9c400", "-4.0"},
    {"fbc010666666666666", "-4.1"},
    {"f97c00", "inf"},
    {"f97e00", "nan"},
    {"f9fc00", "-inf"},
    // constants
    {"f4", "false"},
    {"f5", "true"},
    {"f6", "nil"},
    // strings
    {"40", "bytes(\"\")"},
    {"4401020304", "bytes(\"\\x01\\x02\\x03\\x04\")"},
    {"60", "\"\""},
    {"6161", "\"a\""},
    {"6449455446", "\"IETF\""},
    {"62225c", "\"\\\"\\\\\""},
    {"62c3bc", "\"\u00fc\""},
    {"63e6b0b4", "\"\u6c34\""},
    {"64f0908591", "\"\U00010151\""},
    // lists and maps
    {"80", "[]"},
    {"83010203", "[1, 2, 3]"},
    {"8301820203820405", "[1, [2, 3], [4, 5]]"},
    {"9819" TO_25, LIST_25},
    {"a0", "{}"},
    {"a201020304", "{1: 2, 3: 4}"},
    {"a26161016162820203", "{\"a\": 1, \"b\": [2, 3]}"},
    {"826161a161626163", "[\"a\", {\"b\": \"c\"}]"},
    {"a56161614161626142616361436164614461656145",
     "{\"a\": \"A\", \"b\": \"B\", \"c\": \"C\", \"d\": \"D\", \"e\": \"E\"}"},
};

static void vectors_go_both_ways(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof same / sizeof *same; n++) {
    CspValue v;
    char *error;
    expect_text(same[n].hex, same[n].text);
    assert_true(read_hex(same[n].hex, &v, &error));
    expect_bytes(v, same[n].hex);
  }
}

// What is not written so, but read.
static void other_forms_are_read(void **state) {
  (void)state;
  static const struct {
    const char *hex, *text;
  } others[] = {
      {"fa7f800000", "inf"},
      {"fa7fc00000", "nan"},
      {"faff800000", "-inf"},
      {"fb7ff0000000000000", "inf"},
      {"fb7ff8000000000000", "nan"},
      {"fbfff0000000000000", "-inf"},
      {"f7", "nil"},
      {"1b0000000000000001", "1"},
      {"c074323031332d30332d32315432303a30343a30305a",
       "\"2013-03-21T20:04:00Z\""},
      {"c11a514b67b0", "1363896240"},
      {"c1fb41d452d9ec200000", "1363896240.5"},
      {"d74401020304", "bytes(\"\\x01\\x02\\x03\\x04\")"},
      {"d818456449455446", "bytes(\"dIETF\")"},
      {"d82076687474703a2f2f7777772e6578616d706c652e636f6d",
       "\"http://www.example.com\""},
      {"d9d9f7c101", "1"},
      {"5f42010243030405ff", "bytes(\"\\x01\\x02\\x03\\x04\\x05\")"},
      {"5fff", "bytes(\"\")"},
      {"7f657374726561646d696e67ff", "\"streaming\""},
      {"7fff", "\"\""},
      {"9fff", "[]"},
      {"9f018202039f0405ffff", "[1, [2, 3], [4, 5]]"},
      {"9f01820203820405ff", "[1, [2, 3], [4, 5]]"},
      {"83018202039f0405ff", "[1, [2, 3], [4, 5]]"},
      {"83019f0203ff820405", "[1, [2, 3], [4, 5]]"},
      {"9f" TO_25 "ff", LIST_25},
      {"bfff", "{}"},
      {"bf61610161629f0203ffff", "{\"a\": 1, \"b\": [2, 3]}"},
      {"826161bf61626163ff", "[\"a\", {\"b\": \"c\"}]"},
      {"bf6346756ef563416d7421ff", "{\"Fun\": true, \"Amt\": -2}"},
  };
  for (size_t n = 0; n < sizeof others / sizeof *others; n++)
    expect_text(others[n].hex, others[n].text);
}

static void what_there_is_no_value_for_is_refused(void **state) {
  (void)state;
  expect_refused("1bffffffffffffffff",
                 "at byte 0: the int 184467440737095516"
                 "15 has more than 64 bits");
  expect_refused("8218181b8000000000000000",
                 "at byte 3: the int 9223372036854775808 has more");
  expect_refused("3bffffffffffffffff", "has more than 64 bits");
  expect_refused("3b8000000000000000", "has more than 64 bits");
  expect_refused("c249010000000000000000", "at byte 0: an int of more than 64");
  expect_refused("c349010000000000000000", "at byte 0: an int of more than 64");
  expect_refused("c48221196ab3", "there is no value for tag 4");
  expect_refused("c5822003", "there is no value for tag 5");
  expect_refused("f0", "there is no value for simple value 16");
  expect_refused("f8ff", "there is no value for simple value 255");
  expect_refused("a14101f6", "at byte 1: bytes cannot be a key");
  expect_refused("a1f97e00f6", "at byte 1: NaN cannot be a key");
  expect_refused("a2010218010a", "at byte 3: the map has an equal key before");
  expect_refused("a20102f93c000a", "at byte 3: the map has an equal key");
  expect_refused("0000", "at byte 1: 1 byte follows the value");
}

// --- Appendix F: what is not well-formed ------------------------------------
static const char *const malformed[] = {
    // the input ends in a head
    "",
    "18",
    "19",
    "1a",
    "1b",
    "1901",
    "1a0102",
    "1b01020304050607",
    "38",
    "58",
    "78",
    "98",
    "9a01ff00",
    "b8",
    "d8",
    "f8",
    "f900",
    "fa0000",
    "fb000000",
    // strings that are too short
    "41",
    "61",
    "5affffffff00",
    "5bffffffffffffffff010203",
    "7affffffff00",
    "7b7fffffffffffffff010203",
    // lists and maps that are not closed
    "81",
    "818181818181818181",
    "8200",
    "a1",
    "a20102",
    "a100",
    "a2000000",
    "c0",
    "5f4100",
    "7f6100",
    "9f",
    "9f0102",
    "bf",
    "bf01020102",
    "819f",
    "9f8000",
    "9f9f9f9f9fffffffff",
    "9f819f819f9fffffff",
    // reserved first bytes
    "1c",
    "1d",
    "1e",
    "3c",
    "3d",
    "3e",
    "5c",
    "5d",
    "5e",
    "7c",
    "7d",
    "7e",
    "9c",
    "9d",
    "9e",
    "bc",
    "bd",
    "be",
    "dc",
    "dd",
    "de",
    "fc",
    "fd",
    "fe",
    // reserved simple values
    "f800",
    "f801",
    "f818",
    "f81f",
    // pieces of strings of another type, or indefinite ones
    "5f00ff",
    "5f21ff",
    "5f6100ff",
    "5f80ff",
    "5fa0ff",
    "5fc000ff",
    "5fe0ff",
    "7f4100ff",
    "5f5f4100ffff",
    "7f7f6100ffff",
    // ends where there can be none
    "ff",
    "81ff",
    "8200ff",
    "a1ff",
    "a1ff00",
    "a100ff",
    "a20000ff",
    "9f81ff",
    "9f829f819f9fffffffff",
    "bf00ff",
    "bf000000ff",
    "9fc1ff",
    "c1ff",
    // majors 0, 1 and 6 of indefinite length
    "1f",
    "3f",
    "df",
    // lengths that nothing has
    "9b1000000000000000",
    "bb1000000000000000",
    "5b1000000000000000",
    "7b1000000000000000",
    "9bffffffffffffffff",
    "bbffffffffffffffff",
    "bb800000000000000000",
    // not UTF-8: alone, overlong, a surrogate, beyond the end, cut in pieces
    "61ff",
    "62c080",
    "63eda080",
    "64f4908080",
    "62c3",
    "7f61c361bcff",
};

static void what_is_not_well_formed_is_refused(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof malformed / sizeof *malformed; n++)
    expect_refused(malformed[n], "at byte ");
  expect_refused("61ff", "at byte 0: a string that is not UTF-8");
  expect_refused("8361", "at byte 0: 3 elements, for which 1 bytes are there");
  expect_refused("bf8101ff", "at byte 3: the map ends after the key at byte 1");
  expect_refused("8200ff", "at byte 2: an end without a beginning");
}

static void every_prefix_is_refused(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof same / sizeof *same; n++) {
    uint8_t bytes[BYTES_MAX];
    size_t len = from_hex(same[n].hex, bytes);
    for (size_t part = 0; part < len; part++) {
      uint8_t *exact = malloc(part > 0 ? part : 1);
      memcpy(exact, bytes, part);
      CspValue v;
      char *error;
      assert_false(csp_from_cbor(call, exact, part, NULL, &v, &error));
      free(error);
      free(exact);
    }
  }
}

static void sequences_are_read_one_by_one(void **state) {
  (void)state;
  uint8_t bytes[BYTES_MAX];
  size_t len = from_hex("018201029fff", bytes), used, at = 0;
  static const size_t lengths[] = {1, 3, 2};
  CspValue v;
  char *error;
  for (size_t n = 0; n < 3; n++, at += used) {
    assert_true(csp_from_cbor(call, bytes + at, len - at, &used, &v, &error));
    assert_int_equal(used, lengths[n]);
  }
  assert_int_equal(at, len);
  assert_false(csp_from_cbor(call, bytes + at, 0, &used, &v, &error));
  assert_int_equal(used, 0);
  free(error);
}

// --- Bounds -----------------------------------------------------------------
static bool nested(uint8_t first, size_t depth, char **error) {
  uint8_t *bytes = malloc(depth + 1);
  memset(bytes, first, depth);
  bytes[depth] = 0;
  CspValue v;
  bool fine = csp_from_cbor(call, bytes, depth + 1, NULL, &v, error);
  size_t len = 0;
  char *again = fine ? csp_to_cbor(call, v, SIZE_MAX, &len, error) : NULL;
  if (fine) {
    assert_int_equal(len, depth + 1);
    assert_memory_equal(again, bytes, len);
  }
  free(again);
  free(bytes);
  return fine;
}

static void nesting_is_bounded(void **state) {
  (void)state;
  char *error;
  assert_true(nested(0x81, 1000, &error));
  assert_false(nested(0x81, 1001, &error));
  assert_string_equal(error, "at byte 1000: nested more than 1000 deep");
  free(error);
  assert_false(nested(0x81, 10000000, &error));
  free(error);
  // Tags do not nest: they are passed over.
  uint8_t *tags = malloc(100001);
  CspValue v;
  memset(tags, 0xc6, 100000);
  tags[100000] = 7;
  assert_true(csp_from_cbor(call, tags, 100001, NULL, &v, &error));
  assert_int_equal(csp_to_int(v), 7);
  free(tags);
}

// Fault that it guards against: room for as many elements as headers say.
static void lengths_are_not_believed(void **state) {
  (void)state;
  Host small;
  open_limited(&small, STEPPED, 8 << 20, 0);
  CspCall *own = csp_host(small.csp);
  // Each list says that it has as many elements as bytes follow.
  enum { LEN = 1 << 20 };
  uint8_t *bytes = calloc(1, LEN);
  for (uint32_t n = 0; n < 900; n++) {
    uint32_t left = LEN - (n + 1) * 5;
    uint8_t head[] = {0x9a, (uint8_t)(left >> 24), (uint8_t)(left >> 16),
                      (uint8_t)(left >> 8), (uint8_t)left};
    memcpy(bytes + n * 5, head, sizeof head);
  }
  CspValue v;
  char *error;
  assert_false(csp_from_cbor(own, bytes, 5 * 901, NULL, &v, &error));
  assert_non_null(error);  // not: out of memory
  free(error);
  // And 8 MB are not enough for a million empty maps.
  memset(bytes + 5, 0xa0, LEN - 5);
  assert_false(csp_from_cbor(own, bytes, LEN, NULL, &v, &error));
  assert_null(error);
  free(bytes);
  close_host(&small);
}

// --- Writing ----------------------------------------------------------------
static const char script[] =
    "struct P { x }\n"
    "func keys() {\n"
    "  m := {1: \"int\", 2.5: \"float\"}\n"
    "  m[nil] = 0\n"
    "  m[true] = 1\n"
    "  m[\"s\"] = 2\n"
    "  m[\"\"] = {}\n"
    "  m[-1] = [[]]\n"
    "  return m\n"
    "}\n"
    "func in_list() => [1, {\"a b\": [0, println]}]\n"
    "func key() { m := {}; m[println] = 1; return [m] }\n"
    "func key_list() { m := {}; m[[1, 2]] = 3; return m }\n"
    "func ring() { a := [1]; a.push({\"again\": a}); return a }\n"
    "func own_key() { m := {}; m[m] = 1; return m }\n"
    "func channel() => chan()\n"
    "func instance() => {\"p\": P(1)}\n"
    "func span() => 1..2\n"
    "func bad() => [str(bytes([0xff]))]\n"
    "func twice() { a := [1]; return [a, a] }\n"
    "func bush() { a := [1, 2]; for i in 60 { a = [a, a] }; return a }\n"
    "func far() { a := [println]; for i in 30 { a = [a] }; return a }\n"
    "func deep() { a := []; for i in 1000 { a = [a] }; return a }\n";

static CspValue given(CspHandle module, const char *name) {
  CspResult result;
  csp_call(call, member(&host, module, name), 0, NULL, &result);
  assert_int_equal(result.end, CSP_DONE);
  return result.values[0];
}

static void what_cannot_be_written_is_told(void **state) {
  (void)state;
  static const struct {
    const char *name, *error;
  } refused[] = {
      {"in_list",
       "value[1][\"a b\"][1]: there is no CBOR for values of type "
       "func"},
      {"key",
       "value[0][<func>] (the key): there is no CBOR for values of type "
       "func"},
      {"ring",
       "value[1][\"again\"]: it contains itself, and cannot be "
       "written"},
      {"own_key", "value[{<map>: 1}] (the key): it contains itself"},
      {"channel", "value: there is no CBOR for values of type chan"},
      {"instance", "value[\"p\"]: there is no CBOR for values of type P"},
      {"span", "value: there is no CBOR for values of type range"},
      {"bad", "value[0]: a string that is not UTF-8 cannot be written"},
      {"bush", "it takes more than 1000 bytes"},
      {"far", "value[0][0][0][0][0][0][0][0]...[0][0][0][0][0][0][0][0]: "},
      {"deep", ": it is nested more than 1000 deep"},
  };
  CspHandle module = load(&host, script);
  for (size_t n = 0; n < sizeof refused / sizeof *refused; n++) {
    size_t len, most = strcmp(refused[n].name, "deep") == 0 ? 5000 : 1000;
    char *error;
    assert_null(
        csp_to_cbor(call, given(module, refused[n].name), most, &len, &error));
    assert_non_null(error);
    if (strstr(error, refused[n].error) == NULL)
      fail_msg("%s: %s", refused[n].name, error);
    free(error);
  }
}

static void any_key_goes_both_ways(void **state) {
  (void)state;
  CspHandle module = load(&host, script);
  static const char *const of[] = {"keys", "key_list", "twice"};
  static const char *const hex[] = {
      "a70163696e74f9410065666c6f6174f600f50161730260a0208180", "a182010203",
      "8281018101"};
  for (size_t n = 0; n < 3; n++) {
    expect_bytes(given(module, of[n]), hex[n]);
    CspValue v;
    char *error;
    assert_true(read_hex(hex[n], &v, &error));
    expect_bytes(v, hex[n]);
  }
}

static void the_length_is_bounded(void **state) {
  (void)state;
  CspValue s = csp_string(call, "abcd", 4);
  size_t len;
  char *error, *bytes = csp_to_cbor(call, s, 5, &len, &error);
  assert_non_null(bytes);
  assert_int_equal(len, 5);
  free(bytes);
  assert_null(csp_to_cbor(call, s, 4, &len, &error));
  assert_string_equal(error, "it takes more than 4 bytes");
  free(error);
}

// --- In natives -------------------------------------------------------------
static CspStatus save(CspCall *own) {
  size_t len;
  char *error, *bytes;
  bytes = csp_to_cbor(own, csp_arg(own, 0), SIZE_MAX, &len, &error);
  free(bytes);
  if (bytes != NULL) return csp_ok_int(own, (int64_t)len);
  if (error == NULL) return csp_panic_memory(own);
  csp_panic(own, "save: %s", error);
  free(error);
  return CSP_PANIC;
}

static const CspFunction natives[] = {{"save", "v", save}, {NULL, NULL, NULL}};

static void a_native_that_writes_can_be_interrupted(void **state) {
  (void)state;
  Host own;
  open_host(&own, STEPPED);
  assert_true(csp_register_builtins(own.csp, natives));
  CspHandle module = load(&own,
                          "func bush() {\n"
                          "  a := [1, 2]\n"
                          "  for i in 60 { a = [a, a] }\n"
                          "  return save(a)\n"
                          "}\n"
                          "func fine() => save([1, 2])\n"
                          "func wrong() => save([save])\n");
  csp_limit_time(own.csp, 20 * 1000 * 1000);
  call_fails(&own, module, "bush", CSP_INTERRUPTED, "interrupted");
  csp_limit_time(own.csp, 0);
  call_fails(&own, module, "wrong", CSP_THREW,
             "save: value[0]: there is no CBOR");
  CspResult result;
  csp_call(csp_host(own.csp), member(&own, module, "fine"), 0, NULL, &result);
  assert_int_equal(csp_to_int(result.values[0]), 3);
  close_host(&own);
}

// --- Floats -----------------------------------------------------------------
static void expect_float(double d, size_t wanted) {
  size_t len;
  char *error;
  char *bytes = csp_to_cbor(call, csp_float(call, d), 100, &len, &error);
  assert_non_null(bytes);
  if (len != wanted) fail_msg("%a takes %zu bytes, not %zu", d, len, wanted);
  CspValue v;
  assert_true(csp_from_cbor(call, bytes, len, NULL, &v, &error));
  assert_int_equal(csp_type(v), CSP_FLOAT);
  double back = csp_to_float(v);
  assert_true(isnan(d) ? isnan(back) : memcmp(&d, &back, sizeof d) == 0);
  free(bytes);
}

// All floats of 16 bits, and what is next to them.
static void floats_take_the_shortest_form(void **state) {
  (void)state;
  for (uint32_t half = 0; half < 0x10000; half++) {
    uint8_t bytes[] = {0xf9, (uint8_t)(half >> 8), (uint8_t)half};
    CspValue v;
    char *error;
    assert_true(csp_from_cbor(call, bytes, 3, NULL, &v, &error));
    double d = csp_to_float(v);
    expect_float(d, 3);
    if (!isfinite(d) || d == 0) continue;
    expect_float((double)nextafterf((float)d, INFINITY), 5);
    expect_float(nextafter(d, INFINITY), 9);
    if (half % 256 == 0) csp_collect(call);
  }
  static const double singles[] = {0x1p16,   0x1p127, -0x1.fffffep127,
                                   0x1p-149, 0x1p-25, 0x1.002p0};
  static const double doubles[] = {0x1p128, 0x1p-150,        1e308,
                                   5e-324,  0x1.fffffefp127, -0x1p1023};
  for (size_t n = 0; n < 6; n++) expect_float(singles[n], 5);
  for (size_t n = 0; n < 6; n++) expect_float(doubles[n], 9);
}

static void a_tuple_is_written_as_a_list(void **state) {
  (void)state;
  CspValue parts[2] = {csp_int(call, 1), csp_tuple(call, NULL, 0)};
  expect_bytes(csp_tuple(call, parts, 2), "820180");
  CspValue map = csp_map(call, 1);
  assert_true(csp_map_set(call, map, csp_tuple(call, parts, 1), parts[0]));
  expect_bytes(map, "a1810101");
}

// --- Long ones --------------------------------------------------------------
static void long_values_go_both_ways(void **state) {
  (void)state;
  static const size_t lengths[] = {23,   24,    255,   256,
                                   1024, 65535, 65536, 1000000};
  for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
    size_t count = lengths[n], len;
    char *data, *error;
    CspValue list = csp_list(call, 2), back;
    CspValue s = csp_string_room(call, count, &data);
    memset(data, 'a', count);
    csp_list_push(call, list, s);
    csp_list_push(call, list, csp_bytes(call, data, count));
    CspValue many = csp_list(call, count);
    for (size_t i = 0; i < count; i++)
      csp_list_push(call, many, csp_int(call, (int64_t)i));
    csp_list_push(call, list, many);
    char *bytes = csp_to_cbor(call, list, SIZE_MAX, &len, &error);
    assert_non_null(bytes);
    assert_true(csp_from_cbor(call, bytes, len, NULL, &back, &error));
    size_t again_len;
    char *again = csp_to_cbor(call, back, len, &again_len, &error);
    assert_non_null(again);
    assert_int_equal(again_len, len);
    assert_memory_equal(again, bytes, len);
    assert_true(csp_equal(csp_list_get(back, 0), s));
    assert_int_equal(csp_list_len(csp_list_get(back, 2)), count);
    free(bytes);
    free(again);
    csp_collect(call);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors_go_both_ways),
      cmocka_unit_test(other_forms_are_read),
      cmocka_unit_test(what_there_is_no_value_for_is_refused),
      cmocka_unit_test(what_is_not_well_formed_is_refused),
      cmocka_unit_test(every_prefix_is_refused),
      cmocka_unit_test(sequences_are_read_one_by_one),
      cmocka_unit_test(nesting_is_bounded),
      cmocka_unit_test(lengths_are_not_believed),
      cmocka_unit_test(what_cannot_be_written_is_told),
      cmocka_unit_test(any_key_goes_both_ways),
      cmocka_unit_test(the_length_is_bounded),
      cmocka_unit_test(a_native_that_writes_can_be_interrupted),
      cmocka_unit_test(floats_take_the_shortest_form),
      cmocka_unit_test(a_tuple_is_written_as_a_list),
      cmocka_unit_test(long_values_go_both_ways),
  };
  return cmocka_run_group_tests(tests, open_stepped, close_stepped);
}
