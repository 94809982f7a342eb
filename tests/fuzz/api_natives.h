// SPDX-License-Identifier: MIT
// The natives that scripts of fuzz_api.c call: of each kind that csp.h has.
#ifndef CSP_FUZZ_API_NATIVES_H
#define CSP_FUZZ_API_NATIVES_H

#include "tests/fuzz/api_fds.h"
#include "tests/fuzz/api_texts.h"

// --- Calls ------------------------------------------------------------------
// call(f, args...): what f gives, or its panic.
static CspStatus native_call(CspCall *call) {
  CspValue args[4];
  int argc = csp_argc(call) - 1;
  if (argc < 0) return csp_panic(call, "call: no function");
  if (argc > 4) argc = 4;
  for (int i = 0; i < argc; i++) args[i] = csp_arg(call, i + 1);
  CspResult result;
  CspEnd end = csp_call(call, csp_arg(call, 0), argc, args, &result);
  if (end == CSP_ENDED) return CSP_PANIC;
  if (end != CSP_DONE) return csp_rethrow(call, &result);
  for (int i = 0; i < result.count && i < CSP_RESULTS_MAX; i++)
    csp_return(call, result.values[i]);
  csp_result_free(&result);
  return CSP_OK;
}

static void task_over(void *data, const CspResult *result) {
  (void)result;
  if (data != NULL) csp_wake(data, woken, data);
}

// go(f, x): its task. The end wakes nobody.
static CspStatus native_go(CspCall *call) {
  CspValue x = csp_arg(call, 1);
  CspValue task =
      csp_go(call, csp_arg(call, 0), csp_argc(call) > 1, &x, task_over, NULL);
  return csp_is_undef(task) ? CSP_PANIC : csp_ok(call, task);
}

// go_wait(f): waits for the end of a goroutine that wakes it.
static CspStatus native_go_wait(CspCall *call) {
  CspWaker *waker = csp_waker(call);
  if (waker == NULL) return csp_panic_memory(call);
  CspValue task = csp_go(call, csp_arg(call, 0), 0, NULL, task_over, waker);
  if (!csp_is_undef(task)) return csp_park(call);
  csp_wake(waker, NULL, NULL);
  return CSP_PANIC;
}

static CspStatus native_tail(CspCall *call) {
  CspValue argument = csp_arg(call, 1);
  return csp_tail(call, csp_arg(call, 0), csp_argc(call) > 1, &argument);
}

static CspStatus native_yield(CspCall *call) { return csp_yield(call); }
static CspStatus native_sleep(CspCall *call) { return csp_sleep(call, 1000); }

static CspStatus native_stop(CspCall *call) {
  csp_interrupt(csp_of(call));
  return csp_ok_nothing(call);
}

// --- Waiting ----------------------------------------------------------------
// wait(): until the host wakes it.
static CspStatus native_wait(CspCall *call) {
  CspWaker *waker = csp_waker(call);
  if (waker == NULL) return csp_panic_memory(call);
  if (!add_waker(current, waker)) csp_wake(waker, woken, NULL);
  return csp_park(call);
}

typedef struct Told {
  CspWaker *waker;
} Told;

static CspValue free_told(CspCall *call, void *data) {
  (void)call;
  free(data);
  return csp_nil();
}

static void told(void *data) {
  csp_wake(((Told *)data)->waker, free_told, data);
}

// told(): until it is cancelled. The notice wakes it.
static CspStatus native_told(CspCall *call) {
  Told *notice = malloc(sizeof *notice);
  if (notice == NULL) return csp_panic_memory(call);
  notice->waker = csp_waker_told(call, told, notice);
  if (notice->waker != NULL) return csp_park(call);
  free(notice);
  return csp_panic_memory(call);
}

static CspStatus native_send(CspCall *call) {
  CspValue c;
  if (!csp_need_type(call, 0, CSP_CHAN, &c)) return CSP_PANIC;
  return csp_send(call, c, csp_arg(call, 1));
}

static CspStatus native_recv(CspCall *call) {
  CspValue c;
  if (!csp_need_type(call, 0, CSP_CHAN, &c)) return CSP_PANIC;
  return csp_recv(call, c);
}

static CspStatus native_keep(CspCall *call) {
  keep_at(current, call, csp_arg(call, 0), csp_random(call) % SLOTS);
  return csp_ok_nothing(call);
}

// --- Blocking ---------------------------------------------------------------
typedef struct Block {
  Csp *csp;
  int fd, turns;
  int wait;    // which of the host's, or -1
  bool calls;  // done calls the script
  CspWatch watch;
} Block;

static void block_work(void *data) {
  Block *block = data;
  char byte_read;
  block->turns += csp_in_vain(&block->watch) ? 2 : 1;
  csp_alloc_free(csp_alloc(block->csp, NULL, 100));
  if (block->fd >= 0 && read(block->fd, &byte_read, 1) < 0) block->turns++;
}

static CspStatus block_done(CspCall *call, void *data, bool made) {
  Block *block = data;
  CspResult result;
  int turns = block->turns;
  give_wait(current, block->wait);
  block->wait = -1;
  if (!made) {
    free(block);
    return csp_ok_error(call, "%s", csp_no_thread());
  }
  if (block->calls &&
      csp_call(call, csp_arg(call, 0), 0, NULL, &result) == CSP_DONE) {
    block->calls = false;
    return csp_block_slow(call, block_work, block_done, block);
  }
  bool failed = block->calls;
  free(block);
  return failed ? csp_rethrow(call, &result) : csp_ok_int(call, turns);
}

static CspStatus block_with(CspCall *call, bool slow, bool fd, bool calls) {
  Block *block = calloc(1, sizeof *block);
  if (block == NULL) return csp_panic_memory(call);
  block->calls = calls;
  block->csp = csp_of(call);
  block->watch = csp_watch(call);
  block->wait = fd ? take_wait(current) : -1;
  block->fd = block->wait >= 0 ? current->pipe[0] : -1;
  if (block->wait >= 0) {
    CspWait *wait = &current->waits[block->wait];
    wait->fd = block->fd;
    return csp_block_fd(call, wait, block_work, block_done, block);
  }
  return (slow ? csp_block_slow : csp_block)(call, block_work, block_done,
                                             block);
}

static CspStatus native_block(CspCall *call) {
  return block_with(call, false, false, false);
}
static CspStatus native_block_slow(CspCall *call) {
  return block_with(call, true, false, false);
}
static CspStatus native_block_fd(CspCall *call) {
  return block_with(call, false, true, false);
}
// block_after(): a little later.
static CspStatus native_block_after(CspCall *call) {
  Block *block = calloc(1, sizeof *block);
  if (block == NULL) return csp_panic_memory(call);
  block->csp = csp_of(call);
  block->watch = csp_watch(call);
  block->fd = block->wait = -1;
  int64_t ns = (int64_t)(csp_random(call) % 1000000);
  return csp_block_after(call, ns, block_work, block_done, block);
}
// block_call(f): calls f when it has blocked, and blocks again.
static CspStatus native_block_call(CspCall *call) {
  return block_with(call, true, false, true);
}

// wait_end(): one wait of block_fd, if there is one.
static CspStatus native_wait_end(CspCall *call) {
  csp_wait_end(call, &current->waits[csp_random(call) % WAITS]);
  return csp_ok_nothing(call);
}

// --- In pieces --------------------------------------------------------------
typedef struct Pieces {
  CspValue list;  // kept by the runtime
  int left;
  char *text;
} Pieces;

static CspStatus piece(CspCall *call, void *data, bool on) {
  Pieces p = *(Pieces *)data;
  if (!on) {
    free(p.text);
    return CSP_PANIC;
  }
  while (p.left > 0) {
    p.left--;
    if (csp_list_len(p.list) < 100 &&
        !csp_list_push(call, p.list, csp_string(call, p.text, 30))) {
      free(p.text);
      return CSP_PANIC;
    }
    if (csp_spent(call, 20000)) return csp_again(call, piece, &p, sizeof p, 1);
  }
  free(p.text);
  return csp_ok(call, p.list);
}

// again(n): a list that is made in n pieces.
static CspStatus native_again(CspCall *call) {
  int64_t n;
  if (!csp_need_int(call, 0, &n)) return CSP_PANIC;
  Pieces p = {csp_list(call, 1), (int)(n & 63), calloc(1, 31)};
  if (csp_is_undef(p.list) || p.text == NULL) {
    free(p.text);
    return csp_panic_memory(call);
  }
  return piece(call, &p, true);
}

static CspStatus native_work(CspCall *call) {
  for (int n = 0; n < 200; n++)
    if (!csp_work(call, 10000)) return CSP_PANIC;
  csp_charge(call, 100);
  return csp_ok_nothing(call);
}

// --- Values -----------------------------------------------------------------
static bool each_next(CspCall *call, CspValue of, CspValue with, int64_t *at,
                      CspValue *element) {
  if (*at >= 5) return false;
  *element = *at % 2 ? with : csp_string(call, "an element of each", 18);
  ++*at;
  return !csp_same(of, with);
}

static CspStatus native_each(CspCall *call) {
  return csp_ok_each(call, each_next, csp_arg(call, 0), csp_arg(call, 1), NULL);
}

// A value to bytes and back.
static CspStatus native_cbor(CspCall *call) {
  size_t len;
  char *error,
      *text = csp_alloc_to_cbor(call, csp_arg(call, 0), 100000, &len, &error);
  CspValue v;
  if (text == NULL && error == NULL) return csp_panic_memory(call);
  if (text == NULL) {
    csp_ok_coded(call, "invalid", "%s", error);
    csp_alloc_free(error);
    return CSP_OK;
  }
  bool fine = csp_alloc_from_cbor(call, text, len, NULL, &v, &error);
  csp_alloc_free(text);
  if (!fine && error != NULL) abort();  // what was written can be read
  return fine ? csp_ok_value(call, v) : csp_panic_memory(call);
}

// The same in pieces.
static CspStatus native_packed(CspCall *call) {
  return csp_ok_to_cbor(call, csp_arg(call, 0));
}

static CspStatus native_unpacked(CspCall *call) {
  CspValue data = csp_arg(call, 0);
  if (csp_type(data) != CSP_STRING && csp_type(data) != CSP_BYTES)
    return csp_bad_arg(call, 0, "a string or bytes");
  return csp_ok_from_cbor(call, data);
}

static CspStatus native_vec(CspCall *call) {
  int64_t n;
  if (!csp_need_int(call, 0, &n)) return CSP_PANIC;
  return csp_ok(call, vec_new(call, n));
}

static const CspFunction functions[] = {CSP_REPEATABLE,
                                        {"vec", "n", native_vec},
                                        {"cbor", "v", native_cbor},
                                        {"packed", "v", native_packed},
                                        {"unpacked", "d", native_unpacked},
                                        {"again", "n", native_again},
                                        {"each", "a, b", native_each},
                                        {NULL, NULL, NULL}};
static const CspFunction doing[] = {
    {"call", "f, args...", native_call},
    {"go", "f, x = nil", native_go},
    {"go_wait", "f", native_go_wait},
    {"wait", "", native_wait},
    {"told", "", native_told},
    {"send", "c, v", native_send},
    {"recv", "c", native_recv},
    {"keep", "v", native_keep},
    {"block", "", native_block},
    {"block_slow", "", native_block_slow},
    {"block_fd", "", native_block_fd},
    {"block_after", "", native_block_after},
    {"block_call", "f", native_block_call},
    {"work", "", native_work},
    {"tail", "f, v = nil", native_tail},
    {"yield", "", native_yield},
    {"sleep", "", native_sleep},
    {"stop", "", native_stop},
    {"wait_end", "", native_wait_end},
    {"text", "s", native_text},
    {"find", "s, part", native_find},
    {"format", "v", native_format},
    {"order", "a, b", native_order},
    {"number", "x", native_number},
    {"lists", "a, b", native_lists},
    {"clear", "m", native_clear},
    {"state", "", native_state},
    {"load", "", native_load},
    {"message", "e", native_message},
    {"paths", "n", native_paths},
    {"write", "s", native_write},
    {"exit", "", native_exit},
    {"room", "len, left", native_room},
    {"room_later", "len, left", native_room_later},
    {"args", "", native_args},
    {"link", "", native_link},
    {"link_read", "link", native_link_read},
    {"link_write", "link", native_link_write},
    {"link_close", "link", native_link_close},
    {"layer", "v", native_layer},
    {NULL, NULL, NULL}};
static const CspModule module = {"host", doing, NULL, NULL, 0};
static const CspModule values = {"values", functions, values_init, NULL, 0};
#endif
