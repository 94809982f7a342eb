// SPDX-License-Identifier: MIT
// Watching a runtime (docs/debugging.md): the scheduler's hooks for it, its
// counters by name and as text, the file of events.
#include "vm/runtime/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "sched/plain.h"
#include "vm/heap/collect.h"
#include "vm/heap/local.h"
#include "vm/interp/call.h"
#include "vm/object/value_text.h"
#include "vm/runtime/output.h"
#include "vm/runtime/runtime.h"

// --- Hooks ------------------------------------------------------------------
void counters_print(void *host, const char *text, size_t len) {
  output_error(host, text, len);
}

typedef struct EachG {
  void (*fn)(void *arg, G *g);
  void *arg;
} EachG;

static void each_one(void *arg, Goroutine *g) {
  EachG *each = arg;
  each->fn(each->arg, &g->g);
}

void counters_each_g(void *host, void (*fn)(void *arg, G *g), void *arg) {
  EachG each = {fn, arg};
  vm_each_goroutine(&((Csp *)host)->vm, each_one, &each);
}

// The bottom frame is goexit's; the function it calls lies in the frame above.
const char *counters_label(void *host, const G *sg) {
  const Goroutine *g = goroutine_of((G *)(uintptr_t)sg);
  if (g == ((Csp *)host)->vm.main) return "main";
  return function_name(g->stack[2 * FRAME_WORDS - 1]);
}

// --- Counters ---------------------------------------------------------------
// X(name, value)
#define STATES(X)                           \
  X("procs", stats.procs)                   \
  X("idle_procs", stats.idle_procs)         \
  X("threads", stats.threads)               \
  X("idle_threads", stats.idle_threads)     \
  X("runqueue", stats.runqueue)             \
  X("poll_records", records)                \
  X("heap_live", heap.live)                 \
  X("heap_allocated", heap.total_allocated) \
  X("heap_mapped", heap.mapped)             \
  X("collections", heap.collections)        \
  X("pause_ns_last", heap.pause_ns_last)    \
  X("pause_ns_max", heap.pause_ns_max)      \
  X("goroutines_collected", heap.goroutines_collected)

#define X(...) +1
_Static_assert(SCHED_STATS(X) STATES(X) <= COUNTERS_MAX,
               "COUNTERS_MAX is too small");
#undef X

size_t counters_read(Vm *vm, Counter *out) {
  SchedStats stats;
  HeapStats heap;
  sched_stats(vm->sched, &stats);
  heap_stats(vm->heap, &heap);
  // relaxed: any recent value of the sum in csp_fd_open
  uint64_t records = rt_load_relaxed(&vm->poll_records);
  size_t n = 0;
#define X(field, text) out[n++] = (Counter){#field, stats.field};
  SCHED_STATS(X)
#undef X
#define X(name, value) out[n++] = (Counter){name, (uint64_t)(value)};
  STATES(X)
#undef X
  return n;
}

bool csp_counter(Csp *csp, const char *name, uint64_t *value) {
  Counter all[COUNTERS_MAX];
  size_t count = counters_read(&csp->vm, all);
  for (size_t n = 0; n < count; n++) {
    if (strcmp(all[n].name, name) != 0) continue;
    *value = all[n].value;
    return true;
  }
  return false;
}

int csp_lateness(Csp *csp, uint64_t *counts, int room) {
  SchedStats stats;
  sched_stats(csp->vm.sched, &stats);
  int used = 0;
  for (int i = 0; i < LATE_BUCKETS; i++) {
    if (i < room) counts[i] = stats.late[i];
    if (stats.late[i] > 0) used = i + 1;
  }
  return used < room ? used : room;
}

// --- At exit ----------------------------------------------------------------
// "below 512 ns", "below 4.1 us"
static void add_bound(Text *text, double ns) {
  static const char *const units[] = {"ns", "us", "ms", "s"};
  int unit = 0;
  for (; unit < 3 && ns >= 1000; unit++) ns /= 1000;
  char number[32];
  snprintf(number, sizeof number, "below %.3g %s", ns, units[unit]);
  text_addf(text, "  %-18s", number);
}

// From the first bucket with something in it to the last.
static void add_lateness(Text *text, const SchedStats *stats) {
  uint64_t all = 0, seen = 0;
  for (int i = 0; i < LATE_BUCKETS; i++) all += stats->late[i];
  text_addf(text, "late by (samples)    %" PRIu64 "\n", all);
  for (int i = 0; i < LATE_BUCKETS && seen < all; i++) {
    seen += stats->late[i];
    if (seen == 0) continue;
    add_bound(text, 2.0 * (double)((uint64_t)1 << i));
    text_addf(text, " %-9" PRIu64 " %5.1f %%\n", stats->late[i],
              100.0 * (double)seen / (double)all);
  }
}

static void print_stats(Csp *csp) {
  SchedStats stats;
  sched_stats(csp->vm.sched, &stats);
  Text text = {.memory = csp->vm.memory};
#define X(field, name) \
  text_addf(&text, "%-20s %" PRIu64 "\n", name, stats.field);
  SCHED_STATS(X)
#undef X
  Plain plain = plain_begin();
  add_lateness(&text, &stats);
  plain_end(plain);
  if (text.data != NULL) output_error(csp, text.data, text.len);
  text_free(&text);
}

// docs/work-and-span.md explains it.
static void print_work_span(Csp *csp) {
  int64_t work, span;
  sched_work_span(csp->vm.sched, &work, &span);
  char line[128];
  Plain plain = plain_begin();
  int len = snprintf(line, sizeof line,
                     "workspan: T1 %.3f ms, Tinf %.3f ms, parallelism %.2f\n",
                     (double)work / 1e6, (double)span / 1e6,
                     span > 0 ? (double)work / (double)span : 0.0);
  plain_end(plain);
  output_error(csp, line, (size_t)len);
}

static void complain_file(Csp *csp, int error) {
  Text text = {.memory = csp->vm.memory};
  text_addf(&text, "cspvm: CSPDEBUG: cannot write %s: %s\n", csp->debug.trace,
            plain_error(error));
  if (text.data != NULL) output_error(csp, text.data, text.len);
  text_free(&text);
}

static FILE *create(const char *path) {
  int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  int fd = rt_fd_above_streams(open(path, flags, 0666));
  FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
  if (fd >= 0 && file == NULL) close(fd);
  return file;
}

void counters_open(Csp *csp) {
  if (csp->debug.trace == NULL) return;
  csp->trace_out = create(csp->debug.trace);
  if (csp->trace_out == NULL) complain_file(csp, errno);
}

void counters_close(Csp *csp) {
  if (csp->debug.schedstats) print_stats(csp);
  if (csp->debug.workspan) print_work_span(csp);
  if (csp->trace_out == NULL) return;
  sched_trace_write(csp->vm.sched, csp->trace_out);
  bool failed = ferror(csp->trace_out) != 0;
  errno = 0;
  failed |= fclose(csp->trace_out) != 0;
  csp->trace_out = NULL;
  if (failed) complain_file(csp, errno != 0 ? errno : EIO);
}
