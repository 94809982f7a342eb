// SPDX-License-Identifier: MIT
// What the module sched tells of the runtime: goroutines, counters, dumps.
#include "vm/runtime/builtins_runtime.h"
#include "vm/interp/native_call.h"
#include "vm/runtime/counters.h"
#include "vm/runtime/dump.h"
#include "vm/runtime/runtime.h"
#include "vm/runtime/vm.h"

static CspStatus sched_goroutines_(CspCall *call) {
  return csp_ok_int(call, vm_goroutine_count(call->vm));
}

// How many samples were late by 2^i ns, in the order of i.
static bool put_lateness(CspCall *call, CspValue map) {
  uint64_t counts[LATE_BUCKETS];
  int used = csp_lateness(vm_csp(call->vm), counts, LATE_BUCKETS);
  CspValue list = csp_list(call, LATE_BUCKETS);
  bool fine = !csp_is_undef(list);
  for (int i = 0; i < used && fine; i++)
    fine = csp_list_push(call, list, csp_int(call, (int64_t)counts[i]));
  return fine && csp_map_set_name(call, map, "late_ns", list);
}

static CspStatus sched_stats_(CspCall *call) {
  Counter all[COUNTERS_MAX];
  size_t count = counters_read(call->vm, all);
  CspValue map = csp_map(call, COUNTERS_MAX);
  if (csp_is_undef(map)) return csp_panic_memory(call);
  bool fine = true;
  for (size_t n = 0; n < count && fine; n++)
    fine = csp_map_set_name(call, map, all[n].name,
                            csp_int(call, (int64_t)all[n].value));
  if (fine && put_lateness(call, map)) return csp_ok(call, map);
  return csp_panic_memory(call);
}

// --- dump: a blocking call, as a thread without a P stops the world ---------
// In a stepped runtime it is one for each piece.
typedef struct DumpCall {
  DumpPieces pieces;
  char *text;
} DumpCall;

static void dump_work(void *data) {
  DumpCall *dump = data;
  Csp *csp = dump->pieces.csp;
  if (!csp_is_stepped(csp)) {
    dump_pieces(&dump->pieces);
  } else if (dump_piece(&dump->pieces)) {
    return;
  }
  dump->text = dump_finish(&dump->pieces, csp_vm(csp)->memory);
}

static CspStatus dump_on(CspCall *call, void *data, bool on);

static CspStatus dump_done(CspCall *call, void *data, bool made) {
  DumpCall *dump = data;
  if (made && dump->pieces.more)
    return csp_again(call, dump_on, &dump, sizeof dump, 0);
  char *text = dump->text;
  if (!made) dump_drop(&dump->pieces);
  mem_free(dump);
  if (!made)
    return csp_ok_coded(call, "limit", "sched.dump: %s", csp_no_thread());
  // NULL: no memory, or the program ends at this moment
  if (text == NULL) return csp_panic_memory(call);
  return csp_ok(call, csp_alloc_take(call, text, strlen(text)));
}

// The next piece, after others have run.
static CspStatus dump_on(CspCall *call, void *data, bool on) {
  DumpCall *dump = *(DumpCall **)data;
  if (on) return csp_block(call, dump_work, dump_done, dump);
  dump_drop(&dump->pieces);
  mem_free(dump);
  return CSP_PANIC;
}

static CspStatus sched_dump_(CspCall *call) {
  DumpCall *dump = mem_zeroed(call->vm->memory, sizeof *dump);
  if (dump == NULL) return csp_panic_memory(call);
  dump->pieces.csp = vm_csp(call->vm);
  return csp_block(call, dump_work, dump_done, dump);
}

const CspFunction builtin_runtime_functions[] = {
    CSP_REPEATABLE,
    {"_sched_goroutines", "", sched_goroutines_},
    {"_sched_stats", "", sched_stats_},
    {"_sched_dump", "", sched_dump_},
    {NULL, NULL, NULL}};
