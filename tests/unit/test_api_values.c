// SPDX-License-Identifier: MIT
// csp.h's functions for values that no module of the library calls: they are
// for hosts. Compared, errors, maps by name, channels without waiting.
#include "stepped_fixture.h"

#include <errno.h>
#include <math.h>

static CspHandle script;

static const char text[] =
    "func pair() { a := [1]; return a, a, [1] }\n"
    "func failure() => error(\"outer\", error(\"inner\"))\n"
    "func table() => {name: 1, none: nil}\n"
    "c := chan()\n"
    "func waiting() { go { c <- 7 }; return c }\n"
    "func slow() { t := timer(0); return t, t.stop() }\n"
    "struct Lost { n }\nfunc (e Lost) error() => \"lost\"\n"
    "struct Other { error }\n"
    "struct Coded { code }\nfunc (e Coded) error() => \"coded\"\n"
    "func coded() { return error(\"e\", code: \"own\"), Coded(404), Lost(1) }\n"
    "func errors() { return Lost(1), Other(1), \"x\", error(\"last\") }\n"
    "func tell() { println(\"kept\") }\n";

static int open_it(void **state) {
  open_stepped(state);
  script = load(&host, text);
  return 0;
}

static CspResult result;

// What name(args) gives, result.count values.
static CspValue *call_it(const char *name, int argc, CspValue *args) {
  csp_call(call, member(&host, script, name), argc, args, &result);
  if (result.message != NULL) print_error("%s", result.message);
  assert_int_equal(result.end, CSP_DONE);
  return result.values;
}

static void expect_text(CspValue v, const char *wanted) {
  size_t len;
  assert_int_equal(csp_type(v), CSP_STRING);
  const char *got = csp_to_string(v, &len);
  assert_int_equal(len, strlen(wanted));
  assert_memory_equal(got, wanted, len);
}

// --- Values -----------------------------------------------------------------
static void a_view_is_of_strings(void **state) {
  (void)state;
  const char *data = NULL;
  size_t len = 0;
  CspValue string = csp_string(call, "a\0b", 3);
  assert_true(csp_view(string, &data, &len));
  assert_int_equal(len, 3);
  assert_memory_equal(data, "a\0b", 3);
  assert_ptr_equal(data, csp_to_string(string, NULL));
  assert_false(csp_view(csp_nil(), &data, &len));
  assert_false(csp_view(csp_int(call, 7), &data, &len));
  assert_false(csp_view(csp_bytes(call, "b", 1), &data, &len));
  assert_int_equal(len, 3);
}

static void the_same_is_more_than_equal(void **state) {
  (void)state;
  CspValue *v = call_it("pair", 0, NULL);
  assert_int_equal(result.count, 3);
  assert_true(csp_same(v[0], v[1]));
  assert_false(csp_same(v[0], v[2]));
  assert_true(csp_same(csp_nil(), csp_nil()));
  assert_true(csp_same(csp_bool(true), csp_bool(true)));
  assert_false(csp_same(csp_bool(true), csp_bool(false)));
}

static void an_error_has_its_message_and_its_cause(void **state) {
  (void)state;
  CspValue outer = call_it("failure", 0, NULL)[0];
  assert_int_equal(csp_type(outer), CSP_ERROR);
  expect_text(csp_error_message(outer), "outer");
  CspValue inner = csp_error_cause(outer);
  assert_int_equal(csp_type(inner), CSP_ERROR);
  expect_text(csp_error_message(inner), "inner");
  assert_int_equal(csp_type(csp_error_cause(inner)), CSP_NIL);
  CspValue own = csp_error(call, csp_string(call, "own", 3), inner);
  assert_true(csp_same(csp_error_cause(own), inner));
}

static void an_error_has_its_code(void **state) {
  (void)state;
  CspValue word = csp_string(call, "full", 4), n = csp_int(call, INT64_MIN);
  CspValue message = csp_string(call, "text", 4), none = csp_nil();
  expect_text(csp_error_code(csp_error_coded(call, message, none, word)),
              "full");
  CspValue v = csp_error_coded(call, message, none, n);
  assert_true(csp_to_int(csp_error_code(v)) == INT64_MIN);
  v = csp_error_coded(call, message, v, none);
  assert_int_equal(csp_type(csp_error_code(v)), CSP_NIL);
  assert_int_equal(csp_type(csp_error_code(csp_error_cause(v))), CSP_INT);
  v = csp_error(call, message, none);
  assert_int_equal(csp_type(csp_error_code(v)), CSP_NIL);
  expect_text(csp_error_message(v), "text");
  CspValue *made = call_it("coded", 0, NULL);
  expect_text(csp_error_code(made[0]), "own");
  assert_int_equal(csp_to_int(csp_error_code(made[1])), 404);  // its field
  assert_int_equal(csp_type(csp_error_code(made[2])), CSP_NIL);
}

static const struct {
  int error;
  const char *code;
} system_codes[] = {
    {ENOENT, "not_found"},
    {EEXIST, "exists"},
    {EACCES, "permission"},
    {EPERM, "permission"},
    {EROFS, "read_only"},
    {EISDIR, "is_folder"},
    {ENOTDIR, "not_folder"},
    {ENOTEMPTY, "not_empty"},
    {ELOOP, "loop"},
    {ENAMETOOLONG, "too_long"},
    {EXDEV, "other_device"},
    {EDQUOT, "no_space"},
    {ENOMEM, "memory"},
    {EAGAIN, "limit"},
    {EWOULDBLOCK, "limit"},
    {EBUSY, "busy"},
    {EIO, "io"},
    {EBADF, "closed"},
    {EPIPE, "broken_pipe"},
    {ETIMEDOUT, "timeout"},
    {ECANCELED, "cancelled"},
    {EINTR, "interrupted"},
    {ECONNREFUSED, "refused"},
    {ECONNRESET, "reset"},
    {EHOSTUNREACH, "unreachable"},
    {EADDRINUSE, "in_use"},
    {EINVAL, "invalid"},
    {EOPNOTSUPP, "unsupported"},
    {ERANGE, "range"},
    {EUCLEAN, "other"},
    {0, "other"},
    {-7, "other"},
};

static void errors_of_the_system_have_codes(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof system_codes / sizeof *system_codes; n++)
    assert_string_equal(csp_errno_code(system_codes[n].error),
                        system_codes[n].code);
}

static void a_map_is_read_by_name(void **state) {
  (void)state;
  CspValue v, map = call_it("table", 0, NULL)[0];
  assert_true(csp_map_get_name(call, map, "name", &v));
  assert_int_equal(csp_to_int(v), 1);
  assert_true(csp_map_get_name(call, map, "none", &v));
  assert_int_equal(csp_type(v), CSP_NIL);
  assert_false(csp_map_get_name(call, map, "nam", &v));
  assert_false(csp_map_get_name(call, map, "", &v));
  assert_true(csp_map_set_name(call, map, "name", csp_nil()));
  assert_true(csp_map_get_name(call, map, "name", &v));
  assert_int_equal(csp_type(v), CSP_NIL);
}

// Whatever its length was guessed to be, it is a list.
static void a_growing_list_is_a_list(void **state) {
  (void)state;
  static const size_t guesses[] = {0, 1, 1 << 20};
  for (int n = 0; n < 3; n++) {
    CspValue list = csp_list_growing(call, 2, guesses[n]);
    assert_int_equal(csp_list_len(list), 0);
    for (int i = 0; i < 300000; i++)
      assert_true(csp_list_push(call, list, csp_int(call, i)));
    assert_int_equal(csp_list_len(list), 300000);
    for (int i = 0; i < 300000; i++)
      assert_int_equal(csp_to_int(csp_list_get(list, (size_t)i)), i);
  }
  assert_true(csp_is_undef(csp_list_growing(call, (size_t)1 << 50, 0)));
}

// --- Undef ------------------------------------------------------------------
// Fault: csp_list_push, csp_map_set and their kin wrote through a list, map or
// bytes that were undef, as there had been no memory for them.
static void without_memory_nothing_is_put_into(void **state) {
  (void)state;
  CspValue one = csp_int(call, 1), undef = csp_list(call, (size_t)1 << 50);
  assert_true(csp_is_undef(undef));
  assert_false(csp_list_push(call, undef, one));
  assert_false(csp_list_insert(call, undef, 0, one));
  assert_false(csp_list_append(call, undef, &one, 1));
  assert_false(csp_map_set(call, undef, one, one));
  assert_false(csp_map_set_name(call, undef, "name", one));
  assert_false(csp_bytes_append(call, undef, "x", 1));
  assert_false(csp_set_field(call, undef, "name", one));
}

static void what_is_undef_is_put_nowhere(void **state) {
  (void)state;
  CspValue list = csp_list(call, 1), map = csp_map(call, 1);
  CspValue one = csp_int(call, 1), undef = csp_list(call, (size_t)1 << 50);
  assert_false(csp_list_push(call, list, undef));
  assert_false(csp_list_insert(call, list, 0, undef));
  assert_false(csp_map_set(call, map, one, undef));
  assert_false(csp_map_set(call, map, undef, one));
  assert_int_equal(csp_list_len(list), 0);
  assert_int_equal(csp_map_len(map), 0);
  assert_true(csp_is_undef(csp_error(call, undef, csp_nil())));
  assert_true(csp_is_undef(csp_error(call, list, undef)));
  assert_true(csp_is_undef(csp_error_coded(call, list, list, undef)));
  assert_true(csp_is_undef(csp_error_coded(call, undef, list, one)));
}

// --- Tuples -----------------------------------------------------------------
static void a_tuple_is_made_and_read(void **state) {
  (void)state;
  CspValue parts[2] = {csp_int(call, 7), csp_string(call, "x", 1)}, found;
  CspValue tuple = csp_tuple(call, parts, 2), map = csp_map(call, 1);
  assert_int_equal(csp_type(tuple), CSP_TUPLE);
  assert_int_equal(csp_list_len(tuple), 2);
  assert_int_equal(csp_to_int(csp_list_get(tuple, 0)), 7);
  assert_int_equal(csp_type(csp_list_get(tuple, 2)), CSP_NIL);
  assert_true(csp_map_set(call, map, tuple, parts[0]));
  assert_true(csp_map_get(call, map, csp_tuple(call, parts, 2), &found));
  assert_false(csp_map_get(call, map, csp_tuple(call, parts, 1), &found));
  assert_true(csp_equal(csp_tuple(call, NULL, 0), csp_tuple(call, NULL, 0)));
  parts[1] = csp_list(call, (size_t)1 << 50);
  assert_true(csp_is_undef(csp_tuple(call, parts, 2)));
}

// The host's call is one for all that the host does: what failed before is
// over.
static void the_host_goes_on_after_a_failure(void **state) {
  (void)state;
  CspValue deep = csp_tuple(call, NULL, 0), outer = deep;
  for (; !csp_is_undef(outer); outer = csp_tuple(call, &deep, 1)) deep = outer;
  size_t len, at = 0;
  char *error, *bytes = csp_to_cbor(call, csp_int(call, 7), 9, &len, &error);
  assert_non_null(bytes);
  free(bytes);
  CspValue list = csp_list(call, 1), map = csp_map(call, 1);
  assert_true(csp_list_push(call, list, csp_int(call, 7)));
  assert_false(csp_map_set(call, map, csp_float(call, NAN), list));
  assert_false(csp_list_push(call, list, outer));
  assert_true(csp_list_find(call, list, csp_int(call, 7), &at, 1));
  assert_int_equal(csp_find(call, "abc", 3, "c", 1), 2);
}

// --- Channels ---------------------------------------------------------------
// Also of the sizes that have a mapping of their own.
static void a_room_is_cut(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 40, 5000, 70000, 8 << 20};
  for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++) {
    char *data, kept[2] = {0};
    size_t cut = sizes[n] / 2;
    CspValue room = csp_string_room(call, sizes[n], &data);
    memset(data, 'a', sizes[n]);
    csp_cut_room(room, cut);
    size_t len;
    assert_int_equal(strlen(csp_to_string(room, &len)), cut);
    assert_int_equal(len, cut);
    CspValue bytes = csp_bytes_room(call, sizes[n], &data);
    memset(data, 'b', sizes[n]);
    csp_cut_room(bytes, cut);
    assert_int_equal(csp_bytes_len(bytes), cut);
    assert_true(csp_bytes_append(call, bytes, "c", 1));
    assert_int_equal(csp_bytes_read(bytes, cut, kept, 2), 1);
    assert_string_equal(kept, "c");
  }
}

static void channels_do_not_wait(void **state) {
  (void)state;
  CspValue v, c = csp_chan(call, 2);
  assert_false(csp_try_recv(call, c, &v));
  assert_int_equal(csp_try_send(call, c, csp_int(call, 1)), CSP_SENT);
  assert_int_equal(csp_try_send(call, c, csp_int(call, 2)), CSP_SENT);
  assert_int_equal(csp_try_send(call, c, csp_int(call, 3)), CSP_FULL);
  assert_true(csp_try_recv(call, c, &v));
  assert_int_equal(csp_to_int(v), 1);
  assert_true(csp_close(call, c));
  assert_false(csp_close(call, c));
  assert_int_equal(csp_try_send(call, c, csp_int(call, 4)), CSP_CHAN_CLOSED);
  assert_true(csp_try_recv(call, c, &v));
  assert_int_equal(csp_to_int(v), 2);
}

static void nothing_to_receive_is_nil(void **state) {
  (void)state;
  CspValue v = csp_bool(true), c = csp_chan(call, 1);
  assert_false(csp_try_recv(call, c, &v));
  assert_int_equal(csp_type(v), CSP_NIL);
  csp_close(call, c);
  v = csp_bool(true);
  assert_false(csp_try_recv(call, c, &v));
  assert_int_equal(csp_type(v), CSP_NIL);
}

static void a_timer_is_no_channel(void **state) {
  (void)state;
  CspValue stop, *v = call_it("slow", 0, NULL);
  assert_int_equal(csp_type(v[0]), CSP_TIMER);
  assert_string_equal(csp_type_name(v[0]), "timer");
  assert_true(csp_truthy(v[1]));
  assert_true(csp_method(call, v[0], "stop", &stop));
  csp_call(call, stop, 0, NULL, &result);
  assert_int_equal(result.end, CSP_DONE);
  assert_false(csp_truthy(result.values[0]));
}

static void a_sender_that_waits_is_served(void **state) {
  (void)state;
  CspValue v, c = call_it("waiting", 0, NULL)[0];
  assert_int_equal(csp_step(host.csp, -1), CSP_IDLE);
  assert_true(csp_try_recv(call, c, &v));
  assert_int_equal(csp_to_int(v), 7);
  assert_false(csp_try_recv(call, c, &v));
}

// --- Output -----------------------------------------------------------------
static void what_was_printed_is_flushed(void **state) {
  (void)state;
  call_it("tell", 0, NULL);
  csp_flush_out(host.csp);
  assert_string_equal(host.out, "kept\n");
}

// --- Errors -----------------------------------------------------------------
// A call by the host hands over what there is.
static void errors_are_handed_over(void **state) {
  (void)state;
  CspValue *v = call_it("errors", 0, NULL);
  assert_int_equal(result.count, 4);
  assert_true(csp_is_error(v[0]) && csp_type(v[0]) == CSP_INSTANCE);
  assert_int_equal(csp_type(csp_error_message(v[0])), CSP_NIL);
  assert_int_equal(csp_type(csp_error_cause(v[0])), CSP_NIL);
  assert_int_equal(csp_type(csp_error_trace(csp_host(host.csp), v[0])),
                   CSP_NIL);
  assert_false(csp_is_error(v[1]));
  assert_false(csp_is_error(v[2]));
  assert_true(csp_is_error(v[3]) && csp_type(v[3]) == CSP_ERROR);
  assert_false(csp_is_error(csp_nil()));
  // What `.message` is in a script: a call of the method.
  CspValue method;
  CspResult said;
  assert_true(csp_method(call, v[0], "error", &method));
  assert_int_equal(csp_call(call, method, 0, NULL, &said), CSP_DONE);
  expect_text(said.values[0], "lost");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_view_is_of_strings),
      cmocka_unit_test(the_same_is_more_than_equal),
      cmocka_unit_test(an_error_has_its_message_and_its_cause),
      cmocka_unit_test(an_error_has_its_code),
      cmocka_unit_test(errors_of_the_system_have_codes),
      cmocka_unit_test(a_map_is_read_by_name),
      cmocka_unit_test(a_growing_list_is_a_list),
      cmocka_unit_test(without_memory_nothing_is_put_into),
      cmocka_unit_test(what_is_undef_is_put_nowhere),
      cmocka_unit_test(a_tuple_is_made_and_read),
      cmocka_unit_test(the_host_goes_on_after_a_failure),
      cmocka_unit_test(a_room_is_cut),
      cmocka_unit_test(channels_do_not_wait),
      cmocka_unit_test(nothing_to_receive_is_nil),
      cmocka_unit_test(a_timer_is_no_channel),
      cmocka_unit_test(a_sender_that_waits_is_served),
      cmocka_unit_test(what_was_printed_is_flushed),
      cmocka_unit_test(errors_are_handed_over),
  };
  return cmocka_run_group_tests(tests, open_it, close_stepped);
}
