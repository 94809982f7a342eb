// SPDX-License-Identifier: MIT
// As cspvm.c, with the C API of Lua 5.4, or LuaJIT's.
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "bench/embed/embed.h"

static int64_t calls;

static int native(lua_State *lua) {
  calls++;
  lua_pushinteger(lua, luaL_checkinteger(lua, 1) + 1);
  return 1;
}

static int nothing(lua_State *lua) {
  (void)lua;
  return 0;
}

static int repeat(lua_State *lua) {
  lua_Integer n = luaL_checkinteger(lua, 2);
  for (lua_Integer i = 0; i < n; i++) {
    lua_settop(lua, 2);
    lua_pushvalue(lua, 1);
    lua_pushinteger(lua, i);
    if (lua_pcall(lua, 1, 1, 0) != 0) return lua_error(lua);
  }
  return 1;
}

static const char script[] =
    "if jit then jit.off() end\n"
    "function empty(n) return n end\n"
    "function there_and_back(n) return (native(n)) end\n"
    "function loop(n)\n"
    "  local sum = 0\n"
    "  for i = 0, n - 1 do sum = sum + native(i) end\n"
    "  return sum\n"
    "end\n"
    "function idle(n) for i = 1, n do nothing() end end\n"
    "function back(n) return (repeat_(empty, n)) end\n";

typedef struct Host {
  lua_State *lua;
  int f;
} Host;

static void call_once(void *arg, int64_t n) {
  Host *host = arg;
  lua_rawgeti(host->lua, LUA_REGISTRYINDEX, host->f);
  lua_pushinteger(host->lua, (lua_Integer)n);
  if (lua_pcall(host->lua, 1, 1, 0) != 0) die(lua_tostring(host->lua, -1));
  lua_settop(host->lua, 0);
}

static void call_each(void *arg, int64_t n) {
  for (int64_t i = 0; i < n; i++) call_once(arg, i);
}

static void measure(lua_State *lua, const char *function, const char *name,
                    void (*work)(void *arg, int64_t n)) {
  lua_getglobal(lua, function);
  Host host = {lua, luaL_ref(lua, LUA_REGISTRYINDEX)};
  print_median(name, work, &host);
}

int main(void) {
  lua_State *lua = luaL_newstate();
  if (lua == NULL) die("no state");
  luaL_openlibs(lua);
  lua_register(lua, "native", native);
  lua_register(lua, "nothing", nothing);
  lua_register(lua, "repeat_", repeat);
  if (luaL_dostring(lua, script)) die(lua_tostring(lua, -1));
  measure(lua, "empty", "host -> script", call_each);
  measure(lua, "there_and_back", "host -> script -> native", call_each);
  measure(lua, "loop", "script -> native", call_once);
  measure(lua, "idle", "script -> native that does nothing", call_once);
  measure(lua, "back", "native -> script", call_once);
  lua_close(lua);
  return 0;
}
