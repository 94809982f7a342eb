// SPDX-License-Identifier: MIT
// Routes of a server: a tree of the segments of their patterns. A segment is a
// word, {NAME} for any word that is not empty, or {NAME...} at the end for all
// that is left. Words come before {NAME}, and that before {NAME...}.
//
// A search walks down the tree, and back where a way leads nowhere. No node is
// reached by two ways, so it takes no more steps than there are nodes. A tree
// is not changed once others know it.
#include "stdlib/http.h"

typedef struct RouteNode RouteNode;

// What a pattern's end says for one method.
typedef struct Route {
  char *method;  // "": any
  char *names;   // of its variables, each with a NUL
  int64_t number;
} Route;

struct RouteNode {
  char *word;  // NULL: any
  size_t word_len;
  RouteNode **words, *any;  // children; words in order
  size_t word_count;
  RouteNode *next;       // while it is freed
  Route *routes, *rest;  // that end here, and those of {NAME...}
  size_t route_count, rest_count;
};

enum { ROUTE_VARIABLES_MOST = 16, SEGMENTS_MOST = 64 };

typedef struct RouteSearch {
  Str method;
  const Route *found;
  Buffer *allowed;  // gets the methods of what fits but for the method
  Str variables[ROUTE_VARIABLES_MOST];  // as they stand in the path
  int count;
} RouteSearch;

// --- Memory -----------------------------------------------------------------
static void free_routes(Route *routes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    csp_alloc_free(routes[i].method);
    csp_alloc_free(routes[i].names);
  }
  csp_alloc_free(routes);
}

// Without recursion, as nobody bounds the tree's depth. `next` is the stack.
static void free_nodes(RouteNode *stack) {
  while (stack != NULL) {
    RouteNode *node = stack;
    stack = node->next;
    if (node->any != NULL) {
      node->any->next = stack;
      stack = node->any;
    }
    for (size_t i = 0; i < node->word_count; i++) {
      node->words[i]->next = stack;
      stack = node->words[i];
    }
    free_routes(node->routes, node->route_count);
    free_routes(node->rest, node->rest_count);
    csp_alloc_free(node->words);
    csp_alloc_free(node->word);
    csp_alloc_free(node);
  }
}

static void routes_finalize(void *data) {
  RouteNode **root = data;
  free_nodes(*root);
}

const CspClass http_routes_class = {"routes", routes_finalize,
                                    sizeof(RouteNode *), NULL};

static RouteNode *new_node(Csp *csp, const Str *word) {
  RouteNode *node = alloc_zeroed(csp, sizeof *node);
  if (node == NULL || word == NULL) return node;
  node->word = alloc_str(csp, *word);
  node->word_len = word->len;
  if (node->word != NULL) return node;
  csp_alloc_free(node);
  return NULL;
}

CspStatus http_new_routes(CspCall *call) {
  RouteNode **root;
  CspValue v = csp_host_new(call, &http_routes_class, (void **)&root);
  if (csp_is_undef(v)) return csp_panic_memory(call);
  *root = new_node(csp_of(call), NULL);
  return *root == NULL ? csp_panic_memory(call) : csp_ok(call, v);
}

// --- Building ---------------------------------------------------------------
static int compare_words(Str a, const RouteNode *node) {
  size_t len = a.len < node->word_len ? a.len : node->word_len;
  int order = memcmp(a.data, node->word, len);
  if (order != 0) return order;
  return a.len < node->word_len ? -1 : a.len > node->word_len;
}

// Where the word stands, or would stand.
static size_t word_place(const RouteNode *node, Str word, bool *found) {
  size_t low = 0, high = node->word_count;
  *found = false;
  while (low < high && !*found) {
    size_t middle = (low + high) / 2;
    int order = compare_words(word, node->words[middle]);
    *found = order == 0;
    if (order > 0) {
      low = middle + 1;
    } else if (order < 0) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return low;
}

// NULL: no memory.
static RouteNode *child_of(Csp *csp, RouteNode *node, Str word) {
  bool found;
  size_t at = word_place(node, word, &found);
  if (found) return node->words[at];
  size_t size = (node->word_count + 1) * sizeof *node->words;
  RouteNode **words = csp_alloc(csp, node->words, size);
  if (words == NULL) return NULL;
  node->words = words;
  RouteNode *child = new_node(csp, &word);
  if (child == NULL) return NULL;
  memmove(words + at + 1, words + at, (node->word_count - at) * sizeof *words);
  words[at] = child;
  node->word_count++;
  return child;
}

static Route *route_of_method(Route *routes, size_t count, Str method) {
  for (size_t i = 0; i < count; i++) {
    const char *name = routes[i].method;
    if (strlen(name) == method.len &&
        memcmp(name, method.data, method.len) == 0)
      return &routes[i];
  }
  return NULL;
}

// A pattern that is taken apart.
typedef struct Pattern {
  CspCall *call;
  Str text, method;
  Buffer names;
  int variables;
} Pattern;

static CspStatus bad_pattern(const Pattern *pattern, const char *why) {
  return csp_panic(pattern->call, "http.routes: the pattern \"%.*s\" %s",
                   (int)(pattern->text.len < 200 ? pattern->text.len : 200),
                   pattern->text.data, why);
}

static CspStatus add_here(Pattern *pattern, Route **routes, size_t *count,
                          int64_t number) {
  Csp *csp = csp_of(pattern->call);
  if (route_of_method(*routes, *count, pattern->method) != NULL)
    return bad_pattern(pattern, "is there twice");
  Route *more = csp_alloc(csp, *routes, (*count + 1) * sizeof *more);
  if (more == NULL) return csp_panic_memory(pattern->call);
  *routes = more;
  Route *route = &more[*count];
  *route = (Route){
      alloc_str(csp, pattern->method),
      alloc_str(csp, (Str){pattern->names.data, pattern->names.len}), number};
  if (route->method == NULL || route->names == NULL) {
    csp_alloc_free(route->method);
    csp_alloc_free(route->names);
    return csp_panic_memory(pattern->call);
  }
  ++*count;
  return CSP_OK;
}

static bool is_route_variable(Str s) {
  for (size_t i = 0; i < s.len; i++) {
    char c = s.data[i], low = (char)(c | 32);
    bool letter = (low >= 'a' && low <= 'z') || c == '_';
    if (!letter && (i == 0 || c < '0' || c > '9')) return false;
  }
  return s.len > 0;
}

static bool has_variable(const Pattern *pattern, Str name) {
  const char *at = pattern->names.data;
  for (int i = 1; i < pattern->variables; i++, at += strlen(at) + 1)
    if (strlen(at) == name.len && memcmp(at, name.data, name.len) == 0)
      return true;
  return false;
}

// A segment in braces. *rest: it is the last, and stands for all that is left.
static CspStatus take_variable(Pattern *pattern, Str segment, bool *rest) {
  Str name = {segment.data + 1, segment.len - 1};
  if (name.len == 0 || name.data[name.len - 1] != '}')
    return bad_pattern(pattern, "has a { without } in the same segment");
  name.len--;
  *rest = name.len > 3 && memcmp(name.data + name.len - 3, "...", 3) == 0;
  if (*rest) name.len -= 3;
  if (!is_route_variable(name))
    return bad_pattern(pattern, "has a variable that is no name");
  if (++pattern->variables > ROUTE_VARIABLES_MOST)
    return bad_pattern(pattern, "has more than 16 variables");
  if (has_variable(pattern, name))
    return bad_pattern(pattern, "has two variables of one name");
  buffer_add(&pattern->names, name.data, name.len);
  buffer_add_char(&pattern->names, '\0');
  return pattern->names.failed ? csp_panic_memory(pattern->call) : CSP_OK;
}

// Walks down to the segment's node, which it makes if need be.
static CspStatus step_down(Pattern *pattern, RouteNode **at, Str segment,
                           bool *rest) {
  Csp *csp = csp_of(pattern->call);
  RouteNode *node = *at;
  if (segment.len > 0 && segment.data[0] == '{') {
    CspStatus status = take_variable(pattern, segment, rest);
    if (status != CSP_OK || *rest) return status;
    if (node->any == NULL) node->any = new_node(csp, NULL);
    *at = node->any;
  } else if (memchr(segment.data, '{', segment.len) != NULL ||
             memchr(segment.data, '}', segment.len) != NULL) {
    return bad_pattern(pattern, "has a brace within a segment");
  } else {
    *at = child_of(csp, node, segment);
  }
  return *at == NULL ? csp_panic_memory(pattern->call) : CSP_OK;
}

static Str next_segment(Str *left) {
  const char *slash = left->len > 0 ? memchr(left->data, '/', left->len) : NULL;
  size_t len = slash == NULL ? left->len : (size_t)(slash - left->data);
  Str segment = {left->data, len};
  size_t used = len + (slash != NULL ? 1 : 0);
  *left = (Str){left->data + used, left->len - used};
  return segment;
}

static CspStatus add_pattern(Pattern *pattern, RouteNode *node, Str path,
                             int64_t number) {
  bool rest = false, more = true;
  Str left = {path.data + 1, path.len - 1};
  for (int depth = 0; more; depth++) {
    if (rest) return bad_pattern(pattern, "has segments after {...}");
    if (depth == SEGMENTS_MOST)
      return bad_pattern(pattern, "has more than 64 segments");
    size_t before = left.len;
    Str segment = next_segment(&left);
    more = segment.len < before;
    CspStatus status = step_down(pattern, &node, segment, &rest);
    if (status != CSP_OK) return status;
  }
  return rest ? add_here(pattern, &node->rest, &node->rest_count, number)
              : add_here(pattern, &node->routes, &node->route_count, number);
}

// (routes, pattern, number). A pattern is "/PATH" or "METHOD /PATH".
CspStatus http_add_route(CspCall *call) {
  RouteNode **root = csp_host_data(csp_arg(call, 0), &http_routes_class);
  Pattern pattern = {.call = call, .names = buffer_of(call)};
  int64_t number;
  if (root == NULL) return csp_bad_arg(call, 0, "routes");
  if (csp_type(csp_arg(call, 1)) != CSP_STRING)
    return csp_panic(call, "http.routes: patterns must be strings");
  if (!need_str(call, 1, &pattern.text) || !csp_need_int(call, 2, &number))
    return CSP_PANIC;
  Str path = pattern.text;
  bool is_path = path.len > 0 && path.data[0] == '/';  // may have blanks
  const char *blank = is_path ? NULL : memchr(path.data, ' ', path.len);
  if (blank != NULL) {
    pattern.method = (Str){path.data, (size_t)(blank - path.data)};
    path = (Str){blank + 1, path.len - pattern.method.len - 1};
  } else {
    pattern.method = (Str){"", 0};
  }
  if (path.len == 0 || path.data[0] != '/' ||
      (blank != NULL && !http_is_token(pattern.method)))
    return bad_pattern(&pattern, "must be \"METHOD /PATH\" or \"/PATH\"");
  if (memchr(path.data, '?', path.len) || memchr(path.data, '#', path.len))
    return bad_pattern(&pattern, "has a ? or #, which no path has");
  CspStatus status = add_pattern(&pattern, *root, path, number);
  buffer_free(&pattern.names);
  return status == CSP_OK ? csp_ok_nothing(call) : status;
}

// --- Searching --------------------------------------------------------------
static bool is_listed(Str list, const char *method) {
  size_t len = strlen(method);
  while (list.len >= len) {
    const char *comma = memchr(list.data, ',', list.len);
    size_t word = comma != NULL ? (size_t)(comma - list.data) : list.len;
    if (word == len && memcmp(list.data, method, len) == 0) return true;
    if (comma == NULL) return false;
    list = (Str){comma + 2, list.len - word - 2};
  }
  return false;
}

static void add_allowed(Buffer *out, const char *method) {
  if (out->len > 0 && is_listed((Str){out->data, out->len}, method)) return;
  if (out->len > 0) buffer_add(out, ", ", 2);
  buffer_add(out, method, strlen(method));
}

static void add_methods(Buffer *out, const Route *routes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    add_allowed(out, routes[i].method);
    if (strcmp(routes[i].method, "GET") == 0) add_allowed(out, "HEAD");
  }
}

// HEAD is answered by what answers GET.
static bool take_route(RouteSearch *search, Route *routes, size_t count) {
  Str get = {"GET", 3}, any = {"", 0};
  bool is_head =
      search->method.len == 4 && memcmp(search->method.data, "HEAD", 4) == 0;
  search->found = route_of_method(routes, count, search->method);
  if (search->found == NULL && is_head)
    search->found = route_of_method(routes, count, get);
  if (search->found == NULL)
    search->found = route_of_method(routes, count, any);
  if (search->found == NULL && search->allowed != NULL)
    add_methods(search->allowed, routes, count);
  return search->found != NULL;
}

// A segment without its escapes, in `room`, or as it is. What is longer is no
// word of a pattern, or has no escapes.
static Str plain_segment(Str segment, char *room, size_t size) {
  size_t len = 0;
  if (memchr(segment.data, '%', segment.len) == NULL) return segment;
  for (size_t i = 0; i < segment.len && len < size; i++) {
    int high = -1, low = -1;
    if (segment.data[i] == '%' && i + 2 < segment.len) {
      high = hex_digit(segment.data[i + 1]);
      low = hex_digit(segment.data[i + 2]);
    }
    bool escaped = high >= 0 && low >= 0;
    room[len++] = escaped ? (char)(high * 16 + low) : segment.data[i];
    if (escaped) i += 2;
  }
  return (Str){room, len};
}

static const RouteNode *word_child(const RouteNode *node, Str segment) {
  enum { WORD_ROOM = 256 };
  char room[WORD_ROOM];
  bool found;
  size_t at =
      word_place(node, plain_segment(segment, room, sizeof room), &found);
  return found ? node->words[at] : NULL;
}

// `more`: a segment follows, which may be empty. No deeper than SEGMENTS_MOST.
static bool walk(RouteSearch *search, const RouteNode *node, Str left,
                 bool more) {
  if (!more) return take_route(search, node->routes, node->route_count);
  Str rest = left;
  Str segment = next_segment(&rest);
  bool on = segment.len < left.len;
  const RouteNode *child = word_child(node, segment);
  if (child != NULL && walk(search, child, rest, on)) return true;
  if (node->any != NULL && segment.len > 0) {
    search->variables[search->count++] = segment;
    if (walk(search, node->any, rest, on)) return true;
    search->count--;
  }
  if (node->rest_count == 0) return false;
  search->variables[search->count++] = left;
  if (take_route(search, node->rest, node->rest_count)) return true;
  search->count--;
  return false;
}

// The text without escapes. undef: no memory. nil: an escape is wrong.
static CspValue unescaped(CspCall *call, Str s) {
  char *to;
  size_t len = 0;
  if (memchr(s.data, '%', s.len) == NULL)
    return csp_string(call, s.data, s.len);
  CspValue v = csp_string_room(call, s.len, &to);
  if (csp_is_undef(v)) return v;
  for (size_t i = 0; i < s.len; i++) {
    char c = s.data[i];
    if (c == '%') {
      int high = i + 2 < s.len ? hex_digit(s.data[i + 1]) : -1;
      int low = i + 2 < s.len ? hex_digit(s.data[i + 2]) : -1;
      if (high < 0 || low < 0 || high + low == 0) return csp_nil();
      c = (char)(high * 16 + low);
      i += 2;
    }
    to[len++] = c;
  }
  csp_cut_room(v, len);
  return v;
}

// (path): it without escapes, or nil if one is wrong.
CspStatus http_unescape(CspCall *call) {
  Str path;
  if (!need_str(call, 0, &path)) return CSP_PANIC;
  csp_charge(call, path.len / 16);
  return csp_ok(call, unescaped(call, path));
}

static CspStatus no_route(CspCall *call, int status, CspValue more) {
  csp_return(call, csp_nil());
  csp_return(call, csp_int(call, status));
  return csp_ok(call, more);
}

static CspStatus give_route(CspCall *call, const RouteSearch *search) {
  const char *name = search->found->names;
  CspValue map =
      search->count == 0 ? csp_nil() : csp_map(call, (size_t)search->count);
  for (int i = 0; i < search->count; i++, name += strlen(name) + 1) {
    CspValue value = unescaped(call, search->variables[i]);
    if (csp_is_undef(value)) return csp_panic_memory(call);
    if (csp_type(value) == CSP_NIL) return no_route(call, 400, csp_nil());
    if (!csp_map_set_name(call, map, name, value)) return CSP_PANIC;
  }
  csp_return(call, csp_int(call, search->found->number));
  csp_return(call, map);
  return csp_ok(call, csp_nil());
}

static bool search_routes(RouteSearch *search, const RouteNode *root,
                          Str path) {
  search->count = 0;
  if (path.len == 0 || path.data[0] != '/') return false;
  return walk(search, root, (Str){path.data + 1, path.len - 1}, true);
}

// (routes, method, path): (number, a map of the variables or nil, nil), or
// (nil, status, the methods that are allowed or nil).
CspStatus http_find_route(CspCall *call) {
  RouteNode **root = csp_host_data(csp_arg(call, 0), &http_routes_class);
  RouteSearch search = {.found = NULL};
  Str path;
  if (root == NULL) return csp_bad_arg(call, 0, "routes");
  if (!need_str(call, 1, &search.method) || !need_str(call, 2, &path))
    return CSP_PANIC;
  csp_charge(call, path.len / 16);
  if (search_routes(&search, *root, path)) return give_route(call, &search);
  Buffer allowed = buffer_of(call);
  search.allowed = &allowed;
  search_routes(&search, *root, path);
  if (allowed.data == NULL) return no_route(call, 404, csp_nil());
  return no_route(call, 405, buffer_string(call, &allowed));
}
