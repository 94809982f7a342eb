// SPDX-License-Identifier: MIT
// load PORT CONNECTIONS SECONDS: a client of WebSockets that costs little. On
// each connection it sends a message of 64 bytes, waits for its echo, and sends
// the next. Prints how many echoes came, and the seconds they took.
//
// One thread waits for all connections (epoll). Masks are zero, so a frame is
// the same each time, and echoes are compared as bytes.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE = 64, SENT = MESSAGE + 6, ECHOED = MESSAGE + 2, EVENTS = 256 };

typedef struct Line {
  int fd;
  int got;  // bytes of an echo
  char echo[ECHOED];
} Line;

static char sent[SENT], wanted[ECHOED];

static _Noreturn void die(const char *what) {
  perror(what);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void make_frames(void) {
  sent[0] = wanted[0] = (char)0x81;  // a text, in one frame
  sent[1] = (char)(0x80 | MESSAGE);
  wanted[1] = MESSAGE;
  memset(sent + 6, 'x', MESSAGE);
  memset(wanted + 2, 'x', MESSAGE);
}

// The answer ends with an empty line, and no frame comes before ours.
static void shake_hands(int fd) {
  static const char request[] =
      "GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\n"
      "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  char answer[4096];
  size_t len = 0;
  if (write(fd, request, sizeof request - 1) < 0) die("write");
  while (len < 4 || memcmp(answer + len - 4, "\r\n\r\n", 4) != 0) {
    ssize_t n = read(fd, answer + len, sizeof answer - len);
    if (n <= 0) die("the handshake");
    len += (size_t)n;
  }
  if (strncmp(answer, "HTTP/1.1 101", 12) != 0) die("no WebSocket");
}

static int connect_to(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port)};
  int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
    die("connect");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  shake_hands(fd);
  return fd;
}

static void send_one(Line *line) {
  line->got = 0;
  if (write(line->fd, sent, SENT) != SENT) die("write");
}

// Whether the echo is whole.
static int take(Line *line) {
  ssize_t n =
      read(line->fd, line->echo + line->got, (size_t)(ECHOED - line->got));
  if (n <= 0) die("read");
  line->got += (int)n;
  if (line->got < ECHOED) return 0;
  if (memcmp(line->echo, wanted, ECHOED) != 0) die("another echo");
  return 1;
}

static long run(int poll, double seconds) {
  struct epoll_event events[EVENTS];
  double end = now() + seconds;
  long echoes = 0;
  while (now() < end) {
    int count = epoll_wait(poll, events, EVENTS, 100);
    for (int i = 0; i < count; i++) {
      Line *line = events[i].data.ptr;
      if (!take(line)) continue;
      echoes++;
      send_one(line);
    }
  }
  return echoes;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fputs("usage: load PORT CONNECTIONS SECONDS\n", stderr);
    return 2;
  }
  int poll = epoll_create1(0), count = atoi(argv[2]);
  Line *lines = calloc((size_t)count, sizeof *lines);
  if (lines == NULL || poll < 0) die("load");
  make_frames();
  for (int i = 0; i < count; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &lines[i]};
    lines[i].fd = connect_to(atoi(argv[1]));
    if (epoll_ctl(poll, EPOLL_CTL_ADD, lines[i].fd, &event) != 0) die("epoll");
  }
  for (int i = 0; i < count; i++) send_one(&lines[i]);
  double begun = now();
  long echoes = run(poll, atof(argv[3]));
  printf("%ld %.6f\n", echoes, now() - begun);
  free(lines);
  return 0;
}
