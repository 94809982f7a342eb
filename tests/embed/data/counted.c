// The native module `counted`: modules_of_hosts.sh builds it. It has a state of
// the process, a state of each runtime, and a class.
#include <csp.h>
#include <stdatomic.h>

static atomic_int times_loaded;
__attribute__((constructor)) static void loaded(void) {
  atomic_fetch_add(&times_loaded, 1);
}

static CspStatus loads(CspCall *call) {
  return csp_ok_int(call, atomic_load(&times_loaded));
}
static CspStatus name(CspCall *call) {
  return csp_ok_string(call, "native", 6);
}

typedef struct State {
  atomic_int calls;
} State;
static const CspClass state_class = {"counted state", NULL, sizeof(State),
                                     NULL};

// How often it was called in this runtime.
static CspStatus runtime(CspCall *call) {
  State *state = csp_state(csp_of(call), &state_class);
  if (state == NULL) return csp_panic_memory(call);
  return csp_ok_int(call, atomic_fetch_add(&state->calls, 1) + 1);
}

typedef struct Counter {
  int64_t value;
} Counter;
static const CspClass counter_class = {"Counter", NULL, sizeof(Counter), NULL};

static CspStatus counter(CspCall *call) {
  int64_t value;
  void *data;
  if (!csp_need_int(call, 0, &value)) return CSP_PANIC;
  CspValue made = csp_host_new(call, &counter_class, &data);
  if (csp_is_undef(made)) return csp_panic_memory(call);
  ((Counter *)data)->value = value;
  return csp_ok(call, made);
}
static CspStatus counter_value(CspCall *call) {
  Counter *data = csp_host_data(csp_arg(call, 0), &counter_class);
  return csp_ok_int(call, data != NULL ? data->value : -1);
}

static const CspFunction methods[] = {{"value", "counter", counter_value},
                                      {NULL, NULL, NULL}};

static void init(CspCall *call, CspValue module) {
  (void)module;
  if (!csp_register_class(csp_of(call), &state_class, NULL) ||
      !csp_register_class(csp_of(call), &counter_class, methods))
    csp_panic_memory(call);
}

static const CspFunction functions[] = {{"loads", "", loads},
                                        {"name", "", name},
                                        {"runtime", "", runtime},
                                        {"Counter", "value", counter},
                                        {NULL, NULL, NULL}};
static const CspModule module = {"counted", functions, init, NULL, 0};
static const CspNative native = {CSP_API, &module};

CSP_MODULE(counted) { return &native; }
