// SPDX-License-Identifier: MIT
// A server on libuv's loop whose events a script selects over:
//
//   cc events.c $(pkg-config --cflags --libs cspvm libuv) -o events && ./events
//
// The loop and the runtime share one thread. Before the loop waits, a step
// (`prepare`) runs the goroutines; the runtime's descriptor, which the loop
// polls, ends the wait when there is something to run. Callbacks send what has
// come to channels, never waiting: where a channel is full its lines stay
// here, and when too many do, the peer's bytes stay in the socket.
//
// To be complete the program is its own client, in the same loop.
#include <csp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum { STEP_NS = 1000 * 1000, TICK_MS = 2, NUMBERS = 100 };

static const char script[] =
    "import \"peer\"\n"
    "import \"strings\"\n"
    "\n"
    "lines := chan(4)\n"
    "ticks := chan(1)\n"
    "\n"
    "func serve() {\n"
    "  sum := 0\n"
    "  ticked := 0\n"
    "  for lines != nil || ticked < 3 {\n"
    "    select {\n"
    "    case line, open := <-lines:\n"
    "      if !open {\n"
    "        lines = nil\n"
    "      } else if line == \"sum\" {\n"
    "        peer.write(\"${sum}\\n\")\n"
    "      } else {\n"
    "        sum += strings.parse_int(line)?\n"
    "      }\n"
    "    case <-ticks:\n"
    "      ticked++\n"
    "    }\n"
    "  }\n"
    "  println(\"served\")\n"
    "  return nil\n"
    "}\n"
    "\n"
    "go {\n"
    "  defer peer.stop()\n"
    "  serve()?\n"
    "}\n";

// The runtime's state (csp_state): lives as long as it does.
typedef struct Host {
  Csp *csp;
  uv_loop_t loop;
  uv_prepare_t prepare;
  uv_poll_t poll;
  uv_timer_t tick;
  uv_tcp_t server, peer;
  CspHandle lines, ticks;  // the script's channels
  char text[64];           // of the peer, which has not been sent
  size_t have;
  bool reading, hung_up, stopped;
  int status;
  // The client.
  uv_tcp_t client;
  uv_connect_t connecting;
  uv_write_t asking;
  char question[8 * NUMBERS];
} Host;

static const CspClass host_class = {"host", NULL, sizeof(Host), NULL};

// --- Ends --------------------------------------------------------------------
static void close_handle(uv_handle_t *handle, void *arg) {
  (void)arg;
  if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

// All handles end, so that the loop does.
static void stop(Host *host) {
  host->stopped = true;
  uv_walk(&host->loop, close_handle, NULL);
}

// true: it went well. Else this is the end.
static bool fine(Host *host, int code, const char *what) {
  if (code >= 0) return true;
  fprintf(stderr, "events: %s: %s\n", what, uv_strerror(code));
  host->status = 1;
  stop(host);
  return false;
}

// --- Events to channels ------------------------------------------------------
// Sends a line, or all that is here where no more can come. false: nothing.
static bool send_line(Host *host, CspCall *call) {
  char *end = memchr(host->text, '\n', host->have);
  bool more = host->have < sizeof host->text && !host->hung_up;
  if (end == NULL && (more || host->have == 0)) return false;
  size_t len = end != NULL ? (size_t)(end - host->text) : host->have;
  CspValue line = csp_string(call, host->text, len);
  if (csp_is_undef(line) ||
      csp_try_send(call, csp_held(call, host->lines), line) != CSP_SENT)
    return false;
  host->have -= len + (end != NULL);
  memmove(host->text, host->text + len + (end != NULL), host->have);
  return true;
}

static void on_room(uv_handle_t *handle, size_t size, uv_buf_t *buf) {
  (void)size;
  Host *host = handle->loop->data;
  *buf = uv_buf_init(host->text + host->have,
                     (unsigned)(sizeof host->text - host->have));
}

static void on_bytes(uv_stream_t *peer, ssize_t count, const uv_buf_t *buf) {
  (void)buf;
  Host *host = peer->loop->data;
  if (count >= 0) {
    host->have += (size_t)count;
    return;
  }
  uv_read_stop(peer);  // until there is room, or for good
  host->reading = false;
  host->hung_up = count == UV_EOF;
  if (count != UV_ENOBUFS && count != UV_EOF) fine(host, (int)count, "read");
}

static void read_on(Host *host) {
  if (host->hung_up || host->reading ||
      uv_is_closing((uv_handle_t *)&host->peer))
    return;
  host->reading =
      fine(host, uv_read_start((uv_stream_t *)&host->peer, on_room, on_bytes),
           "read");
}

// What the peer has said goes to the script, as far as that takes it.
static bool send_lines(Host *host) {
  CspCall *call = csp_host(host->csp);
  if (call == NULL || host->lines == 0) return false;
  bool sent = false;
  while (send_line(host, call)) sent = true;
  if (sent) read_on(host);
  if (!host->hung_up || host->have > 0) return sent;
  csp_close(call, csp_held(call, host->lines));
  csp_release(host->csp, host->lines);
  host->lines = 0;
  return true;
}

// A tick that nobody has taken yet is enough.
static void on_tick(uv_timer_t *tick) {
  Host *host = tick->loop->data;
  CspCall *call = csp_host(host->csp);
  if (call != NULL)
    csp_try_send(call, csp_held(call, host->ticks), csp_bool(true));
}

// One peer is all that this server has.
static void on_peer(uv_stream_t *server, int code) {
  Host *host = server->loop->data;
  if (fine(host, code, "listen") &&
      fine(host, uv_tcp_init(&host->loop, &host->peer), "tcp") &&
      fine(host, uv_accept(server, (uv_stream_t *)&host->peer), "accept"))
    read_on(host);
  close_handle((uv_handle_t *)server, NULL);
}

// --- The runtime in the loop -------------------------------------------------
// Before the loop waits. If the time was not enough the descriptor is readable,
// and the loop comes back at once.
static void on_prepare(uv_prepare_t *prepare) {
  Host *host = prepare->loop->data;
  CspStep step;
  do {
    step = csp_step(host->csp, STEP_NS);
  } while (!host->stopped && send_lines(host) && step == CSP_IDLE);
  if (step == CSP_CLOSED) stop(host);
}

static void on_poll(uv_poll_t *poll, int code, int events) {
  (void)events;  // the step that follows sees what there is
  fine(poll->loop->data, code, "poll");
}

// --- What the script calls ---------------------------------------------------
typedef struct Write {
  uv_write_t request;
  char text[];
} Write;

static void on_written(uv_write_t *request, int code) {
  if (code != UV_ECANCELED) fine(request->handle->loop->data, code, "write");
  free(request);
}

// peer.write(text): libuv keeps what the socket does not take at once.
static CspStatus peer_write(CspCall *call) {
  Host *host = csp_state(csp_of(call), &host_class);
  const char *text;
  size_t len;
  if (!csp_need_string(call, 0, &text, &len)) return CSP_PANIC;
  Write *made = malloc(sizeof *made + len);
  if (made == NULL) return csp_panic_memory(call);
  memcpy(made->text, text, len);
  uv_buf_t buf = uv_buf_init(made->text, (unsigned)len);
  int code =
      uv_write(&made->request, (uv_stream_t *)&host->peer, &buf, 1, on_written);
  if (code >= 0) return csp_ok_nothing(call);
  free(made);
  return csp_panic(call, "peer.write: %s", uv_strerror(code));
}

static CspStatus peer_stop(CspCall *call) {
  stop(csp_state(csp_of(call), &host_class));
  return csp_ok_nothing(call);
}

static const CspFunction functions[] = {
    {"write", "text", peer_write}, {"stop", "", peer_stop}, {NULL, NULL, NULL}};
static const CspModule module = {.path = "peer", .functions = functions};

// --- The client --------------------------------------------------------------
static void on_answer(uv_stream_t *client, ssize_t count, const uv_buf_t *buf) {
  Host *host = client->loop->data;
  if (count > 0) printf("the client got %.*s", (int)count, buf->base);
  uv_close((uv_handle_t *)client, NULL);
  if (count < 0) fine(host, (int)count, "the client's read");
}

static void on_answer_room(uv_handle_t *handle, size_t size, uv_buf_t *buf) {
  static char answer[64];
  (void)handle;
  (void)size;
  *buf = uv_buf_init(answer, sizeof answer);
}

static void on_asked(uv_write_t *request, int code) {
  Host *host = request->handle->loop->data;
  if (fine(host, code, "the client's write"))
    fine(host, uv_read_start(request->handle, on_answer_room, on_answer),
         "the client's read");
}

static void on_connected(uv_connect_t *request, int code) {
  Host *host = request->handle->loop->data;
  if (!fine(host, code, "connect")) return;
  size_t len = 0, size = sizeof host->question;
  for (int n = 1; n <= NUMBERS; n++)
    len += (size_t)snprintf(host->question + len, size - len, "%d\n", n);
  len += (size_t)snprintf(host->question + len, size - len, "sum\n");
  uv_buf_t buf = uv_buf_init(host->question, (unsigned)len);
  fine(host, uv_write(&host->asking, request->handle, &buf, 1, on_asked),
       "the client's write");
}

// --- Beginning ---------------------------------------------------------------
// A server at a free port of this machine, and its client.
static bool listen_and_connect(Host *host) {
  struct sockaddr_in at;
  int size = sizeof at;
  struct sockaddr *address = (struct sockaddr *)&at;
  return fine(host, uv_ip4_addr("127.0.0.1", 0, &at), "address") &&
         fine(host, uv_tcp_init(&host->loop, &host->server), "tcp") &&
         fine(host, uv_tcp_bind(&host->server, address, 0), "bind") &&
         fine(host, uv_listen((uv_stream_t *)&host->server, 1, on_peer),
              "listen") &&
         fine(host, uv_tcp_getsockname(&host->server, address, &size),
              "address") &&
         fine(host, uv_tcp_init(&host->loop, &host->client), "tcp") &&
         fine(host,
              uv_tcp_connect(&host->connecting, &host->client, address,
                             on_connected),
              "connect");
}

static bool watch_runtime(Host *host) {
  int fd = csp_fd(host->csp);
  return fine(host, fd < 0 ? UV_EMFILE : 0, "the runtime's descriptor") &&
         fine(host, uv_poll_init(&host->loop, &host->poll, fd), "poll") &&
         fine(host, uv_poll_start(&host->poll, UV_READABLE, on_poll), "poll") &&
         fine(host, uv_prepare_init(&host->loop, &host->prepare), "prepare") &&
         fine(host, uv_prepare_start(&host->prepare, on_prepare), "prepare") &&
         fine(host, uv_timer_init(&host->loop, &host->tick), "timer") &&
         fine(host, uv_timer_start(&host->tick, on_tick, TICK_MS, TICK_MS),
              "timer");
}

// A channel of the script's, held for as long as the host sends to it.
static CspHandle channel(Host *host, CspValue loaded, const char *name) {
  CspCall *call = csp_host(host->csp);
  CspValue value;
  if (call != NULL && csp_member(call, loaded, name, &value) &&
      csp_type(value) == CSP_CHAN)
    return csp_hold(call, value);
  return 0;
}

static bool load(Host *host) {
  CspResult result;
  csp_load(csp_host(host->csp), "events.csp", script, strlen(script), &result);
  if (result.end != CSP_DONE) {
    fprintf(stderr, "%s", result.message ? result.message : "out of memory\n");
    csp_result_free(&result);
    return false;
  }
  host->lines = channel(host, result.values[0], "lines");
  host->ticks = channel(host, result.values[0], "ticks");
  if (host->lines != 0 && host->ticks != 0) return true;
  fprintf(stderr, "events: the script lacks a channel\n");
  return false;
}

static int serve(Host *host) {
  if (uv_loop_init(&host->loop) < 0) return 1;
  host->loop.data = host;
  if (!watch_runtime(host) || !load(host) || !listen_and_connect(host)) {
    host->status = 1;
    stop(host);
  }
  uv_run(&host->loop, UV_RUN_DEFAULT);
  return uv_loop_close(&host->loop) < 0 ? 1 : host->status;
}

int main(void) {
  CspConfig config;
  csp_config_init(&config);
  config.stepped = true;
  Csp *csp = csp_new(&config);
  if (csp == NULL) {
    fprintf(stderr, "events: out of memory\n");
    return 1;
  }
  csp_install_language(csp);
  int status = 1;
  if (csp_install_library(csp) && csp_register(csp, &module) &&
      csp_register_class(csp, &host_class, NULL)) {
    Host *host = csp_state(csp, &host_class);
    if (host != NULL) {
      host->csp = csp;
      status = serve(host);
    }
  }
  csp_free(csp);
  return status;
}
