// SPDX-License-Identifier: MIT
// Buffered standard output.
//
// A native adds its text to the buffer under `lock`, which is never held while
// bytes are written. The thread that writes the buffer holds `writing`, so that
// the bytes stay in order. The buffer is written:
//   - when it is long, or ends a line for a terminal. This is a blocking call
//     (call_native.c). A text that would make it too long under a limit on
//     memory, or finds none, is written at once, after it (write_through)
//   - when an M finds nothing to run, or begins a blocking call while there is
//     nothing (output_flush_idle)
//   - before a report on standard error
//   - when a script or the library asks for it (csp_flush_out): os.flush, and a
//     read that waits for a terminal
//   - before a host has the outcome of a call or a step, and before the REPL
//     shows something
//   - at the end of the run, and when the runtime is freed
#include "vm/runtime/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "vm/heap/local.h"
#include "vm/interp/native_call.h"
#include "vm/runtime/runtime.h"

enum { OUTPUT_FULL = 32 * 1024, OUTPUT_MOST = 1 << 20 };

static bool is_missing(int fd) {
  return fcntl(fd, F_GETFD) < 0 && errno == EBADF;
}

bool output_init(Csp *csp) {
  csp->out.terminal = csp->config.write_out == NULL && isatty(STDOUT_FILENO);
  csp->out.closed[STDOUT_FILENO] = is_missing(STDOUT_FILENO);
  csp->out.closed[STDERR_FILENO] = is_missing(STDERR_FILENO);
  csp->out.lock.rank = &rank_output;
  csp->out.writing.rank = &rank_writing;
  return true;
}

void output_free(Csp *csp) {
  for (AtEnd *at = csp->at_end; at != NULL;) {
    AtEnd *next = at->next;
    mem_free(at);
    at = next;
  }
  mem_free(csp->out.data);
}

// A stream that was closed at first stays so. Whatever has its number later is
// somebody's file, if only until that is moved (rt_fd_above_streams).
static int write_stream(const Csp *csp, int fd, const char *data, size_t len) {
  return csp->out.closed[fd] ? EBADF : rt_write_all(fd, data, len);
}

static void output_emit(Csp *csp, const char *data, size_t len) {
  if (rt_load_relaxed(&csp->left)) return;  // relaxed: as in csp_free
  if (csp->config.write_out != NULL) {
    csp->config.write_out(csp->config.write_arg, data, len);
    return;
  }
  int error = write_stream(csp, STDOUT_FILENO, data, len);
  if (error == 0) return;
  // relaxed, both: call_native sees the one soon. The other is read when the
  // run's threads are joined
  rt_store_relaxed(&csp->out.error, error);
  rt_store_relaxed(&csp->vm.output_failed, 1u);
}

// When standard error cannot be written, only the exit status can tell of it. A
// parent process that has closed the other end does not want to know.
void output_error(Csp *csp, const char *data, size_t len) {
  if (rt_load_relaxed(&csp->left)) return;  // relaxed: as in csp_free
  if (csp->config.write_err != NULL) {
    csp->config.write_err(csp->config.write_arg, data, len);
    return;
  }
  int error = write_stream(csp, STDERR_FILENO, data, len);
  if (error != 0 && error != EBADF)
    // relaxed: read when the run's threads are joined
    rt_store_relaxed(&csp->reported, 1u);
}

void output_no_memory(Csp *csp) {
  static const char text[] = "out of memory\n";
  output_error(csp, text, sizeof text - 1);
}

static bool output_reserve(Csp *csp, size_t more) {
  Output *out = &csp->out;
  RT_ASSERT(out->len <= out->cap && (out->cap == 0) == (out->data == NULL));
  if (out->cap - out->len >= more) return true;
  size_t cap = out->cap ? out->cap : OUTPUT_FULL;
  while (cap - out->len < more) cap *= 2;
  char *data = mem_resize(csp->vm.memory, out->data, cap);
  if (data == NULL) return false;
  out->data = data;
  out->cap = cap;
  RT_ASSERT(out->cap - out->len >= more);
  return true;
}

// `writing` held.
static void write_buffer(Csp *csp) {
  Output *out = &csp->out;
  rt_lock(&out->lock);
  char *data = out->data;
  size_t len = out->len;
  RT_ASSERT(len <= out->cap && (len == 0 || data != NULL));
  out->data = NULL;
  out->cap = 0;
  // relaxed, both: the lock is held. call_native and output_flush_idle read
  // them as hints
  rt_store_relaxed(&out->len, (size_t)0);
  rt_store_relaxed(&csp->vm.output_full, 0u);
  rt_unlock(&out->lock);
  if (len > 0) output_emit(csp, data, len);
  mem_free(data);
}

// With a limit on memory, the buffer keeps at most OUTPUT_MOST bytes.
static bool is_flood(const Csp *csp, size_t more) {
  // relaxed: about how much waits. Stored with the lock held
  return csp->config.max_memory != 0 &&
         rt_load_relaxed(&csp->out.len) + more > OUTPUT_MOST;
}

// Writes the buffer, and then this text. It blocks this M, which may have a P.
// That P must not be alone, because others would wait for it.
static void write_through(Csp *csp, P *p, const char *data, size_t len) {
  if (p != NULL) sched_not_alone(p);
  rt_lock(&csp->out.writing);
  write_buffer(csp);
  output_emit(csp, data, len);
  rt_unlock(&csp->out.writing);
}

void output_write(Vm *vm, P *p, const char *data, size_t len) {
  Csp *csp = runtime_of(vm);
  Output *out = &csp->out;
  bool flood = is_flood(csp, len);
  rt_lock(&out->lock);
  bool kept = !flood && output_reserve(csp, len);
  if (kept) {
    RT_ASSERT(len <= out->cap - out->len);
    memcpy(out->data + out->len, data, len);
    // relaxed: the lock is held. output_flush_idle reads it as a hint
    rt_store_relaxed(&out->len, out->len + len);
    bool line = out->terminal && memchr(data, '\n', len) != NULL;
    // relaxed: a hint for call_native. The flush takes the lock
    if (line || out->len >= OUTPUT_FULL)
      rt_store_relaxed(&csp->vm.output_full, 1u);
  }
  rt_unlock(&out->lock);
  if (!kept) write_through(csp, p, data, len);
}

void vm_out_flush(Vm *vm) {
  // relaxed: a thread sees what it has added itself, in output_write. It need
  // not see what others have just added
  if (rt_load_relaxed(&runtime_of(vm)->out.len) != 0) vm_out_settle(vm);
}

void vm_out_settle(Vm *vm) {
  Csp *csp = runtime_of(vm);
  rt_lock(&csp->out.writing);
  write_buffer(csp);
  rt_unlock(&csp->out.writing);
}

// Where poll says that a pipe can be written, it takes at least PIPE_BUF bytes.
static bool would_not_block(const Csp *csp) {
  struct pollfd now = {STDOUT_FILENO, POLLOUT, 0};
  // relaxed: a hint. What others add meanwhile (output_write) is flushed next
  // time
  return csp->config.write_out != NULL ||
         (rt_load_relaxed(&csp->out.len) <= PIPE_BUF && poll(&now, 1, 0) > 0);
}

bool output_flush_idle(Csp *csp, bool may_block) {
  Output *out = &csp->out;
  // relaxed: as above. A thread that adds later looks for itself
  while (rt_load_relaxed(&out->len) > 0) {
    if (!may_block && !would_not_block(csp)) return true;
    // At most one M waits for a slow reader. It also writes what comes
    // meanwhile
    if (!rt_try_lock(&out->writing)) return false;
    write_buffer(csp);
    rt_unlock(&out->writing);
  }
  return false;
}

// This M keeps its P while it writes. The reader may be slow, or may itself
// wait for a goroutine of another P.
void csp_write_err(CspCall *call, const char *data, size_t len) {
  if (call->g != NULL && !native_is_over(call)) sched_not_alone(call->local->p);
  output_error(runtime_of(call->vm), data, len);
}

void csp_flush_err(Csp *csp, const char *data, size_t len) {
  output_error(csp, data, len);
}

void csp_flush_out(Csp *csp) { vm_out_flush(&csp->vm); }

// --- The end of a run -------------------------------------------------------
void csp_report(Csp *csp, const char *text, size_t len) {
  // relaxed: read when the run's threads are joined
  rt_store_relaxed(&csp->reported, 1u);
  output_error(csp, text, len);
}

bool csp_at_end(Csp *csp, void (*end)(Csp *csp)) {
  AtEnd *at = mem_zeroed(csp->vm.memory, sizeof *at);
  if (at == NULL) return false;
  at->end = end;
  RT_ASSERT(end != NULL);
  AtEnd **last = &csp->at_end;
  while (*last != NULL) last = &(*last)->next;
  *last = at;
  return true;
}

void at_end_run(Csp *csp) {
  for (const AtEnd *at = csp->at_end; at != NULL; at = at->next) at->end(csp);
}
