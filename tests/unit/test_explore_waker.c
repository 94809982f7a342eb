// SPDX-License-Identifier: MIT
// A native's wake-up by another thread (vm/runtime/park.c), under interleaving:
// the host wakes while the goroutine waits, while it is told that nobody waits
// any more, and while the runtime is freed. Whatever comes first, make is
// called once, and never before `cancelled` has returned. A waker that was
// woken before is not told. The block is freed once, after its last use.
//
// The channel, the scheduler and the door are the real ones. Of the VM there is
// a Csp in which only what park.c reads is set. The rest of what it calls is
// below.
//
// Found when broken (tests/explore/mutants):
//   csp_wake delivers in TELLING
//   the teller does not deliver
//   the teller's use of a waker is not counted
//   the uses that a post gives up
//   a waker that is made for a runtime that is gone
#include "tests/explore/sched_explore.h"

static void waker_free(void *block);
#define mem_free waker_free
#include "vm/runtime/park.c"
#undef mem_free

typedef struct WakerTest {
  bool waits;   // the goroutine gets the value; else it is cancelled before
  bool leaves;  // the goroutine does not tell: the runtime's end does
} WakerTest;

static Shared world;
static const WakerTest *waker_test;
static Csp csp;
static _Alignas(16) char channel_room[sizeof(ObjChan) + sizeof(uint64_t)];
static CspWaker *waker, *link_data;  // link_data: what the link's object holds
static uint32_t is_made, all_done;   // atomic
static int makes, tells, frees;
static bool telling, woken, woken_before;

enum { LINK = 7, WOKEN_WITH = 42 };

// --- What park.c calls -------------------------------------------------------
// The block stays, spoilt: a later use of it is seen.
static void waker_free(void *block) {
  explore_flush();
  EXPLORE_CHECK(block == waker && frees == 0, "a waker is freed twice");
  memset(block, 0xdd, sizeof *waker);
  frees++;
}

ObjChan *channel_new(Local *local, uint32_t cap) {
  (void)local;
  ObjChan *made = (ObjChan *)(void *)channel_room;
  chan_init(&made->chan, cap);
  return made;
}

CspValue csp_host_new(CspCall *call, const CspClass *klass, void **data) {
  (void)call, (void)klass;
  *data = &link_data;
  return csp_wrap(LINK);
}

void *csp_host_data(CspValue v, const CspClass *klass) {
  (void)klass;
  return v.word == LINK ? &link_data : NULL;
}

uint32_t heap_pin(Heap *heap, Value v) { return (void)heap, v != 0; }
void heap_unpin(Heap *heap, uint32_t pin) { (void)heap, (void)pin; }
Csp *csp_of(CspCall *call) { return (void)call, &csp; }
CspValue csp_nil(void) { return csp_wrap(VALUE_NIL); }
bool csp_is_undef(CspValue v) { return v.word == VALUE_UNDEF; }
CspType csp_type(CspValue v) { return v.word == LINK ? CSP_HOST : CSP_NIL; }
CspValue csp_arg(const CspCall *call, int i) { return csp_wrap(call->args[i]); }
CspStatus csp_ok_nothing(CspCall *call) { return (void)call, CSP_OK; }

// (csp_park is not called here.)
CspStatus csp_panic(CspCall *call, const char *format, ...) {
  (void)call;
  explore_fail("%s", format);
}
CspStatus csp_tail_named(CspCall *call, const char *name, int argc,
                         const CspValue *args) {
  (void)call, (void)argc, (void)args;
  explore_fail("%s", name);
}

// --- The host's two functions ------------------------------------------------
static void told(void *data) {
  EXPLORE_CHECK(data == &tells, "told with another's data");
  EXPLORE_CHECK(!woken_before && tells == 0, "told, and it was woken");
  telling = true;
  explore_yield();
  EXPLORE_CHECK(makes == 0, "make was called before cancelled has returned");
  telling = false;
  tells++;
}

static CspValue make(CspCall *call, void *data) {
  (void)call;
  EXPLORE_CHECK(data == &makes, "make gets another's data");
  EXPLORE_CHECK(!telling && makes == 0, "make is called twice, or too early");
  makes++;
  return csp_wrap(WOKEN_WITH);
}

static void waking_host(void *arg) {
  (void)arg;
  explore_until_set(&is_made);
  csp_wake(waker, make, &makes);
  woken = true;
}

// --- The native -------------------------------------------------------------
static void make_the_waker(void) {
  static Local local;
  CspCall call = {.vm = &csp.vm, .local = &local};
  waker = csp_waker_told(&call, told, &tells);
  EXPLORE_CHECK(waker != NULL && link_data == waker, "out of memory");
  rt_store_seq(&is_made, 1u);
}

static void native(P *p, Task *task) {
  CO_BEGIN;
  make_the_waker();
  if (waker_test->waits) {
    CO_RECV(&((ObjChan *)(void *)channel_room)->chan);
    EXPLORE_CHECK(task->ok && task->word == WOKEN_WITH,
                  "woken with another value");
    EXPLORE_CHECK(makes == 1 && tells == 0, "woken, and told");
  }
  woken_before = woken;
  if (!waker_test->leaves) tell_link(&csp, csp_wrap(LINK));
  sched_end(p, &task->g);
  rt_store_seq(&all_done, 1u);
}
}

static void begin_world(void) {
  is_made = all_done = 0;
  makes = tells = frees = 0;
  telling = woken = woken_before = false;
  waker = link_data = NULL;
  world_init_as(&world, (SchedConfig){.stepped = true}, 1);
  memset(&csp, 0, sizeof csp);
  csp.vm.sched = world.sched;
  csp.vm.memory = &mem_libc;
  csp.door = door_new(&mem_libc, NULL);
  EXPLORE_CHECK(csp.door != NULL && stepped_begin(world.sched),
                "out of memory");
}

static void waker_body(void *arg) {
  waker_test = arg;
  begin_world();
  Sched *sched = world.sched;
  world.tasks[0].g.resume = task_resume_once;
  world.tasks[0].body = native;
  explore_go(waking_host, NULL);
  stepped_work(sched);
  task_go(sched->host.m->p, &world.tasks[0]);
  SteppedRun run = {&all_done, RT_FOREVER, true, 0};
  SteppedEnd end = stepped_run(sched, NULL, &run);
  EXPLORE_CHECK(end == STEPPED_DONE, "it ended with %d", (int)end);
  stepped_rest(sched);
  door_close(csp.door);
  woken_before = woken;
  wakers_free(&csp);
  stepped_end(sched);
  explore_join_all();
  EXPLORE_CHECK(makes == 1, "make was called %d times", makes);
  EXPLORE_CHECK(frees == 1 && csp.wakers == NULL, "the waker is kept");
  EXPLORE_CHECK(csp.door->keepers == 1, "the door has %u", csp.door->keepers);
  door_drop(csp.door);
  mem_free(waker);
  world_free(&world);
}

static void run(const char *name, WakerTest test) {
  Scenario scenario = {
      .name = name, .body = waker_body, .arg = &test, .preemptions = 2};
  assert_true(explore(&scenario));
}

static void is_woken_once(void **state) {
  (void)state;
  run("waker_waits", (WakerTest){.waits = true});
  run("waker_cancelled", (WakerTest){.waits = false});
  run("waker_freed", (WakerTest){.leaves = true});
  run("waker_woken_freed", (WakerTest){.waits = true, .leaves = true});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_woken_once),
  };
  explore_program(4);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
