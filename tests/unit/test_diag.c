// SPDX-License-Identifier: MIT
// What stands under the front end: the arena and its names, messages, and the
// nearest of some names.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h wants those before it
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/arena.h"
#include "lang/diag.h"
#include "lang/parse/foreign.h"
#include "lang/source.h"
#include "vm/object/suggest.h"
#include "vm/value/utf8.h"

static void test_suggest(void **state) {
  (void)state;
  Suggest suggest = {.wanted = "printn"};
  suggest_try(&suggest, "print");
  suggest_try(&suggest, "println");
  suggest_try(&suggest, "sprint");
  assert_string_equal(suggest.best, "print");
  suggest = (Suggest){.wanted = "greetign"};
  suggest_try(&suggest, "greeting");
  assert_string_equal(suggest.best, "greeting");
  suggest = (Suggest){.wanted = "Value"};
  suggest_try(&suggest, "valve");
  suggest_try(&suggest, "value");
  assert_string_equal(suggest.best, "value");
  suggest = (Suggest){.wanted = "x"};
  suggest_try(&suggest, "y");
  suggest_try(&suggest, "xy");
  assert_null(suggest.best);
  assert_string_equal(suggest_foreign("null"), "write `nil`");
  assert_null(suggest_foreign("nil"));
  assert_string_equal(suggest_foreign_name("null"), "write `nil`");
  assert_string_equal(suggest_foreign_name("append"), "write `xs.push(v)`");
  assert_null(suggest_foreign("append"));
}

static void test_warnings(void **state) {
  (void)state;
  Source source = {.path = "t", .text = "a\nb c\n", .len = 6};
  Diags *diags = diags_new(&mem_libc, &source);
  diag_warn(diags, (Pos){2, 3, 4}, 1, "late");
  diag_warn(diags, (Pos){1, 1, 0}, 1, "early");
  diag_hint(diags, "a hint");
  assert_int_equal(diags_errors(diags), 0);
  assert_int_equal(diags_warnings(diags), 2);
  char *text = diags_text(diags);
  assert_string_equal(text,
                      "t:1:1: warning: early\n    a\n    ^\n    a hint\n"
                      "t:2:3: warning: late\n    b c\n      ^\n");
  mem_free(text);
  diags_free(diags);
}

static void test_intern(void **state) {
  (void)state;
  Arena *arena = arena_new(&mem_libc, 1);
  const AstStr *first = arena_intern(arena, "name0", 5);
  for (int i = 0; i < 5000; i++) {
    char text[16];
    int len = snprintf(text, sizeof text, "name%d", i);
    const AstStr *name = arena_intern(arena, text, (size_t)len);
    assert_string_equal(name->text, text);
    assert_ptr_equal(name, arena_intern(arena, text, (size_t)len));
  }
  assert_ptr_equal(first, arena_intern(arena, "name0", 5));
  char *big = arena_alloc(arena, 3000000);
  assert_int_equal(big[2999999], 0);
  assert_int_equal((uintptr_t)big % 16, 0);
  arena_free(arena);
}

static void test_same_place(void **state) {
  (void)state;
  Source source = {.path = "t", .text = "a b", .len = 3};
  Diags *diags = diags_new(&mem_libc, &source);
  diag_error(diags, (Pos){1, 3, 2}, 9, "first");
  diag_error(diags, (Pos){1, 3, 2}, 1, "second");
  diag_hint(diags, "of the second");
  assert_int_equal(diags_errors(diags), 1);
  char *text = diags_text(diags);
  assert_string_equal(text, "t:1:3: error: first\n    a b\n      ^\n");
  mem_free(text);
  diags_free(diags);
}

static void test_long_line(void **state) {
  (void)state;
  char line[1001];
  memset(line, 'x', 1000);
  memcpy(line + 600, "here", 4);
  line[1000] = '\0';
  Source source = {.path = "t", .text = line, .len = 1000};
  Diags *diags = diags_new(&mem_libc, &source);
  diag_error(diags, (Pos){1, 601, 600}, 4, "in the middle");
  char *text = diags_text(diags);
  char *shown = strchr(text, '\n') + 1;
  char *caret = strchr(shown, '\n') + 1;
  assert_in_range(caret - shown, 4, 200);
  size_t column = (size_t)(strchr(caret, '^') - caret);
  assert_memory_equal(shown + column, "herex", 5);
  assert_string_equal(caret + column, "^~~~\n");
  mem_free(text);
  diags_free(diags);
}

static void test_utf8(void **state) {
  (void)state;
  assert_int_equal(utf8_sequence("a", 1), 1);
  assert_int_equal(utf8_sequence("\xc3\xa9", 2), 2);
  assert_int_equal(utf8_sequence("\xf0\x9f\x98\x80", 4), 4);
  assert_int_equal(utf8_sequence("\xf0\x9f\x98\x80", 3), 0);  // cut off
  assert_int_equal(utf8_sequence("\xc0\x80", 2), 0);          // overlong
  assert_int_equal(utf8_sequence("\xe0\x9f\xbf", 3), 0);      // overlong
  assert_int_equal(utf8_sequence("\xed\xa0\x80", 3), 0);      // a surrogate
  assert_int_equal(utf8_sequence("\xf4\x90\x80\x80", 4), 0);  // too large
  assert_int_equal(utf8_sequence("\x80", 1), 0);
  assert_int_equal(utf8_sequence("", 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_suggest),    cmocka_unit_test(test_warnings),
      cmocka_unit_test(test_same_place), cmocka_unit_test(test_long_line),
      cmocka_unit_test(test_utf8),       cmocka_unit_test(test_intern),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
