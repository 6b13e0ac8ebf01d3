/* A reader of event streams that does nothing else, as a baseline for the load generator: bare-reader PORT STREAMS WAVES TOKENS.
   It repeats a request on each of STREAMS connections WAVES times and prints as JSON: the number of events, the gaps between
   events of a response in ms (median), the time waiting for events as a share of the run, and its CPU time in s. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct stream {
  int fd;
  int waves_left;
  double last_ms;
};

static char request[1024];

static double now_ms(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * 1e3 + at.tv_nsec / 1e6;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void send_request(struct stream *stream) {
  stream->waves_left -= 1;
  stream->last_ms = 0;
  if (write(stream->fd, request, strlen(request)) < 0) exit(1);
}

int main(int count, char **words) {
  if (count != 5) return 2;
  int port = atoi(words[1]), streams = atoi(words[2]), waves = atoi(words[3]), tokens = atoi(words[4]);
  char body[256];
  snprintf(body, sizeof body,
           "{\"model\":\"mock\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}],\"stream\":true,\"max_tokens\":%d}", tokens);
  snprintf(request, sizeof request,
           "POST /v1/chat/completions HTTP/1.1\r\nhost: mock\r\ncontent-type: application/json\r\ncontent-length: %zu\r\n\r\n%s",
           strlen(body), body);

  struct stream *all = calloc(streams, sizeof *all);
  double *gaps = malloc(sizeof(double) * streams * waves * tokens);
  int poll = epoll_create1(0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  for (int i = 0; i < streams; i++) {
    int yes = 1;
    all[i] = (struct stream){.fd = socket(AF_INET, SOCK_STREAM, 0), .waves_left = waves};
    if (connect(all[i].fd, (struct sockaddr *)&address, sizeof address) < 0) return 1;
    setsockopt(all[i].fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
    epoll_ctl(poll, EPOLL_CTL_ADD, all[i].fd, &event);
  }

  double started_ms = now_ms(), idle_ms = 0;
  long events = 0, gap_count = 0;
  static char bytes[65536];
  struct epoll_event ready[1024];
  for (int i = 0; i < streams; i++) send_request(&all[i]);
  for (int open = streams; open > 0;) {
    int ready_count = epoll_wait(poll, ready, 1024, 0);
    if (ready_count == 0) {
      double from_ms = now_ms();
      ready_count = epoll_wait(poll, ready, 1024, -1);
      idle_ms += now_ms() - from_ms;
    }
    for (int k = 0; k < ready_count; k++) {
      struct stream *stream = &all[ready[k].data.u32];
      ssize_t length = recv(stream->fd, bytes, sizeof bytes, MSG_DONTWAIT);
      double at_ms = now_ms();
      if (length <= 0) return 1;
      for (char *at = bytes; (at = memmem(at, bytes + length - at, "data: ", 6)) != NULL;) {
        at += 6;
        if (*at == '[') {
          if (stream->waves_left > 0) send_request(stream);
          else open -= 1;
          break;
        }
        events += 1;
        if (stream->last_ms > 0) gaps[gap_count++] = at_ms - stream->last_ms;
        stream->last_ms = at_ms;
      }
    }
  }

  double wall_ms = now_ms() - started_ms;
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  qsort(gaps, gap_count, sizeof *gaps, ascending);
  printf("{\"events\":%ld,\"itl_p50_ms\":%.5f,\"busy_ratio\":%.4f,\"cpu_s\":%.3f}\n", events, gaps[gap_count / 2], 1 - idle_ms / wall_ms,
         use.ru_utime.tv_sec + use.ru_stime.tv_sec + (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6);
  return 0;
}
