// SPDX-License-Identifier: MIT
// Runtimes: making, running a script, ending.
//
// A Csp owns a scheduler, a heap and a Vm. All work before csp_run happens on
// the calling thread with the Local of P 0 (vm->boot); csp_run makes the main
// goroutine and hands the thread to the scheduler until the program ends.
#include "vm/runtime/vm.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/plain.h"
#include "vm/api/api_host.h"
#include "vm/code/dis.h"
#include "vm/code/proto.h"
#include "vm/heap/collect.h"
#include "vm/heap/local.h"
#include "vm/heap/unit.h"
#include "vm/heap/work.h"
#include "vm/interp/again.h"
#include "vm/interp/call_native.h"
#include "vm/interp/interp.h"
#include "vm/interp/lock_wait.h"
#include "vm/interp/native_call.h"
#include "vm/interp/panic.h"
#include "vm/interp/rows.h"
#include "vm/interp/stack.h"
#include "vm/interp/stack_trace.h"
#include "vm/interp/task.h"
#include "vm/object/value_text.h"
#include "vm/runtime/api_call.h"
#include "vm/runtime/api_go.h"
#include "vm/runtime/api_threads.h"
#include "vm/runtime/boot.h"
#include "vm/runtime/cancel_main.h"
#include "vm/runtime/config.h"
#include "vm/runtime/counters.h"
#include "vm/runtime/options.h"
#include "vm/runtime/output.h"
#include "vm/runtime/park.h"
#include "vm/runtime/paths.h"
#include "vm/runtime/report.h"
#include "vm/runtime/runtime.h"

static const int64_t LINGER_NS = 50 * 1000 * 1000;

// --- Hooks of the scheduler -------------------------------------------------
static bool p_init(void *host, P *p) {
  Csp *csp = host;
  Local *local = mem_zeroed(csp->vm.memory, sizeof *local);
  if (local == NULL) return false;
  heap_local_init(&local->heap, csp->vm.heap);
  local->vm = &csp->vm;
  local->p = p;
  interp_init(local);
  p->local = local;
  return true;
}

static void p_free(void *host, P *p) {
  Local *local = local_of(p);
  if (local == NULL) return;
  ((Csp *)host)->balance += local->balance;
  heap_local_free(local);
  mem_free(local);
  p->local = NULL;
}

static bool idle(void *host, bool may_block) {
  return output_flush_idle(host, may_block);
}
static void deadlock(void *host) { report_deadlock(&((Csp *)host)->vm); }
static void want_gc(void *host) { heap_want_gc(((Csp *)host)->vm.heap); }
static void barrier(void *host, P *p, uint64_t old_word, uint64_t new_word) {
  (void)host;
  Value slot = old_word;
  heap_barrier(p != NULL ? &local_of(p)->heap : NULL, &slot, new_word);
}

// --- Hooks of the heap ------------------------------------------------------
static void on_leak(void *arg, Goroutine *g) {
  Csp *csp = arg;
  if (!csp->debug.leaks) return;
  Trace *trace = trace_capture(csp->vm.memory, g);
  Text text = {.memory = csp->vm.memory};
  if (trace != NULL) {
    char room[LOCK_WAIT_TEXT];
    text_addf(&text, "leaked: ");
    trace_print(&text, &csp->vm, trace, lock_wait_text(g, room));
  }
  trace_drop(trace);
  if (text.data != NULL) output_error(csp, text.data, text.len);
  text_free(&text);
}

// What a goroutine that will never run again holds outside the heap.
static void release(void *arg, Goroutine *g) {
  (void)arg;
  RT_ASSERT(g->obj.type == OBJ_GOROUTINE);
  panic_free_all(g);
  if (g->on_resume == RESUME_CALL) native_drop(g);
  mem_free(g->pending);
  g->pending = NULL;
}

static void free_trace(void *arg, void *trace) {
  (void)arg;
  trace_drop(trace);
}

// --- Making and freeing -----------------------------------------------------
static SchedConfig sched_config(Csp *csp) {
  const DebugOptions *debug = &csp->debug;
  return (SchedConfig){
      .procs = csp->config.procs > 0 ? csp->config.procs : 0,
      .max_threads = csp->config.max_threads,
      .child_first = csp->config.child_first,
      .stepped = csp->config.stepped,
      .seed = csp->config.seed,
      .empty_word = VALUE_NIL,
      .memory = csp->vm.memory,
      .hooks = {csp, p_init, p_free, idle, deadlock, want_gc, barrier,
                counters_print, counters_each_g, counters_label},
      .trace_line_ns = debug->schedtrace * (int64_t)1000000,
      .trace_details = debug->scheddetail != 0,
      .trace_events = csp->trace_out != NULL ? (uint32_t)debug->traceevents : 0,
      .span_at = debug->workspan != 0 ? GOROUTINE_SPAN_AT : 0};
}

static bool start_main(Csp *csp) {
  Vm *vm = &csp->vm;
  options_read(csp, csp->config.debug);
  counters_open(csp);
  long stress = csp->debug.gcstress;
  vm->library_frames = csp->debug.libraryframes != 0;
  vm->panic_wait_ns = csp->debug.panicwait * (int64_t)1000000;
  vm->heap = heap_new(vm);
  if (vm->heap == NULL) return false;
  const CspConfig *host = &csp->config;
  heap_set_memory(vm->heap, &(HeapMemory){host->map, host->unmap, host->map_arg,
                                          csp->config.stepped});
  HeapHooks hooks = {csp,        on_leak,           release,
                     again_mark, failed_tasks_lost, report_lost_tasks,
                     free_trace};
  heap_set_hooks(vm->heap, &hooks);
  heap_set_limit(vm->heap, csp->config.max_memory);
  heap_set_stress(vm->heap, stress != 0, stress != 0 || csp->debug.poison != 0);
  vm->safepoint_count = stress ? (int)stress : SAFEPOINT_COUNT;
  SchedConfig config = sched_config(csp);
  vm->child_first = config.child_first;
  vm->spans = config.span_at != 0;
  vm->sched = sched_new(&config);
  if (vm->sched == NULL) return false;
  vm->boot = local_of(sched_p(vm->sched, 0));
  RT_ASSERT(vm->boot != NULL && vm->boot->vm == vm);
  vm->hash_seed = csp->config.seed ? csp->config.seed : rt_entropy();
  if (boot_vm(csp)) return host_open(csp);
  errno = ENOMEM;  // a heap at its limit does not set it
  return false;
}

// With its door, in which its memory is. NULL: errno tells.
static Csp *make_csp(const Memory *memory) {
  Csp *csp = mem_zeroed(memory, sizeof *csp);
  if (csp == NULL) return NULL;
  csp->door = door_new(memory, csp);
  if (csp->door == NULL) {
    mem_free(csp);
    return NULL;
  }
  mem_adopt(csp, &csp->door->memory);
  csp->vm.memory = &csp->door->memory;
  return csp;
}

static const VmHooks hooks = {.exit = vm_exit,
                              .report_panic = report_panic,
                              .report_panic_waiting = report_panic_waiting,
                              .report_error = report_error,
                              .goes_on = vm_goes_on,
                              .report_and_go_on = report_and_go_on,
                              .join_panics = join_panics,
                              .task_failed = vm_task_failed,
                              .task_ended = go_ended,
                              .write = output_write,
                              .flush = vm_out_flush};

Csp *csp_new(const CspConfig *wanted) {
  CspConfig own;
  if (!config_take(&own, wanted)) return NULL;
  Memory memory = {own.alloc, own.alloc_arg};
  Csp *csp = make_csp(own.alloc != NULL ? &memory : &mem_libc);
  if (csp == NULL) return NULL;
  csp->config = own;
  const CspConfig *config = &csp->config;
  Vm *vm = &csp->vm;
  vm->hooks = &hooks;
  vm->allowed = config->allowed;
  vm->stepped = config->stepped;
  vm->code = &csp->code;
  csp->failed_lock.rank = &rank_tasks;
  vm->waits_lock.rank = &rank_waits;
  vm->stack_limit_bytes =
      config->max_stack ? config->max_stack : (uint64_t)256 << 20;
  vm->frame_limit = config->max_frames ? config->max_frames : 1000000;
  vm->goroutine_limit = config->max_goroutines;
  csp->paths.root = -1;
  if (!config_own(csp) || !paths_open(csp) || !output_init(csp) ||
      !start_main(csp)) {
    int error = errno;
    csp_free(csp);
    errno = error;
    return NULL;
  }
  return csp;
}

static void end_stepped(Csp *csp) {
  if (csp->config.stepped && csp->host.local != NULL)
    stepped_end(csp->vm.sched);
}

static void close_goroutine(void *arg, Goroutine *g) {
  native_close(arg, g);
  release(NULL, g);
}

// By csp_free, or by the last thread that was in a blocking call then.
static void free_all(void *arg) {
  Csp *csp = arg;
  Vm *vm = &csp->vm;
  RT_ASSERT(!csp->closing && csp->posts == NULL && csp->wakers == NULL);
  RT_ASSERT(csp->goes == NULL);
  csp->closing = true;
  if (vm->sched != NULL) end_stepped(csp);
  if (vm->boot != NULL && (vm->main != NULL || csp->config.stepped))
    vm_each_goroutine(vm, close_goroutine, vm->boot);
  if (vm->sched != NULL) sched_free(vm->sched);
  vm->sched = NULL;  // what is finalized asks
  heap_free(vm->heap);
  host_methods_free(vm);
  proto_free_all(vm);
  mem_free(vm->names);
  rows_free(vm);
  boot_free(csp);
  options_free(csp);
  output_free(csp);
  mem_free(csp->path);
  mem_free(csp->modules);
  paths_free(csp);
  Door *door = csp->door;
  mem_free(csp);
  door_drop(door);  // the memory is its
}

int csp_free(Csp *csp) {
  if (csp == NULL) return 0;
  vm_out_flush(&csp->vm);
  threads_shut_out(csp);
  report_left(csp);
  if (csp->stuck > 0) {
    // relaxed: output.c reads it, and nothing else depends on it
    rt_store_relaxed(&csp->left, 1u);
    int stuck = sched_leave(csp->vm.sched, free_all, csp);
    if (stuck > 0) return stuck;
  }
  free_all(csp);
  return 0;
}

void *csp_alloc(Csp *csp, void *block, size_t size) {
  return mem_resize(csp->vm.memory, block, size);
}
void csp_alloc_free(void *block) { mem_free(block); }

// --- Running ----------------------------------------------------------------
enum { STATUS_INTERRUPTED = 130 };

// The lexer wants a zero byte after the text. NULL: out of memory.
static char *copy_text(Csp *csp, const char *text, size_t len,
                       char **messages) {
  bool fits = len <= vm_compile_room(&csp->vm);
  char *copy = fits ? mem_alloc(csp->vm.memory, len + 1) : NULL;
  if (copy != NULL) {
    memcpy(copy, text, len);
    copy[len] = '\0';
    *messages = NULL;
  } else {
    *messages =
        mem_copy_text(csp->vm.memory, fits ? "out of memory\n"
                                           : "out of memory: the script is too "
                                             "large for the limit of memory\n");
  }
  return copy;
}

// The compiler asks the host for a module, and it compiles another script.
static bool is_nested(const Csp *csp, const char *function, char **messages) {
  if (!csp->asks_host) return false;
  Text text = {0};  // for the host
  text_addf(&text,
            "%s: by CspConfig.load, while a script is compiled; CspLoad "
            "takes the module's text, or an error\n",
            function);
  *messages = text.data;
  return true;
}

static bool has_run(const Csp *csp, char **messages) {
  if (csp->vm.main == NULL) return false;
  Text text = {0};  // as above
  text_addf(&text, "csp_run: this runtime has run a script; make another\n");
  *messages = text.data;
  return true;
}

// input.text need not end with a zero byte.
static ObjClosure *compile(Csp *csp, CompileInput input, char **messages) {
  int64_t limit = csp->time_limit;
  char *copy = copy_text(csp, input.text, input.len, messages);
  csp->gave_up = false;
  if (copy == NULL) return NULL;
  csp->until = limit > 0 ? rt_now() + limit : 0;
  input.text = copy;
  input.test = csp->test;
  ObjClosure *script = csp->vm.compile(&csp->vm, &input, messages);
  csp->until = 0;
  mem_free(copy);
  return script;
}

ObjClosure *vm_compile(Vm *vm, const char *path, const char *text, size_t len,
                       ObjModule *module, char **messages) {
  CompileInput input = {
      .path = path, .text = text, .len = len, .module = module};
  return compile(runtime_of(vm), input, messages);
}

static void report_output_error(Csp *csp) {
  Text text = {.memory = csp->vm.memory};
  text_addf(&text, "cspvm: cannot write standard output: %s\n",
            plain_error(csp->out.error));
  if (text.data != NULL) output_error(csp, text.data, text.len);
  text_free(&text);
}

// As sched_run, on this thread.
static void run_stepped(Csp *csp) {
  Vm *vm = &csp->vm;
  SteppedRun run = {NULL, RT_FOREVER, true, 0};
  SteppedEnd end = stepped_run(vm->sched, &vm->main->g, &run);
  if (end == STEPPED_STUCK) deadlock(csp);
  // relaxed: this thread reads it, in interrupts_end
  if (end == STEPPED_OVER) rt_store_relaxed(&csp->interrupted, INTERRUPTED);
  report_claim(csp, CSP_FAILED);  // unless it has ended: no step follows
}

CspOutcome vm_run(Csp *csp, ObjClosure *script, int *status) {
  Vm *vm = &csp->vm;
  vm->main = goroutine_new(vm->boot, value_from_obj(script), NULL, 0);
  *status = CSP_FAILED;
  bool began = vm->main != NULL && cancel_main_begin(csp);
  RT_ASSERT(!began || goroutine_is_valid(vm->main));
  if (began && csp->config.stepped) {
    run_stepped(csp);
  } else if (began) {
    began = sched_run(vm->sched, &vm->main->g, LINGER_NS, &csp->stuck) !=
            SCHED_NO_MEMORY;
  }
  bool interrupted = interrupts_end(csp);
  posts_end(csp);
  wakers_end(csp);
  goes_end(csp);
  if (!began) {
    output_no_memory(csp);
    return CSP_FAILED;
  }
  vm_out_flush(vm);
  if (report_left(csp) && csp->status == 0) csp->status = CSP_FAILED;
  at_end_run(csp);
  counters_close(csp);
  *status = interrupted ? STATUS_INTERRUPTED : csp->status;
  if (csp->out.error != 0) {
    report_output_error(csp);
    if (*status == 0) *status = CSP_FAILED;
  }
  // relaxed: the run's threads are joined
  if (rt_load_relaxed(&csp->reported) != 0 && *status == 0)
    *status = CSP_FAILED;
  return *status == 0 ? CSP_RAN : CSP_FAILED;
}

CspOutcome csp_run(Csp *csp, const char *path, const char *text, size_t len,
                   int *status) {
  char *messages;
  *status = CSP_NOT_COMPILED;
  if (is_nested(csp, "csp_run", &messages) || has_run(csp, &messages)) {
    output_error(csp, messages, messages != NULL ? strlen(messages) : 0);
    libc_free(messages);
    return CSP_NOT_COMPILED;
  }
  stepped_work(csp->vm.sched);
  ObjClosure *script = vm_compile(&csp->vm, path, text, len, NULL, &messages);
  CspOutcome outcome;
  if (script != NULL) {
    outcome = vm_run(csp, script, status);
  } else if (csp->gave_up) {  // as a run that is interrupted
    int asked = cancel_main_status(csp);
    *status = asked != 0 ? asked : STATUS_INTERRUPTED;
    outcome = CSP_FAILED;
  } else {
    outcome = CSP_NOT_COMPILED;
    if (messages == NULL) output_no_memory(csp);
    if (messages != NULL) output_error(csp, messages, strlen(messages));
  }
  mem_free(messages);
  stepped_rest(csp->vm.sched);
  return outcome;
}

CspOutcome csp_run_test(Csp *csp, const char *path, const char *text,
                        size_t len, const char *function, int *status) {
  csp->test = function;
  rows_of(&csp->vm, function);
  return csp_run(csp, path, text, len, status);
}

// Compiling alone is something that csp_interrupt ends, too.
static bool by_host(const Csp *csp) {
  return csp->config.stepped && csp->vm.boot->p->current == NULL;
}

static void begin_compile(Csp *csp) {
  if (by_host(csp)) stepped_work(csp->vm.sched);
}

static void end_compile(Csp *csp) {
  if (by_host(csp)) stepped_rest(csp->vm.sched);
}

bool csp_check(Csp *csp, const char *path, const char *text, size_t len,
               char **messages) {
  if (is_nested(csp, "csp_check", messages)) return false;
  *messages = NULL;
  if (!unit_open(&csp->vm)) return false;
  begin_compile(csp);
  char *own;
  CompileInput input = {
      .path = path, .text = text, .len = len, .warnings = true};
  bool fine = compile(csp, input, &own) != NULL;
  if (own != NULL) {
    *messages = libc_hand_over(own, strlen(own));
    fine &= *messages != NULL;
  }
  end_compile(csp);
  unit_close(&csp->vm);  // nobody holds it
  return fine;
}

char *csp_disassemble(Csp *csp, const char *path, const char *text, size_t len,
                      char **messages) {
  if (is_nested(csp, "csp_disassemble", messages)) return NULL;
  begin_compile(csp);
  char *own;
  ObjClosure *script = vm_compile(&csp->vm, path, text, len, NULL, &own);
  *messages = own != NULL ? libc_hand_over(own, strlen(own)) : NULL;
  end_compile(csp);
  if (script == NULL) return NULL;
  Text out = {0};
  dis_proto(&out, &csp->vm, script->proto);
  text_add(&out, "", 1);
  if (!out.failed) return out.data;
  text_free(&out);
  return NULL;
}

void vm_interrupt(Vm *vm, const Goroutine *g, const ObjTask *task) {
  RT_ASSERT(g->obj.type == OBJ_GOROUTINE && task->obj.type == OBJ_TASK);
  // acquire: an id of the next goroutine in g comes with the end of the task,
  // so it is not taken. Pairs with the release in proc_make_runnable
  uint64_t id = rt_load_acquire(&g->g.id);
  // relaxed: the acquire above keeps it after the id. No outcome is read
  if (rt_load_relaxed(&task->state) != TASK_RUNNING) return;
  // relaxed: read at safepoints, in work_interrupted, on its own
  rt_store_relaxed(&vm->interrupt, id);
  sched_interrupt(vm->sched);
}

// Those that were collected have not ended.
int64_t vm_goroutine_count(Vm *vm) {
  HeapStats heap;
  heap_stats(vm->heap, &heap);
  int64_t count = runtime_of(vm)->balance - (int64_t)heap.goroutines_collected;
  for (int n = 0; n < sched_procs(vm->sched); n++)
    // relaxed: a sum over Ps that run on, and count in task.c
    count += rt_load_relaxed(&local_of(sched_p(vm->sched, n))->balance);
  return count;
}

// --- What natives ask of the runtime ----------------------------------------
int csp_args(CspCall *call, char ***argv) {
  const CspConfig *config = &runtime_of(call->vm)->config;
  *argv = config->argv;
  return config->argc;
}

bool csp_is_stepped(const Csp *csp) { return csp->config.stepped; }

bool csp_allows(const Csp *csp, uint32_t bits) {
  return (csp->config.allowed & bits) == bits;
}

int64_t csp_wall_clock(CspCall *call) {
  (void)call;
  return rt_wall_now();
}

int64_t csp_monotonic(CspCall *call) {
  (void)call;
  return rt_now();
}

uint64_t csp_random(CspCall *call) { return sched_random(call->local->p); }

CspStatus csp_exit(CspCall *call, int status) {
  call->later.kind = LATER_EXIT;
  call->later.number = status;
  return CSP_LATER;
}

// --- What the compiler asks of the runtime ----------------------------------
// Most of what it takes is gone when the script runs, so there is always some.
size_t vm_compile_room(Vm *vm) {
  enum { ALWAYS = 4 << 20 };
  size_t room = heap_room(vm->heap);
  return room > ALWAYS ? room : ALWAYS;
}

bool vm_compile_is_over(Vm *vm) {
  Csp *csp = runtime_of(vm);
  work_looked();
  bool stopped = csp->config.stepped
                     ? stepped_is_stopped(vm->sched)
                     // relaxed: interrupt_run stores it. Seen soon
                     : rt_load_relaxed(&csp->interrupted) != 0;
  if (!stopped && vm->main == NULL) stopped = cancel_main_status(csp) != 0;
  if (!stopped && csp->until != 0) stopped = rt_now() >= csp->until;
  csp->gave_up |= stopped;
  return stopped;
}

bool vm_load(Vm *vm, CspLoad *load) {
  Csp *csp = runtime_of(vm);
  if (csp->config.load == NULL) return false;
  csp->asks_host = true;
  bool found = csp->config.load(csp->config.load_arg, load);
  csp->asks_host = false;
  return found;
}

const char *vm_search_path(Vm *vm) { return runtime_of(vm)->config.path; }
