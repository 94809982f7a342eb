// SPDX-License-Identifier: MIT
// What other threads ask of a runtime, and how they come in at all. They ask
// for functions to be run in it (csp_do, csp_post), and for its end
// (csp_interrupt).
//
// A thread from outside comes through the runtime's door (sched/door.c), which
// csp_free closes before anything else. What the thread does here may end the
// run, and then it must still find the way out.
//
// A function is a post of the scheduler (sched_post): its fn runs on an M with
// a P and starts a goroutine. That runs the prelude's _do, whose deferred call
// says how it ended, in whichever way.
//
// A thread may post faster than the script works. So the scheduler is given
// POSTS_AHEAD functions whose goroutines have not begun, and the others wait
// here, in order (posts_held). A goroutine that begins lets the next one go:
// the scripts' own goroutines then wait for no more than POSTS_AHEAD others. A
// goroutine that has begun does not count, even while it waits. One that has
// not begun will begin, and lets go a function that is held.
//
// A HostPost is in csp->posts from the call until its goroutine has ended, or
// the run. The thread that takes it out of the list (host_lock) tells its
// waiter, or frees it. So it goes into the scheduler's inbox under that lock,
// too, because after that the run may have ended, and the post be gone.
#include "vm/runtime/api_threads.h"

#include <errno.h>
#include <stdlib.h>

#include "vm/heap/local.h"
#include "vm/interp/method_tables.h"
#include "vm/interp/native_call.h"
#include "vm/interp/task.h"
#include "vm/object/value_text.h"
#include "vm/runtime/api_go.h"
#include "vm/runtime/park.h"
#include "vm/runtime/report.h"
#include "vm/runtime/runtime.h"

struct HostPost {
  SchedPost post;  // first: what sched_post hands back
  Csp *csp;
  CspStatus (*fn)(CspCall *call, void *data);
  void *data;
  void (*drop)(void *data);  // or NULL: instead of fn
  bool begun;                // fn has been called: data is its own
  bool ahead;                // guarded by host_lock, as those below
  HostPost *next, *prev;     // of csp->posts
  HostPost *held_next;       // of csp->posts_held
  bool waited_for;  // by csp_do, on whose stack it is; else of Vm.memory
  bool failed;      // with message, or none; written before the note
  char *message;
  RtNote note;
};

// --- The list ---------------------------------------------------------------
#ifndef POSTS_AHEAD
#define POSTS_AHEAD 128  // half of a run queue
#endif

// host_lock held. true: the scheduler has it, and is to be told.
static bool pass_on(HostPost *post) {
  Csp *csp = post->csp;
  RT_ASSERT(post->held_next == NULL && csp->posts_ahead <= POSTS_AHEAD);
  if (csp->posts_ahead == POSTS_AHEAD) {
    *(csp->posts_held != NULL ? &csp->posts_held_last->held_next
                              : &csp->posts_held) = post;
    csp->posts_held_last = post;
    RT_ASSERT(csp->posts_held_last->held_next == NULL);
    return false;
  }
  RT_ASSERT(!post->ahead && !post->begun);
  post->ahead = true;
  csp->posts_ahead++;
  sched_post_put(csp->vm.sched, &post->post);
  return true;
}

// host_lock held. Its goroutine has begun, or never will. true: another post
// takes its place, and the scheduler is to be told.
static bool let_next_go(HostPost *post) {
  Csp *csp = post->csp;
  if (!post->ahead) return false;
  RT_ASSERT(csp->posts_ahead > 0);
  post->ahead = false;
  csp->posts_ahead--;
  HostPost *next = csp->posts_held;
  if (next == NULL || csp->run_over) return false;
  csp->posts_held = next->held_next;
  next->held_next = NULL;
  bool tell = pass_on(next);
  RT_ASSERT(csp->posts_held == NULL || csp->posts_ahead == POSTS_AHEAD);
  return tell;
}

// false: the run is over. By a thread that is inside.
static bool post_inside(HostPost *post) {
  Csp *csp = post->csp;
  rt_lock(&csp->host_lock);
  bool open = !csp->run_over, tell = false;
  if (open) {
    post->next = csp->posts;
    if (post->next != NULL) post->next->prev = post;
    csp->posts = post;
    tell = pass_on(post);
  }
  rt_unlock(&csp->host_lock);
  if (tell) sched_post_tell(csp->vm.sched);
  return open;
}

// The same, of a record that is made for it.
static bool post_new(const HostPost *post) {
  HostPost *copy = mem_alloc(post->csp->vm.memory, sizeof *copy);
  if (copy == NULL) return false;
  *copy = *post;
  if (post_inside(copy)) return true;  // the copy may be gone
  mem_free(copy);
  return false;
}

// Comes in and posts it. Outside there may be no memory to free any more.
static bool post_from_outside(HostPost *post) {
  Door *door = post->csp->door;
  if (!door_enter(door)) return false;
  bool posted = post->waited_for ? post_inside(post) : post_new(post);
  door_leave(door);
  return posted;
}

// host_lock held
static void unlink_post(HostPost *post) {
  RT_ASSERT((post->prev != NULL ? post->prev->next : post->csp->posts) == post);
  RT_ASSERT(post->next == NULL || post->next->prev == post);
  *(post->prev != NULL ? &post->prev->next : &post->csp->posts) = post->next;
  if (post->next != NULL) post->next->prev = post->prev;
}

// Out of the list, by a goroutine or the P that could not start one.
static void take_out(HostPost *post) {
  Csp *csp = post->csp;
  rt_lock(&csp->host_lock);
  unlink_post(post);
  bool tell = let_next_go(post);
  rt_unlock(&csp->host_lock);
  if (tell) sched_post_tell(csp->vm.sched);
}

// It is in the list no more; then it may be gone.
static void end_post(HostPost *post, bool failed, char *message) {
  if (post->waited_for) {
    post->failed = failed;
    post->message = message;
    rt_note_set(&post->note);
  } else {
    if (!post->begun && post->drop != NULL) post->drop(post->data);
    libc_free(message);
    mem_free(post);
  }
}

void posts_end(Csp *csp) {
  for (;;) {
    rt_lock(&csp->host_lock);
    csp->run_over = true;
    HostPost *post = csp->posts;
    if (post != NULL) unlink_post(post);
    rt_unlock(&csp->host_lock);
    if (post == NULL) return;
    end_post(post, true, NULL);
  }
}

// --- Functions --------------------------------------------------------------
// The goroutine that runs it, from here or the native below.
static HostPost *post_of(CspCall *call) {
  return (HostPost *)(uintptr_t)csp_to_int(csp_arg(call, 0));
}

static CspStatus do_run(CspCall *call) {
  HostPost *post = post_of(call);
  Csp *csp = post->csp;
  RT_ASSERT(!post->begun && csp == csp_of(call));
  post->begun = true;
  rt_lock(&csp->host_lock);
  bool tell = let_next_go(post);
  rt_unlock(&csp->host_lock);
  if (tell) sched_post_tell(csp->vm.sched);
  return post->fn(call, post->data);
}

// _do_ended(post, panic)
static CspStatus do_ended(CspCall *call) {
  HostPost *post = post_of(call);
  Value panic = csp_arg(call, 1).word;
  Text text = {0};
  if (panic != VALUE_NIL) {
    report_message(&text, call->vm, panic);
    text_add(&text, "", 1);
  }
  take_out(post);
  end_post(post, panic != VALUE_NIL, text.failed ? NULL : text.data);
  if (text.failed) text_free(&text);
  return csp_ok_nothing(call);
}

const CspFunction post_functions[] = {{"_do_run", "post", do_run},
                                      {"_do_ended", "post, panic", do_ended},
                                      {NULL, NULL, NULL}};

static void start_post(P *p, SchedPost *sched_post) {
  HostPost *post = (HostPost *)sched_post;
  Local *local = local_of(p);
  Value number = value_from_small((int64_t)(uintptr_t)post);
  Value function = vm_builtin(local, "_do");
  Goroutine *g = function == VALUE_UNDEF
                     ? NULL
                     : goroutine_new(local, function, &number, 1);
  if (g != NULL) {
    g->task = NULL;
    g->created_in = NULL;
    sched_spawn(p, &g->g);
    return;
  }
  take_out(post);
  end_post(post, true, NULL);
}

bool csp_do(Csp *csp, CspStatus (*fn)(CspCall *call, void *data), void *data,
            char **message) {
  HostPost h = {.post = {NULL, start_post},
                .csp = csp,
                .fn = fn,
                .data = data,
                .waited_for = true};
  if (message != NULL) *message = NULL;
  if (!post_from_outside(&h)) return false;
  rt_note_wait(&h.note, RT_FOREVER);
  if (message != NULL) {
    *message = h.message;
  } else {
    libc_free(h.message);
  }
  return !h.failed;
}

bool csp_post(Csp *csp, CspStatus (*fn)(CspCall *call, void *data), void *data,
              void (*drop)(void *data)) {
  HostPost h = {.post = {NULL, start_post},
                .csp = csp,
                .fn = fn,
                .data = data,
                .drop = drop};
  return post_from_outside(&h);
}

bool post_to_run(Csp *csp, SchedPost *post) {
  Door *door = csp->door;
  if (!door_enter(door)) return false;
  rt_lock(&csp->host_lock);
  bool open = !csp->run_over;
  if (open) sched_post_put(csp->vm.sched, post);
  rt_unlock(&csp->host_lock);
  if (open) sched_post_tell(csp->vm.sched);
  door_leave(door);
  return open;
}

void csp_keep(Csp *csp) {
  if (!door_enter(csp->door)) return;
  sched_pin(csp->vm.sched);
  door_leave(csp->door);
}

void csp_release_keep(Csp *csp) {
  Door *door = csp->door;
  if (!door_enter(door)) return;
  sched_unpin(csp->vm.sched);
  door_leave(door);
}

// --- Interrupts -------------------------------------------------------------
// The run is over. Was it interrupted? An interrupt that comes later is late.
bool interrupts_end(Csp *csp) {
  // RMW: this or the CAS in interrupt_run is first.
  return rt_exchange(&csp->interrupted, RUN_IS_OVER) == INTERRUPTED;
}

static bool interrupt_run(Csp *csp) {
  if (csp->config.stepped) return stepped_stop(csp->vm.sched);
  uint32_t none = 0;
  // RMW: this or the exchange in interrupts_end is first
  if (!rt_cas(&csp->interrupted, &none, INTERRUPTED) && none == RUN_IS_OVER)
    return false;
  sched_exit_soon(csp->vm.sched);
  return true;
}

bool csp_interrupt(Csp *csp) {
  int saved = errno;  // a signal handler's thread may be about to read it
  Door *door = csp->door;
  bool in_time = false;
  if (door_enter(door)) {
    in_time = interrupt_run(csp);
    door_leave(door);
  }
  errno = saved;
  return in_time;
}

// --- The door ---------------------------------------------------------------
struct CspDoor {
  Door door;
};

static CspDoor *door_of(Door *door) { return (CspDoor *)door; }

CspDoor *csp_door(Csp *csp) {
  door_keep(csp->door);
  return door_of(csp->door);
}

void csp_door_free(CspDoor *door) {
  if (door != NULL) door_drop(&door->door);
}

Csp *csp_enter(CspDoor *door) {
  return door_enter(&door->door) ? door->door.host : NULL;
}

void csp_leave(CspDoor *door) { door_leave(&door->door); }

// Other threads come in no more. Those that are inside soon leave: what they
// wait for is told to be over before they are waited for.
void threads_shut_out(Csp *csp) {
  posts_end(csp);
  door_close(csp->door);
  wakers_free(csp);
  goes_end(csp);
}
