// SPDX-License-Identifier: MIT
// What other threads ask of a runtime: functions to be run in it (csp_do,
// csp_post), and wake-ups of natives that wait for them (csp_waker, csp_wake).
//
// Both are posts of the scheduler (sched_post): their fn runs on an M with a P
// and starts a goroutine, or sends to the channel that the native receives
// from. A function's goroutine runs the prelude's _do, whose deferred call says
// how it ended, in whichever way.
//
// A HostPost is in csp->posts from the call until its goroutine has ended, or
// the run: whoever takes it out of the list (host_lock) tells its waiter, or
// frees it. So it goes into the scheduler's inbox under that lock, too: behind
// it the run may have ended, and the post be gone. A CspWaker is in csp->wakers
// until its post has run, or csp_free; its make is called then.
#include <stdlib.h>

#include "vm/runtime.h"

struct HostPost {
  SchedPost post;  // first: what sched_post hands back
  Csp *csp;
  CspStatus (*fn)(CspCall *call, void *data);
  void *data;
  void (*drop)(void *data);  // or NULL: instead of fn
  bool begun;                // fn has been called: data is its own
  HostPost *next, *prev;     // guarded by host_lock
  bool waited_for;           // by csp_do, on whose stack it is; else malloced
  bool failed;               // with message, or none; written before the note
  char *message;
  RtNote note;
};

// --- The list ---------------------------------------------------------------
// false: the run is over.
static bool post(HostPost *h) {
  Csp *csp = h->csp;
  rt_lock(&csp->host_lock);
  bool open = !csp->run_over;
  if (open) {
    h->next = csp->posts;
    if (h->next != NULL) h->next->prev = h;
    csp->posts = h;
    sched_post_put(csp->vm.sched, &h->post);
  }
  rt_unlock(&csp->host_lock);
  if (open) sched_post_tell(csp->vm.sched);
  return open;
}

// host_lock held
static void unlink_post(HostPost *h) {
  *(h->prev != NULL ? &h->prev->next : &h->csp->posts) = h->next;
  if (h->next != NULL) h->next->prev = h->prev;
}

// It is in the list no more; then it may be gone.
static void end_post(HostPost *h, bool failed, char *message) {
  if (h->waited_for) {
    h->failed = failed;
    h->message = message;
    rt_note_set(&h->note);
  } else {
    if (!h->begun && h->drop != NULL) h->drop(h->data);
    free(message);
    free(h);
  }
}

void posts_end(Csp *csp) {
  for (;;) {
    rt_lock(&csp->host_lock);
    csp->run_over = true;
    HostPost *h = csp->posts;
    if (h != NULL) unlink_post(h);
    rt_unlock(&csp->host_lock);
    if (h == NULL) return;
    end_post(h, true, NULL);
  }
}

// --- Functions --------------------------------------------------------------
// The goroutine that runs it, from here or the native below.
static HostPost *post_of(CspCall *call) {
  return (HostPost *)(uintptr_t)csp_to_int(csp_arg(call, 0));
}

static CspStatus do_run(CspCall *call) {
  HostPost *h = post_of(call);
  h->begun = true;
  return h->fn(call, h->data);
}

// _do_ended(post, panic)
static CspStatus do_ended(CspCall *call) {
  HostPost *h = post_of(call);
  Value panic = csp_arg(call, 1).word;
  Text text = {0};
  if (panic != VALUE_NIL) {
    report_message(&text, call->vm, panic);
    text_add(&text, "", 1);
  }
  rt_lock(&h->csp->host_lock);
  unlink_post(h);
  rt_unlock(&h->csp->host_lock);
  end_post(h, panic != VALUE_NIL, text.failed ? NULL : text.data);
  if (text.failed) text_free(&text);
  return csp_ok_nothing(call);
}

const CspFunction post_functions[] = {{"_do_run", "post", do_run},
                                      {"_do_ended", "post, panic", do_ended},
                                      {NULL, NULL, NULL}};

static void start(P *p, SchedPost *post) {
  HostPost *h = (HostPost *)post;
  Local *l = local_of(p);
  Value number = value_from_small((int64_t)(uintptr_t)h);
  Value function = vm_builtin(l, "_do");
  Goroutine *g =
      function == VALUE_UNDEF ? NULL : goroutine_new(l, function, &number, 1);
  if (g != NULL) {
    g->task = NULL;
    g->created_in = NULL;
    sched_spawn(p, &g->g);
    return;
  }
  rt_lock(&h->csp->host_lock);
  unlink_post(h);
  rt_unlock(&h->csp->host_lock);
  end_post(h, true, NULL);
}

bool csp_do(Csp *csp, CspStatus (*fn)(CspCall *call, void *data), void *data,
            char **message) {
  HostPost h = {.post = {NULL, start},
                .csp = csp,
                .fn = fn,
                .data = data,
                .waited_for = true};
  if (message != NULL) *message = NULL;
  if (!post(&h)) return false;
  rt_note_wait(&h.note, RT_FOREVER);
  if (message != NULL) {
    *message = h.message;
  } else {
    free(h.message);
  }
  return !h.failed;
}

bool csp_post(Csp *csp, CspStatus (*fn)(CspCall *call, void *data), void *data,
              void (*drop)(void *data)) {
  HostPost *h = calloc(1, sizeof *h);
  if (h == NULL) return false;
  *h = (HostPost){
      .post = {NULL, start}, .csp = csp, .fn = fn, .data = data, .drop = drop};
  bool posted = post(h);
  if (!posted) free(h);
  return posted;
}

void csp_keep(Csp *csp) { sched_pin(csp->vm.sched); }
void csp_release_keep(Csp *csp) { sched_unpin(csp->vm.sched); }

// --- Wakers -----------------------------------------------------------------
struct CspWaker {
  SchedPost post;  // first
  Csp *csp;
  ObjChan *chan;  // cap 1; pinned
  uint32_t pin;
  CspValue (*make)(CspCall *call, void *data);
  void *data;
  CspWaker *next, *prev;  // guarded by host_lock
};

static void link_waker(CspWaker *w) {
  Csp *csp = w->csp;
  rt_lock(&csp->host_lock);
  w->next = csp->wakers;
  if (w->next != NULL) w->next->prev = w;
  csp->wakers = w;
  rt_unlock(&csp->host_lock);
}

static void free_waker(CspWaker *w) {
  Csp *csp = w->csp;
  rt_lock(&csp->host_lock);
  *(w->prev != NULL ? &w->prev->next : &csp->wakers) = w->next;
  if (w->next != NULL) w->next->prev = w->prev;
  rt_unlock(&csp->host_lock);
  heap_unpin(csp->vm.heap, w->pin);
  free(w);
}

CspWaker *csp_waker(CspCall *call) {
  CspWaker *w = calloc(1, sizeof *w);
  if (w == NULL) return NULL;
  w->csp = csp_of(call);
  w->chan = channel_new(call->local, 1);
  if (w->chan != NULL)
    w->pin = heap_pin(call->vm->heap, value_from_obj(w->chan));
  if (w->pin == 0) {
    free(w);
    return NULL;
  }
  call->later_value = value_from_obj(w->chan);  // for csp_park: w may be gone
  sched_pin(call->vm->sched);
  link_waker(w);
  return w;
}

CspStatus csp_park(CspCall *call) {
  CspValue chan = csp_wrap(call->later_value);
  return csp_tail_named(call, "_park", 1, &chan);
}

static void wake(P *p, SchedPost *post) {
  CspWaker *w = (CspWaker *)post;
  Csp *csp = w->csp;
  CspCall call = {.local = local_of(p), .vm = &csp->vm};
  Value v = w->make != NULL ? w->make(&call, w->data).word : VALUE_NIL;
  if (v == VALUE_UNDEF) v = vm_code(&csp->vm)->memory_error;
  chan_try_send(p, &w->chan->chan, v);
  free_waker(w);
  sched_unpin(csp->vm.sched);
}

void csp_wake(CspWaker *waker, CspValue (*make)(CspCall *call, void *data),
              void *data) {
  waker->post.fn = wake;
  waker->make = make;
  waker->data = data;
  sched_post(waker->csp->vm.sched, &waker->post);
}

void posts_free(Csp *csp) {
  posts_end(csp);
  CspCall call = {.local = csp->vm.boot, .vm = &csp->vm};
  for (CspWaker *w; (w = csp->wakers) != NULL; free_waker(w))
    if (w->make != NULL) w->make(&call, w->data);
}
