// SPDX-License-Identifier: MIT
// What must hold of the compiler's and the formatter's structures: the
// functions that check it find what is broken on purpose, and are asked where
// the structure changes.
#include "breach_fixture.h"
#include "compile_fixture.h"
#include "lang/arena.h"
#include "lang/depth.h"
#include "lang/diag.h"
#include "lang/gen/balance.h"
#include "lang/gen/emit.h"
#include "lang/gen/expr.h"
#include "lang/gen/func.h"
#include "lang/gen/stmt.h"
#include "lang/parse/open_text.h"
#include "lang/parse/parse.h"
#include "lang/parse/trail.h"
#include "lang/resolve/resolve.h"
#include "lang/resolve/scope.h"
#include "lang/shape.h"
#include "lang/source.h"
#include "lang/table.h"
#include "vm/code/proto.h"
#include "vm/interp/native_call.h"
// the insides of an Arena and of Diags
#include "lang/arena.c"
#include "lang/diag.c"
#include "lang/format/brackets.h"
#include "lang/format/sheet.h"
#include "lang/format/words.h"

// --- Code -------------------------------------------------------------------
static Loader loader;
static Func func;
static Compiler compiler;
static Instr code[8];

static Arena *shared;  // of all compilers here

static void begin(void) {
  loader = (Loader){.allowance.bytes = SIZE_MAX / 2};
  func = (Func){.gen = {.code = code, .ncode = 8, .code_cap = 8}};
  if (shared == NULL) shared = arena_new(&mem_libc, 1);
  compiler = (Compiler){.loader = &loader, .func = &func, .arena = shared};
}

static void registers_are_taken_by_variables(void **state) {
  (void)state;
  begin();
  func.gen.top = func.gen.active = 3;
  func.gen.max = 4;
  assert_true(registers_are_balanced(&func));
  func.gen.top = 4;
  assert_false(registers_are_balanced(&func));
  func.gen.top = 3, func.gen.max = 2;
  assert_false(registers_are_balanced(&func));
  func.gen.max = REGISTERS_MAX + 1;
  assert_false(registers_are_balanced(&func));
}

static void break_registers(void) {
  Node block = {.kind = NODE_BLOCK};
  begin();
  func.gen.top = 2;
  func.gen.active = 1;
  stmt(&compiler, &block);
}

static void two_jumps(void) {
  begin();
  code[2] = instr_j(OP_JMP, NO_JUMP);
  code[5] = instr_j(OP_MOVE, 2);  // a word of its own
}

static void a_list_of_jumps_goes_back(void **state) {
  (void)state;
  two_jumps();
  assert_true(jumps_are_waiting(&func, NO_JUMP));
  assert_true(jumps_are_waiting(&func, 5));
  assert_false(jumps_are_waiting(&func, 8));
  code[2] = instr_j(OP_JMP, 5);
  assert_false(jumps_are_waiting(&func, 5));
  code[2] = instr_j(OP_LOOP, NO_JUMP);
  assert_false(jumps_are_waiting(&func, 5));
}

static void break_jumps(void) {
  two_jumps();
  emit_patch(&compiler, 5);
  emit_patch(&compiler, 5);  // once more
}

static void operands_have_a_byte(void **state) {
  (void)state;
  assert_true(operands_fit(255, -128, 255));
  assert_false(operands_fit(256, 0, 0));
  assert_false(operands_fit(-1, 0, 0));
  assert_false(operands_fit(0, 256, 0));
  assert_false(operands_fit(0, 0, -129));
}

static void break_operands(void) {
  begin();
  emit_abc(&compiler, (Pos){1, 1, 0}, OP_MOVE, 300, 0, 0);
}

static ObjCell cell;
static Value constants[2];

static void one_constant(void) {
  begin();
  constants[0] = value_from_obj(&cell);
  func.gen.constants = constants;
  func.gen.nconstants = 1;
  func.gen.constants_cap = 2;
}

static void an_index_leads_to_its_constant(void **state) {
  (void)state;
  one_constant();
  assert_true(constant_is_there(&compiler, 0, constants[0]));
  assert_false(constant_is_there(&compiler, 0, VALUE_NIL));
  assert_false(constant_is_there(&compiler, 1, constants[1]));
  assert_false(code_is_lost(&compiler));
  compiler.no_memory = true;
  assert_true(code_is_lost(&compiler));
  assert_true(constant_is_there(&compiler, 1, VALUE_NIL));
}

static void break_constants(void) {
  one_constant();
  Symbol symbol = {.kind = SYM_GLOBAL, .cell = &cell};
  table_set(&mem_libc, &func.gen.cell_index, constants[0], 7);
  emit_cell(&compiler, &symbol);
}

static void unknown_names_are_in_broken_modules(void **state) {
  (void)state;
  begin();
  Symbol symbol = {.kind = SYM_UNKNOWN};
  assert_false(symbol_may_be_used(&compiler, &symbol));
  loader.errors = true;
  assert_true(symbol_may_be_used(&compiler, &symbol));
}

static void break_symbol(void) {
  begin();
  Symbol symbol = {.kind = SYM_UNKNOWN};
  expr_read(&compiler, (Pos){1, 1, 0}, &symbol, 0);
}

static void places_rise(void **state) {
  (void)state;
  LineInfo lines[] = {{.at = 0, .line = 1}, {.at = 5, .line = 2}};
  Proto of_two = {.lines = lines, .nlines = 2, .ncode = 8};
  assert_true(lines_are_sorted(&of_two));
  lines[0].at = 5;
  assert_false(lines_are_sorted(&of_two));
  lines[0].at = 0, lines[1].at = 8;
  assert_false(lines_are_sorted(&of_two));
}

static void a_complete_function_has_left_its_loops(void **state) {
  (void)state;
  Exit exit = {0};
  begin();
  compiler.no_memory = true;
  assert_true(func_is_complete(&compiler, &func));
  func.gen.exit = &exit;
  assert_false(func_is_complete(&compiler, &func));
}

// Its places are out of order.
static void break_function(void) {
  Csp *csp = new_runtime();
  begin();
  compiler.vm = csp_vm(csp);
  compiler.local = compiler.vm->boot;
  func = (Func){.proto = proto_new(compiler.vm)};
  func.gen.lines = mem_zeroed(compiler.vm->memory, 4 * sizeof *func.gen.lines);
  func.gen.lines[0] = (LineInfo){.at = 5, .line = 7};
  func.gen.lines[1] = (LineInfo){.at = 0, .line = 8};
  func.gen.nlines = 2;
  func.gen.lines_cap = 4;
  func_generate_file(&compiler, &func, NULL);
}

// --- Names ------------------------------------------------------------------
static Table filled_table(void) {
  Table table = {0};
  for (uint64_t key = 1; key <= 8; key++)
    assert_true(table_set(&mem_libc, &table, key, key));
  return table;
}

static uint32_t first_taken(const Table *table) {
  uint32_t at = 0;
  while (!table->taken[at]) at++;
  return at;
}

static void keys_are_where_they_are_looked_for(void **state) {
  (void)state;
  Table table = filled_table();
  uint32_t at = first_taken(&table);
  uint64_t key = table.slots[2 * at];
  assert_true(lang_table_is_valid(&table));
  table.count++;
  assert_false(lang_table_is_valid(&table));
  table.count--;
  table.slots[2 * at] = table.slots[2 * at] == 1 ? 2 : 1;
  assert_false(lang_table_is_valid(&table));
  table.slots[2 * at] = key;
  table.cap--;
  assert_false(lang_table_is_valid(&table));
  table.cap++;
  table_free(&table);
}

static void break_table(void) {
  Table table = filled_table();
  table.taken[first_taken(&table)] = 0;
  table_set(&mem_libc, &table, 100, 0);
  table_set(&mem_libc, &table, 101, 0);
}

static const AstStr name = {"x", 1};
static Scope scope;
static Symbol symbol_of_scope;

static void one_scope(void) {
  begin();
  scope = (Scope){.symbols = &symbol_of_scope};
  symbol_of_scope = (Symbol){.name = &name, .scope = &scope};
  compiler.scope = &scope;
  table_set(&mem_libc, &compiler.inner, (uint64_t)(uintptr_t)&name,
            (uint64_t)(uintptr_t)&symbol_of_scope);
}

static void symbols_belong_to_their_scope(void **state) {
  (void)state;
  Scope other = {0};
  one_scope();
  assert_true(scope_is_valid(&compiler));
  symbol_of_scope.scope = &other;
  assert_false(scope_is_valid(&compiler));
  symbol_of_scope.scope = &scope;
  table_free(&compiler.inner);
  assert_false(scope_is_valid(&compiler));
}

static void break_scope(void) {
  one_scope();
  symbol_of_scope.scope = NULL;
  scope_pop(&compiler);
}

// --- The tree ---------------------------------------------------------------
static void children_are_of_their_kinds(void **state) {
  (void)state;
  Node one = {.kind = NODE_INT}, two = {.kind = NODE_NAME};
  Node sum = {.kind = NODE_BINARY, .a = &one, .b = &two};
  assert_true(node_is_valid(&sum));
  sum.b = NULL;
  assert_false(node_is_valid(&sum));
  Node block = {.kind = NODE_BLOCK};
  sum.b = &block;
  assert_false(node_is_valid(&sum));
  Node go = {.kind = NODE_GO, .a = &one};
  assert_false(node_is_valid(&go));
  Node loop = {.kind = NODE_FOR, .d = &block};
  assert_true(node_is_valid(&loop));
  loop.b = &block;
  assert_false(node_is_valid(&loop));
  Node define = {.kind = NODE_DEFINE, .a = &two, .b = &one};
  assert_true(node_is_valid(&define));
  two.next = &one;
  assert_false(node_is_valid(&define));
  Node unknown = {.kind = NODE_KIND_COUNT};
  assert_false(node_is_valid(&unknown));
}

static void break_tree(void) {
  Node block = {.kind = NODE_BLOCK};
  Node expr = {.kind = NODE_EXPR, .a = &block};
  begin();
  compiler.arena = arena_new(&mem_libc, 1);
  resolve_stmts(&compiler, &expr);
}

// --- The parser -------------------------------------------------------------
static Parse *parse_seen;

static void *see_parse(void *arg, void *block, size_t before, size_t size) {
  (void)arg, (void)before;
  if (size == 0) {
    free(block);
    return NULL;
  }
  void *moved = realloc(block, size);
  size_t header = size - sizeof(Parse);
  if (size >= sizeof(Parse) && header <= 64)
    parse_seen = (Parse *)(void *)((char *)moved + header);
  return moved;
}

static bool open_one_more(void *arg) {
  (void)arg;
  if (parse_seen != NULL) parse_seen->depth++;
  return false;
}

static void brackets_are_counted_twice(void **state) {
  (void)state;
  Parse *parse = calloc(1, sizeof *parse);
  parse->skipping = true;
  assert_true(parse_is_in_step(parse));
  parse->depth = -1;
  assert_false(parse_is_in_step(parse));
  parse->depth = LANG_MAX_NESTING + 1;
  assert_false(parse_is_in_step(parse));
  free(parse);
}

static void break_parse(void) {
  enum { TEXT = 4096 };
  static char text[TEXT + 1];
  Memory memory = {see_parse, NULL};
  Allowance allowance = {.bytes = SIZE_MAX / 2, .is_over = open_one_more};
  memset(text, ';', TEXT);
  Source source = {.path = "test.csp", .text = text, .len = TEXT};
  Arena *arena = arena_new(&memory, 1);
  arena_limit(arena, &allowance);
  lang_parse(&source, arena, diags_new(&mem_libc, &source));
}

// --- Memory and messages ----------------------------------------------------
static void an_arena_stays_in_its_chunk(void **state) {
  (void)state;
  Arena *arena = arena_new(&mem_libc, 1);
  assert_true(arena_is_valid(arena));
  arena_intern(arena, "name", 4);
  assert_true(arena_is_valid(arena));
  size_t used = arena->used;
  arena->used = arena->chunks->size + ALIGN;
  assert_false(arena_is_valid(arena));
  arena->used = used + 1;
  assert_false(arena_is_valid(arena));
  arena->used = used;
  arena->name_count = arena->name_cap;
  assert_false(arena_is_valid(arena));
  arena_free(arena);
}

static void break_arena(void) {
  Arena *arena = arena_new(&mem_libc, 1);
  arena_alloc(arena, 1);
  arena->used++;
  arena_alloc(arena, 1);
}

static const Source empty_source = {.path = "test.csp", .text = "", .len = 0};

static void messages_are_counted(void **state) {
  (void)state;
  Diags *diags = diags_new(&mem_libc, &empty_source);
  diag_error(diags, (Pos){1, 1, 0}, 1, "wrong");
  assert_true(diags_are_valid(diags));
  diags->list[0].order = 1;
  assert_false(diags_are_valid(diags));
  diags->list[0].order = 0;
  diags->errors = 0;
  assert_false(diags_are_valid(diags));
  diags_free(diags);
}

static void break_diags(void) {
  Diags *diags = diags_new(&mem_libc, &empty_source);
  diag_warn(diags, (Pos){1, 1, 0}, 1, "odd");
  diags->warnings = 0;
  diag_error(diags, (Pos){1, 1, 0}, 1, "wrong");
}

// --- The formatter ----------------------------------------------------------
typedef struct Formatted {
  Source source;
  Arena *arena;
  Diags *diags;
  Trail trail;
  Words words;
} Formatted;

static void make_words(Formatted *formatted) {
  static const char text[] = "f(1)\n";
  *formatted = (Formatted){
      .source = {.path = "test.csp", .text = text, .len = sizeof text - 1}};
  formatted->arena = arena_new(&mem_libc, 1);
  formatted->diags = diags_new(&mem_libc, &formatted->source);
  const Node *tree = parse_with_trail(&formatted->source, formatted->arena,
                                      formatted->diags, &formatted->trail);
  assert_true(words_make(&formatted->words, &formatted->source,
                         &formatted->trail, tree));
}

static void brackets_match(void **state) {
  (void)state;
  Formatted f;
  make_words(&f);
  assert_true(words_are_valid(&f.words));
  f.words.list[1].match = 2;
  assert_false(words_are_valid(&f.words));
  f.words.list[1].match = 3;
  f.words.list[2].notes = 1;
  assert_false(words_are_valid(&f.words));
  words_free(&f.words);
  trail_free(&f.trail);
  diags_free(f.diags);
  arena_free(f.arena);
}

static void break_words(void) {
  Formatted f;
  make_words(&f);
  f.words.list[1].match = f.words.list[3].match = NO_WORD;
  f.words.list[2].offset = 0;
  brackets_mark(&f.words);
}

static void two_lines(Sheet *sheet) {
  *sheet = (Sheet){0};
  sheet_break(sheet, false, 0);
  sheet_text(sheet, "one", 3);
  sheet_break(sheet, false, 0);
  sheet_text(sheet, "two", 3);
}

static void lines_follow_one_another(void **state) {
  (void)state;
  Sheet sheet;
  two_lines(&sheet);
  assert_true(sheet_is_valid(&sheet));
  sheet.lines[1].code = 2;
  assert_false(sheet_is_valid(&sheet));
  sheet.lines[1].code = 3;
  sheet.len++;
  assert_false(sheet_is_valid(&sheet));
  sheet_free(&sheet);
}

static void break_sheet(void) {
  Sheet sheet;
  size_t len;
  two_lines(&sheet);
  sheet.lines[0].code_len = 1;
  sheet_finish(&sheet, &len);
}

// --- What is open -----------------------------------------------------------
static void nothing_is_open_inside_of_a_comment(void **state) {
  (void)state;
  OpenText open = {0};
  assert_true(open_text_is(&open, "f([ /*\n", 7));
  assert_int_equal(open.depth, 3);
  assert_true(open_text_is_valid(&open));
  open.open[1] = open.open[2];
  assert_false(open_text_is_valid(&open));
  open.open[1] = 'f';
  assert_false(open_text_is_valid(&open));
  open.depth = LANG_MAX_NESTING + 1;
  assert_false(open_text_is_valid(&open));
}

static void break_open_text(void) {
  OpenText open = {0};
  open_text_is(&open, "/*\n", 3);
  open.open[open.depth++] = '(';
  open_text_is(&open, "/*\n1\n", 5);
}

// --- Assertions -------------------------------------------------------------
static void assertions_fire(void **state) {
  (void)state;
  expect_breach(break_registers, "registers_are_balanced");
  expect_breach(break_jumps, "jumps_are_waiting");
  expect_breach(break_operands, "operands_fit");
  expect_breach(break_constants, "constant_is_there");
  expect_breach(break_symbol, "symbol_may_be_used");
  expect_breach(break_function, "func_is_complete");
  expect_breach(break_table, "lang_table_is_valid");
  expect_breach(break_scope, "scope_is_valid");
  expect_breach(break_tree, "node_is_valid");
  expect_breach(break_parse, "parse_is_in_step");
  expect_breach(break_arena, "arena_is_valid");
  expect_breach(break_diags, "diags_are_valid");
  expect_breach(break_words, "words_are_valid");
  expect_breach(break_sheet, "sheet_is_valid");
  expect_breach(break_open_text, "open_text_is_valid");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registers_are_taken_by_variables),
      cmocka_unit_test(a_list_of_jumps_goes_back),
      cmocka_unit_test(operands_have_a_byte),
      cmocka_unit_test(an_index_leads_to_its_constant),
      cmocka_unit_test(unknown_names_are_in_broken_modules),
      cmocka_unit_test(places_rise),
      cmocka_unit_test(a_complete_function_has_left_its_loops),
      cmocka_unit_test(keys_are_where_they_are_looked_for),
      cmocka_unit_test(symbols_belong_to_their_scope),
      cmocka_unit_test(children_are_of_their_kinds),
      cmocka_unit_test(brackets_are_counted_twice),
      cmocka_unit_test(an_arena_stays_in_its_chunk),
      cmocka_unit_test(messages_are_counted),
      cmocka_unit_test(brackets_match),
      cmocka_unit_test(lines_follow_one_another),
      cmocka_unit_test(nothing_is_open_inside_of_a_comment),
      cmocka_unit_test(assertions_fire),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
