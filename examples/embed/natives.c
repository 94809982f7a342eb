// SPDX-License-Identifier: MIT
// Functions in C that scripts call, one of each kind:
//
//   cc natives.c $(pkg-config --cflags --libs cspvm) -pthread -o natives
//
// One that gives a value or an error, one that panics, one that blocks its
// thread, one that waits until another thread wakes it, some with state, one
// that calls back, and values of a type of the host's own, with methods.
//
// Goroutines run on several threads at once: what natives share has a lock,
// which is not held while they call the runtime back.
#include <csp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// --- A value, or an error: shop.price(name) ----------------------------------
static CspStatus price(CspCall *call) {
  const char *name;
  size_t len;
  if (!csp_need_string(call, 0, &name, &len)) return CSP_PANIC;
  if (strcmp(name, "tea") == 0) return csp_ok_value(call, csp_int(call, 3));
  return csp_ok_error(call, "we have no %s", name);
}

// --- A mistake of the caller's: shop.discount(percent) -----------------------
static CspStatus discount(CspCall *call) {
  double percent;
  if (!csp_need_number(call, 0, &percent)) return CSP_PANIC;
  if (percent < 0 || percent > 100)
    return csp_panic(call, "discount: %g is not between 0 and 100", percent);
  return csp_ok_float(call, 1 - percent / 100);
}

// --- Work that blocks its thread: shop.weigh(name) ---------------------------
// The work runs on a thread that holds no goroutine: it sees this struct alone.
typedef struct Weighing {
  size_t grams;
} Weighing;

static void weigh_work(void *data) {
  Weighing *weighing = data;
  struct timespec slow = {0, 1000000};
  nanosleep(&slow, NULL);  // a pair of scales that takes its time
  weighing->grams *= 100;
}

static CspStatus weigh_done(CspCall *call, void *data, bool made) {
  Weighing *weighing = data;
  CspStatus status =
      made ? csp_ok_value(call, csp_int(call, (int64_t)weighing->grams))
           : csp_ok_error(call, "weigh: %s", csp_no_thread());
  free(weighing);
  return status;
}

static CspStatus weigh(CspCall *call) {
  const char *name;
  size_t len;
  if (!csp_need_string(call, 0, &name, &len)) return CSP_PANIC;
  Weighing *weighing = malloc(sizeof *weighing);
  if (weighing == NULL) return csp_panic_memory(call);
  weighing->grams = len;
  return csp_block(call, weigh_work, weigh_done, weighing);
}

// --- Waiting for another thread: shop.deliver(name) --------------------------
// The courier is a thread of the host's. It owns the order until it has called
// csp_wake, once, whether the runtime is there or not; then `delivered` does,
// which the runtime calls.
typedef struct Order {
  CspWaker *waker;
  char name[32];
} Order;

static pthread_mutex_t couriers_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t couriers_changed = PTHREAD_COND_INITIALIZER;
static int couriers;  // on their way; guarded by couriers_lock

static void count_couriers(int change) {
  pthread_mutex_lock(&couriers_lock);
  couriers += change;
  pthread_cond_signal(&couriers_changed);
  pthread_mutex_unlock(&couriers_lock);
}

static void wait_for_couriers(void) {
  pthread_mutex_lock(&couriers_lock);
  while (couriers > 0) pthread_cond_wait(&couriers_changed, &couriers_lock);
  pthread_mutex_unlock(&couriers_lock);
}

static CspValue delivered(CspCall *call, void *data) {
  Order *order = data;
  char text[64];
  int len = snprintf(text, sizeof text, "%s, at your door", order->name);
  free(order);
  return csp_string(call, text, (size_t)len);
}

static void *courier(void *data) {
  Order *order = data;
  csp_wake(order->waker, delivered, order);
  count_couriers(-1);
  return NULL;
}

static CspStatus deliver(CspCall *call) {
  const char *name;
  size_t len;
  if (!csp_need_string(call, 0, &name, &len)) return CSP_PANIC;
  Order *order = calloc(1, sizeof *order);
  CspWaker *waker = order != NULL ? csp_waker(call) : NULL;
  if (waker == NULL) {
    free(order);
    return csp_panic_memory(call);
  }
  order->waker = waker;
  snprintf(order->name, sizeof order->name, "%s", name);
  count_couriers(+1);
  pthread_t thread;
  if (pthread_create(&thread, NULL, courier, order) == 0) {
    pthread_detach(thread);
  } else {
    courier(order);  // without a thread, this one: each waker is woken
  }
  return csp_park(call);
}

// --- State and handles: shop.on_sale(f), shop.sell(name) ---------------------
// The runtime's own, instead of global variables: several runtimes may use
// this module. The functions are held, or they would be collected.
enum { LISTENERS_MAX = 8 };
typedef struct Shop {
  pthread_mutex_t lock;
  int count;  // guarded by lock
  CspHandle listeners[LISTENERS_MAX];
} Shop;

// Its zeroed data is a mutex that is ready, with the C library of Linux.
static const CspClass shop_class = {"shop", NULL, sizeof(Shop), NULL};

static CspStatus on_sale(CspCall *call) {
  CspValue function;
  if (!csp_need_type(call, 0, CSP_FUNC, &function)) return CSP_PANIC;
  Shop *shop = csp_state(csp_of(call), &shop_class);
  CspHandle handle = shop != NULL ? csp_hold(call, function) : 0;
  if (handle == 0) return csp_panic_memory(call);
  pthread_mutex_lock(&shop->lock);
  bool room = shop->count < LISTENERS_MAX;
  if (room) shop->listeners[shop->count++] = handle;
  pthread_mutex_unlock(&shop->lock);
  if (room) return csp_ok_nothing(call);
  csp_release(csp_of(call), handle);
  return csp_panic(call, "on_sale: only %d functions", LISTENERS_MAX);
}

// Calls each with the name. Their panics are the caller's.
static CspStatus sell(CspCall *call) {
  Shop *shop = csp_state(csp_of(call), &shop_class);
  if (shop == NULL) return csp_panic_memory(call);
  pthread_mutex_lock(&shop->lock);
  int count = shop->count;
  pthread_mutex_unlock(&shop->lock);
  int64_t sum = 0;
  for (int i = 0; i < count; i++) {
    CspValue name = csp_arg(call, 0);
    CspResult result;
    CspEnd end =
        csp_call(call, csp_held(call, shop->listeners[i]), 1, &name, &result);
    if (end != CSP_DONE) return csp_rethrow(call, &result);
    if (result.count == 1 && csp_type(result.values[0]) == CSP_INT)
      sum += csp_to_int(result.values[0]);
  }
  return csp_ok_int(call, sum);
}

// --- A type of the host's: shop.till() ---------------------------------------
// Its memory belongs to the value, and goes when that is collected, at the
// latest with the runtime.
typedef struct Till {
  pthread_mutex_t lock;
  int64_t *sums;  // guarded by lock; malloced
  size_t count;
} Till;

static int tills_ended;

static void till_end(void *data) {
  Till *till = data;
  free(till->sums);
  tills_ended++;
}

static const CspClass till_class = {"till", till_end, sizeof(Till), NULL};

static CspStatus till_new(CspCall *call) {
  CspValue till = csp_host_new(call, &till_class, NULL);
  return csp_ok(call, till);  // undef, if there is no memory, panics here
}

// The receiver: a till, or a panic that says what it is instead.
static Till *need_till(CspCall *call) {
  Till *till = csp_host_data(csp_arg(call, 0), &till_class);
  if (till == NULL) csp_bad_arg(call, 0, "till");
  return till;
}

static CspStatus till_add(CspCall *call) {
  Till *till = need_till(call);
  int64_t sum;
  if (till == NULL || !csp_need_int(call, 1, &sum)) return CSP_PANIC;
  pthread_mutex_lock(&till->lock);
  size_t size = (till->count + 1) * sizeof *till->sums;
  int64_t *more = realloc(till->sums, size);
  if (more != NULL) {
    till->sums = more;
    till->sums[till->count++] = sum;
  }
  pthread_mutex_unlock(&till->lock);
  return more != NULL ? csp_ok(call, csp_arg(call, 0)) : csp_panic_memory(call);
}

static CspStatus till_total(CspCall *call) {
  Till *till = need_till(call);
  if (till == NULL) return CSP_PANIC;
  int64_t total = 0;
  pthread_mutex_lock(&till->lock);
  for (size_t i = 0; i < till->count; i++) total += till->sums[i];
  pthread_mutex_unlock(&till->lock);
  return csp_ok_int(call, total);
}

static const CspFunction till_methods[] = {{"add", "till, sum", till_add},
                                           {"total", "till", till_total},
                                           {NULL, NULL, NULL}};

// --- The module and the script -----------------------------------------------
static const CspFunction functions[] = {
    {"price", "name", price},         {"discount", "percent", discount},
    {"weigh", "name", weigh},         {"deliver", "name", deliver},
    {"on_sale", "function", on_sale}, {"sell", "name", sell},
    {"till", "", till_new},           {NULL, NULL, NULL}};
static const CspModule module = {.path = "shop", .functions = functions};

static const char script[] =
    "import \"shop\"\n"
    "for name in [\"tea\", \"coffee\"] {\n"
    "  price, err := shop.price(name)\n"
    "  println(name, price ?? err)\n"
    "}\n"
    "_, err := try(shop.discount, 101)\n"
    "println(err)\n"
    "_, err = try(shop.price, 7)\n"
    "println(err)\n"
    "\n"
    "tasks := []\n"
    "for name in [\"tea\", \"sugar\"] { tasks.push(go shop.weigh(name)) }\n"
    "for t in tasks {\n"
    "  grams, err := <-t\n"
    "  println(grams, err)\n"
    "}\n"
    "println(shop.deliver(\"tea\"))\n"
    "\n"
    "till := shop.till()\n"
    "shop.on_sale(func(name) { till.add(shop.price(name)?) })\n"
    "shop.on_sale(func(name) {\n"
    "  sleep(1ms)\n"
    "  return len(name)\n"
    "})\n"
    "println(shop.sell(\"tea\"), shop.sell(\"tea\"), till.total())\n"
    "shop.on_sale(func(name) { panic(\"no more ${name}\") })\n"
    "_, err = try(shop.sell, \"tea\")\n"
    "println(err)\n"
    "println(type(till.add(-6)), till.total())\n";

static int run(Csp *csp) {
  csp_install_language(csp);
  if (!csp_install_library(csp) || !csp_register(csp, &module) ||
      !csp_register_class(csp, &till_class, till_methods) ||
      !csp_register_class(csp, &shop_class, NULL)) {
    fprintf(stderr, "natives: out of memory\n");
    return 1;
  }
  int status;
  csp_run(csp, "script.csp", script, strlen(script), &status);
  return status;
}

int main(void) {
  CspConfig config;
  csp_config_init(&config);
  Csp *csp = csp_new(&config);
  if (csp == NULL) {
    fprintf(stderr, "natives: out of memory or threads\n");
    return 1;
  }
  int status = run(csp);
  wait_for_couriers();
  csp_free(csp);
  printf("tills that ended: %d\n", tills_ended);
  return status;
}
