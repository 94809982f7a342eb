// SPDX-License-Identifier: MIT
// Threads that post, do and interrupt (vm/runtime/api_threads.c) under
// interleaving, while the run ends and the runtime is freed: by one of them, or
// by the script. Each post that was accepted is called, or dropped, once; none
// that was refused is. Each csp_do comes back, and says whether its function
// ended. An interrupt that was in time ends the run, and one that was late does
// nothing. All memory is given back once, and not written to afterwards.
//
// The scheduler and the door are the real ones, with Ms or stepped. Of the VM
// there is a Csp in which only what api_threads.c reads is set; a goroutine is
// a Runner, which does what the prelude's _do does. The host's part (csp_run,
// csp_free) is in host_runs and host_frees, in the order of vm.c.
//
// Found when broken (tests/explore/mutants):
//   a door that is left before the post, closed after its drain, entered by a
//     store, or after a single look
//   its keepers counted by a store, or one too few
//   posts that come after the end
//   a drop of what has begun
//   a waiter that is told while its post is in the list
//   posts that are held for ever
//   an interrupt past the door, or past the end
#include <stdint.h>

static uint32_t posts_ahead_most;
#define POSTS_AHEAD posts_ahead_most

#include "tests/explore/sched_explore.h"
// (the fixture has one, too)
#define task_go vm_task_go
#include "vm/runtime/api_threads.c"
#undef task_go

enum { VISITORS = 3, ASKS = 3, BLOCKS = 128, FREED = 0x5a, RUNNERS = 9 };

// What a thread asks for, one after the other.
typedef enum Ask { NOTHING, POST, DO, INTERRUPT, RELEASE } Ask;
// What the function does that is called. AWAITS: all that
// is called. HOLDS its thread until another SETS.
typedef enum Act {
  RETURNS,
  YIELDS,
  PANICS,
  EXITS,
  FINDS_NO_MEMORY,
  AWAITS,
  HOLDS,
  SETS
} Act;

typedef struct PostTest {
  int procs;       // 0: stepped
  bool leaves;     // the script ends by itself; else only visitors end it
  bool one_step;   // (stepped) the host does not wait for more, and frees it
  int knowing;     // so many need no door: no run ends before their last call
  bool all_run;    // nothing ends it before all has run
  uint32_t ahead;  // POSTS_AHEAD, 0: 2
  struct {
    Ask ask;
    Act act;
  } asks[VISITORS][ASKS];
} PostTest;

// One call of csp_post or csp_do.
typedef struct Item {
  Act act;
  int calls, drops;
  bool accepted;    // by csp_post
  bool waited_for;  // by csp_do
  bool done;        // says csp_do
} Item;

typedef struct Visitor {
  int number;
  CspDoor *door;  // or NULL: it knows that the runtime is there
  Item items[ASKS];
} Visitor;

typedef struct Runner {
  Goroutine goroutine;
  Value args[2];
  int line;
} Runner;

static Shared world;
static const PostTest *post_test;
static Csp *csp;
static Visitor visitors[VISITORS];
static Runner runners[RUNNERS];
static int runners_made, interrupts_in_time, to_call, called;
static uint32_t is_free, is_set;  // atomic

// --- Memory -----------------------------------------------------------------
// What is given back stays, spoilt, until the run's end: a later use is seen.
static struct {
  unsigned char *at;
  size_t size;
  bool freed;
} blocks[BLOCKS];
static int block_count;

static void *take_block(size_t size) {
  EXPLORE_CHECK(block_count < BLOCKS, "too many blocks");
  unsigned char *at = malloc(size);
  EXPLORE_CHECK(at != NULL, "out of memory");
  blocks[block_count].at = at;
  blocks[block_count].size = size;
  blocks[block_count++].freed = false;
  return at;
}

static void *block_alloc(void *arg, void *block, size_t old_size,
                         size_t new_size) {
  (void)arg;
  if (block == NULL) return take_block(new_size);
  EXPLORE_CHECK(new_size == 0, "a block is resized");
  explore_flush();
  RT_STEP_FULL(block);  // others may free it, too
  for (int i = 0; i < block_count; i++) {
    if (blocks[i].at != block) continue;
    EXPLORE_CHECK(!blocks[i].freed, "a block is freed twice");
    blocks[i].freed = true;
    memset(block, FREED, old_size);
    return NULL;
  }
  explore_fail("no block is freed");
}

static const Memory block_memory = {block_alloc, NULL};

static void check_blocks(void) {
  for (int i = 0; i < block_count; i++) {
    EXPLORE_CHECK(blocks[i].freed, "a block of %zu bytes is kept",
                  blocks[i].size);
    for (size_t at = 0; at < blocks[i].size; at++)
      EXPLORE_CHECK(blocks[i].at[at] == FREED,
                    "byte %zu of a freed block of %zu was written", at,
                    blocks[i].size);
  }
}

// Of the run before, which may have failed.
static void free_blocks(void) {
  while (block_count > 0) free(blocks[--block_count].at);
}

// --- What api_threads.c calls -----------------------------------------------
static HostPost *runners_post(const Runner *runner) {
  return (HostPost *)(uintptr_t)value_small(runner->args[0]);
}

static bool call_by(Runner *runner, CspStatus (*fn)(CspCall *call)) {
  CspCall call = {.vm = &csp->vm, .args = runner->args, .argc = 2};
  return fn(&call) == CSP_OK;
}

// As the prelude's _do.
static void runner_resume(P *p, G *g) {
  Runner *runner =
      (Runner *)(void *)((char *)g - offsetof(Runner, goroutine.g));
  Act act = ((const Item *)runners_post(runner)->data)->act;
  if (runner->line++ == 0) {
    if (!call_by(runner, do_run)) {  // as csp_exit: the post may be gone
      sched_park(p, g, WAIT_OTHER, NULL, NULL);
      return;
    }
    if (act == PANICS) runner->args[1] = value_from_small(1);
    if (act == YIELDS) {
      sched_yield_g(p, g);
      return;
    }
  }
  if (act == AWAITS && called < to_call) {
    sched_yield_g(p, g);
    return;
  }
  call_by(runner, do_ended);
  sched_end(p, g);
}

Goroutine *goroutine_new(Local *local, Value function, const Value *args,
                         int argc) {
  (void)local, (void)function, (void)argc;
  EXPLORE_CHECK(runners_made < RUNNERS, "too many goroutines");
  Runner *runner = &runners[runners_made++];
  *runner = (Runner){.args = {args[0], VALUE_NIL}};
  runner->goroutine.g.resume = runner_resume;
  const Item *item = runners_post(runner)->data;
  return item->act == FINDS_NO_MEMORY ? NULL : &runner->goroutine;
}

Value vm_builtin(Local *local, const char *name) {
  return (void)local, (void)name, VALUE_NIL;
}

void report_message(Text *text, Vm *vm, Value v) {
  (void)vm, (void)v;
  text->data = libc_copy("panicked", 8);
}
void text_add(Text *text, const char *data, size_t len) {
  (void)text, (void)data, (void)len;
}
void text_free(Text *text) { (void)text; }
Csp *csp_of(CspCall *call) { return runtime_of(call->vm); }
CspValue csp_arg(const CspCall *call, int i) { return csp_wrap(call->args[i]); }
int64_t csp_to_int(CspValue v) { return value_small(v.word); }
CspStatus csp_ok_nothing(CspCall *call) { return (void)call, CSP_OK; }
void wakers_free(Csp *of) { EXPLORE_CHECK(of == csp, "another's wakers"); }
void goes_end(Csp *of) { EXPLORE_CHECK(of == csp, "another's tasks"); }

// --- What is posted ---------------------------------------------------------
static CspStatus act(CspCall *call, void *data) {
  Item *item = data;
  EXPLORE_CHECK(!rt_load_seq(&is_free), "called, and the runtime is free");
  EXPLORE_CHECK(item->calls == 0 && item->drops == 0, "called once more");
  item->calls++;
  called++;
  if (item->act == HOLDS) explore_until_set(&is_set);
  if (item->act == SETS) rt_store_seq(&is_set, 1u);
  if (item->act == EXITS) {
    sched_exit(call->vm->sched);
    return CSP_PANIC;
  }
  return CSP_OK;
}

static void drop(void *data) {
  Item *item = data;
  EXPLORE_CHECK(!item->waited_for, "what is waited for is dropped");
  EXPLORE_CHECK(item->calls == 0 && item->drops == 0, "dropped once more");
  item->drops++;
}

// --- Visitors ---------------------------------------------------------------
// Where a post was that was waited for there is something else soon.
static __attribute__((noinline)) void spoil_stack(void) {
  volatile unsigned char room[1024];
  for (size_t i = 0; i < sizeof room; i++) room[i] = FREED;
}

static void waits(Csp *of, Item *item) {
  char *message;
  item->waited_for = true;
  item->done = csp_do(of, act, item, &message);
  spoil_stack();
  EXPLORE_CHECK((message != NULL) <= (item->act == PANICS && item->calls == 1),
                "a message, and no panic");
  libc_free(message);
}

static void asks(Csp *of, Ask ask, Item *item) {
  switch (ask) {
    case POST:
      item->accepted = csp_post(of, act, item, drop);
      break;
    case DO:
      waits(of, item);
      break;
    case INTERRUPT:
      if (csp_interrupt(of)) interrupts_in_time++;
      break;
    case RELEASE:
      csp_release_keep(of);
      break;
    default:
      break;
  }
}

static void visits(void *arg) {
  Visitor *visitor = arg;
  for (int i = 0; i < ASKS; i++) {
    Ask ask = post_test->asks[visitor->number][i].ask;
    if (ask == NOTHING) break;
    Csp *of = visitor->door != NULL ? csp_enter(visitor->door) : csp;
    if (of == NULL) continue;
    EXPLORE_CHECK(of == csp, "the door leads elsewhere");
    asks(of, ask, &visitor->items[i]);
    if (visitor->door == NULL) continue;
    EXPLORE_CHECK(!rt_load_seq(&is_free), "freed while one is inside");
    csp_leave(visitor->door);
  }
  if (visitor->door != NULL) csp_door_free(visitor->door);
}

static void begin_visitors(void) {
  for (int n = 0; n < VISITORS; n++) {
    Visitor *visitor = &visitors[n];
    *visitor = (Visitor){.number = n};
    if (post_test->asks[n][0].ask == NOTHING) continue;
    for (int i = 0; i < ASKS; i++)
      visitor->items[i].act = post_test->asks[n][i].act;
    if (n >= post_test->knowing) visitor->door = csp_door(csp);
    explore_go(visits, visitor);
  }
}

static void check_item(const Item *item) {
  bool ends =
      item->act != PANICS && item->act != EXITS && item->act != FINDS_NO_MEMORY;
  EXPLORE_CHECK(!item->done || (item->calls == 1 && ends), "done in vain");
  if (item->waited_for) {
    EXPLORE_CHECK(!post_test->all_run || item->done == ends, "not done");
    return;
  }
  EXPLORE_CHECK(item->calls + item->drops == (item->accepted ? 1 : 0),
                "%s, called %d times and dropped %d times",
                item->accepted ? "accepted" : "refused", item->calls,
                item->drops);
  EXPLORE_CHECK(!post_test->all_run || item->calls == item->accepted,
                "dropped, and the run went on");
}

// --- The host ---------------------------------------------------------------
static bool stays(G *g, void *arg) { return (void)g, (void)arg, true; }

static void script(P *p, Task *task) {
  CO_BEGIN;
  if (!post_test->leaves)
    CO_LEAVE(sched_park(p, &task->g, WAIT_OTHER, stays, NULL));
  CO_YIELD;
  CO_YIELD;
  sched_end(p, &task->g);
  sched_exit(task->shared->sched);
}
}

static void make_csp(void) {
  bool stepped = post_test->procs == 0;
  csp = mem_zeroed(&block_memory, sizeof *csp);
  EXPLORE_CHECK(csp != NULL, "out of memory");
  csp->door = door_new(&block_memory, csp);
  EXPLORE_CHECK(csp->door != NULL, "out of memory");
  mem_adopt(csp, &csp->door->memory);
  csp->vm.memory = &csp->door->memory;
  csp->config.stepped = stepped;
  world_init_as(&world,
                (SchedConfig){.procs = post_test->procs,
                              .stepped = stepped,
                              .memory = csp->vm.memory},
                1);
  csp->vm.sched = world.sched;
  world.tasks[0].g.resume = task_resume_once;
}

// true: it was interrupted.
static bool step_it(void) {
  SteppedRun run = {NULL, RT_FOREVER, !post_test->one_step, 0};
  world.tasks[0].body = script;
  world.running = 1;
  SteppedEnd end = stepped_run(world.sched, &world.tasks[0].g, &run);
  bool stopped = stepped_is_stopped(world.sched);
  EXPLORE_CHECK(end != STEPPED_OVER || stopped, "over, and not stopped");
  stepped_rest(world.sched);
  return stopped;
}

static int asked(Ask ask) {
  int count = 0;
  for (int n = 0; n < VISITORS; n++)
    for (int i = 0; i < ASKS; i++) count += post_test->asks[n][i].ask == ask;
  return count;
}

// As often as it is released; or for ever, as posts may come.
static void keep_it(void) {
  int releases = asked(RELEASE);
  for (int i = 0; i < (releases > 0 ? releases : 1); i++) csp_keep(csp);
}

static bool host_runs(void) {
  if (post_test->procs == 0) {
    EXPLORE_CHECK(stepped_begin(world.sched), "out of memory");
    stepped_work(world.sched);
  }
  keep_it();
  begin_visitors();
  if (post_test->procs == 0) return step_it();
  world_run(&world, script);
  bool interrupted = interrupts_end(csp);
  posts_end(csp);
  return interrupted;
}

static void host_frees(void) {
  threads_shut_out(csp);
  EXPLORE_CHECK(csp->posts == NULL, "posts are left");
  if (post_test->procs == 0) stepped_end(world.sched);
  world_free(&world);
  rt_store_seq(&is_free, 1u);
  Door *door = csp->door;
  mem_free(csp);
  door_drop(door);
}

static void post_body(void *arg) {
  post_test = arg;
  free_blocks();
  is_free = is_set = 0;
  runners_made = interrupts_in_time = called = 0;
  to_call = asked(POST) + asked(DO);
  posts_ahead_most = post_test->ahead > 0 ? post_test->ahead : 2;
  make_csp();
  bool interrupted = host_runs();
  host_frees();
  explore_join_all();
  EXPLORE_CHECK(!interrupted || interrupts_in_time > 0, "a late interrupt");
  // (A stop that comes when the host's step is over ends nothing.)
  EXPLORE_CHECK(interrupted || interrupts_in_time == 0 || post_test->procs == 0,
                "an interrupt was in time, and is lost");
  for (int n = 0; n < VISITORS; n++)
    for (int i = 0; i < ASKS; i++) check_item(&visitors[n].items[i]);
  check_blocks();
}

// --- The door alone ---------------------------------------------------------
static Door *the_door;

static void door_visitor(void *arg) {
  (void)arg;
  if (door_enter(the_door)) {
    EXPLORE_CHECK(!rt_load_seq(&is_free), "inside, and it is free");
    door_leave(the_door);
  }
  door_drop(the_door);
}

static void door_body(void *arg) {
  (void)arg;
  free_blocks();
  is_free = 0;
  the_door = door_new(&block_memory, NULL);
  EXPLORE_CHECK(the_door != NULL, "out of memory");
  for (int i = 0; i < 2; i++) {
    door_keep(the_door);
    explore_go(door_visitor, NULL);
  }
  door_close(the_door);
  rt_store_seq(&is_free, 1u);
  door_drop(the_door);
  explore_join_all();
  check_blocks();
}

static void keepers_drop_the_door(void **state) {
  (void)state;
  Scenario scenario = {.name = "door", .body = door_body, .preemptions = 3};
  assert_true(explore(&scenario));
}

// --- The scenarios ----------------------------------------------------------
static void run(const char *name, PostTest test) {
  Scenario scenario = {
      .name = name, .body = post_body, .arg = &test, .preemptions = 1};
  assert_true(explore(&scenario));
}

static const int kinds[] = {0, 1, 2};
static const char *const kind_names[] = {"stepped", "1", "2"};
enum { KINDS = 3 };

static void run_kinds(const char *what, PostTest test) {
  for (int k = 0; k < KINDS; k++) {
    char name[64];
    snprintf(name, sizeof name, "%s_%s", what, kind_names[k]);
    test.procs = kinds[k];
    run(name, test);
  }
}

static void a_call_ends_the_run(void **state) {
  (void)state;
  run_kinds("post_ends", (PostTest){.knowing = 1,
                                    .asks = {{{POST, EXITS}},
                                             {{DO, RETURNS}, {POST, YIELDS}}}});
  run_kinds("do_ends", (PostTest){.knowing = 1,
                                  .asks = {{{DO, EXITS}},
                                           {{POST, RETURNS}, {DO, RETURNS}}}});
  run_kinds("interrupt_ends",
            (PostTest){.knowing = 1,
                       .asks = {{{INTERRUPT, RETURNS}},
                                {{POST, RETURNS}, {DO, YIELDS}}}});
  run_kinds("release_ends",
            (PostTest){.knowing = 2,
                       .asks = {{{RELEASE, RETURNS}}, {{RELEASE, RETURNS}}}});
}

// More than may be ahead.
static void all_are_called(void **state) {
  (void)state;
  run_kinds(
      "all_run",
      (PostTest){
          .knowing = 3,
          .all_run = true,
          .asks = {{{POST, YIELDS}, {POST, RETURNS}, {RELEASE, RETURNS}},
                   {{DO, RETURNS}, {DO, PANICS}, {RELEASE, RETURNS}},
                   {{POST, RETURNS}, {POST, PANICS}, {RELEASE, RETURNS}}}});
}

// What begins lets another go, which it may wait for; and which runs elsewhere.
static void held_posts_are_let_go(void **state) {
  (void)state;
  run_kinds("awaits",
            (PostTest){
                .knowing = 2,
                .all_run = true,
                .asks = {{{POST, AWAITS}, {POST, AWAITS}, {RELEASE, RETURNS}},
                         {{POST, RETURNS}, {DO, AWAITS}, {RELEASE, RETURNS}}}});
  run("holds",
      (PostTest){.procs = 2,
                 .ahead = 1,
                 .knowing = 1,
                 .all_run = true,
                 .asks = {{{POST, HOLDS}, {POST, SETS}, {RELEASE, RETURNS}}}});
}

static void the_script_ends_the_run(void **state) {
  (void)state;
  run_kinds(
      "leaves",
      (PostTest){
          .leaves = true,
          .asks = {
              {{POST, RETURNS}, {POST, YIELDS}, {POST, RETURNS}},
              {{DO, YIELDS}, {DO, PANICS}},
              {{INTERRUPT, RETURNS}, {POST, RETURNS}, {INTERRUPT, RETURNS}}}});
  run_kinds("no_memory",
            (PostTest){.leaves = true,
                       .asks = {{{POST, FINDS_NO_MEMORY}, {POST, RETURNS}},
                                {{DO, FINDS_NO_MEMORY}, {DO, RETURNS}}}});
}

static void the_host_ends_it(void **state) {
  (void)state;
  run("step_posts",
      (PostTest){.one_step = true,
                 .asks = {{{POST, YIELDS}, {POST, RETURNS}},
                          {{DO, YIELDS}, {DO, RETURNS}},
                          {{INTERRUPT, RETURNS}, {POST, RETURNS}}}});
  run("step_doors",
      (PostTest){.one_step = true,
                 .asks = {{{INTERRUPT, RETURNS}}, {{INTERRUPT, RETURNS}}}});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keepers_drop_the_door),
      cmocka_unit_test(a_call_ends_the_run),
      cmocka_unit_test(all_are_called),
      cmocka_unit_test(held_posts_are_let_go),
      cmocka_unit_test(the_script_ends_the_run),
      cmocka_unit_test(the_host_ends_it),
  };
  explore_program(28);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
