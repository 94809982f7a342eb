// SPDX-License-Identifier: MIT
// A game in C++11 whose characters are goroutines of a script:
//
//   c++ game.cpp $(pkg-config --cflags --libs cspvm) -o game && ./game
//
// The runtime has no threads: each frame calls the script's `update`, then
// gives the goroutines 1 ms. They wait for later frames with game.wait, for
// real time with sleep, for each other with channels. What is not done within
// a frame's millisecond goes on in the next one.
//
// No exception leaves a function that the runtime calls.
#include <csp.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

const char script[] = R"(
import "game"

alarms := chan(16)
gate := chan()

// Walks to and fro; raises the alarm at the gate.
func guard(name, laps) {
  frame := 0
  for lap in 1..=laps {
    for x in [2, 4, 6, 4] {
      game.place(name, x)
      frame += 3
      game.wait(frame)
    }
    alarms <- name
  }
  game.place(name, 0)
}

// Sleeps until it has heard enough, and then a little longer.
func dragon(patience) {
  heard := {}
  for _ in patience {
    name := <-alarms
    heard[name] = (heard[name] ?? 0) + 1
  }
  sleep(2ms)
  game.place("dragon", 9)
  close(gate)
  return heard
}

guards := [go guard("Ann", 2), go guard("Bob", 3), go guard("Cid", 1)]
beast := go dragon(6)

go {
  <-gate
  game.place("thief", 5)
}

// Called for each frame: is the game over?
func update(frame) {
  select {
  case <-gate:
    return true
  default:
    return false
  }
}

func score() {
  for g in guards { <-g }
  heard := <-beast
  return ["Ann", "Bob", "Cid"].map(func(name) => "${name}: ${heard[name]}").join(", ")
}
)";

// --- What the runtime reports ------------------------------------------------
void check(bool fine, const char *what) {
  if (!fine) throw std::runtime_error(what);
}

// The first value of a call, or an exception that says why there is none. It
// may be used until the next call or step.
CspValue value_of(CspResult &result) {
  if (result.end == CSP_DONE) return result.values[0];
  std::string message = result.message ? result.message : "out of memory\n";
  csp_result_free(&result);
  throw std::runtime_error(message);
}

// --- The world ---------------------------------------------------------------
class Game {
 public:
  Game();
  ~Game();
  Game(const Game &) = delete;
  Game &operator=(const Game &) = delete;

  void play();
  void show();

 private:
  static CspStatus place(CspCall *call);
  static CspStatus wait(CspCall *call);
  static Game *of(CspCall *call);

  static const CspFunction functions[];
  static const CspModule module;
  static const CspClass link_class;

  CspHandle function(CspValue loaded, const char *name);
  CspValue call(CspHandle function, int argc, const CspValue *argv);
  void wake();

  std::unique_ptr<Csp, int (*)(Csp *)> csp;
  CspHandle update = 0, score = 0;
  std::map<std::string, int64_t> places;
  std::multimap<int64_t, CspWaker *> waiting;  // by the frame
  int64_t frame = 0;
};

// --- Natives: the way back from a call to the game ---------------------------
struct Link {
  Game *game;
};
const CspClass Game::link_class = {"game", nullptr, sizeof(Link), nullptr};

Game *Game::of(CspCall *call) {
  return static_cast<Link *>(csp_state(csp_of(call), &link_class))->game;
}

// game.place(name, x)
CspStatus Game::place(CspCall *call) {
  const char *name;
  size_t len;
  int64_t x;
  if (!csp_need_string(call, 0, &name, &len) || !csp_need_int(call, 1, &x))
    return CSP_PANIC;
  try {
    of(call)->places[std::string(name, len)] = x;
  } catch (const std::bad_alloc &) {
    return csp_panic_memory(call);
  }
  return csp_ok_nothing(call);
}

// game.wait(frame): until that one. The goroutine parks; the loop wakes it.
CspStatus Game::wait(CspCall *call) {
  int64_t frame;
  if (!csp_need_int(call, 0, &frame)) return CSP_PANIC;
  Game *game = of(call);
  if (frame <= game->frame) return csp_ok_nothing(call);
  try {
    auto place = game->waiting.emplace(frame, nullptr);
    place->second = csp_waker(call);
    if (place->second) return csp_park(call);
    game->waiting.erase(place);
  } catch (const std::bad_alloc &) {
  }
  return csp_panic_memory(call);
}

const CspFunction Game::functions[] = {{"place", "name, x", place},
                                       {"wait", "frame", wait},
                                       {nullptr, nullptr, nullptr}};
const CspModule Game::module = {"game", functions, nullptr, nullptr, 0};

// --- The game ----------------------------------------------------------------
Csp *new_runtime() {
  CspConfig config;
  csp_config_init(&config);
  config.stepped = true;
  return csp_new(&config);
}

Game::Game() : csp(new_runtime(), csp_free) {
  check(csp != nullptr, "no runtime: out of memory");
  csp_install_language(csp.get());
  check(csp_install_library(csp.get()) && csp_register(csp.get(), &module) &&
            csp_register_class(csp.get(), &link_class, nullptr),
        "no library: out of memory");
  auto *link = static_cast<Link *>(csp_state(csp.get(), &link_class));
  check(link != nullptr, "no state: out of memory");
  link->game = this;
  CspResult result;
  csp_load(csp_host(csp.get()), "game.csp", script, std::strlen(script),
           &result);
  CspValue loaded = value_of(result);
  update = function(loaded, "update");
  score = function(loaded, "score");
}

// Each waker is woken once, also when nobody waits any more.
Game::~Game() {
  for (auto &waiter : waiting) csp_wake(waiter.second, nullptr, nullptr);
}

// It is held: the game calls it again and again.
CspHandle Game::function(CspValue loaded, const char *name) {
  CspValue value;
  check(csp_member(csp_host(csp.get()), loaded, name, &value) &&
            csp_type(value) == CSP_FUNC,
        "the script lacks a function");
  CspHandle handle = csp_hold(csp_host(csp.get()), value);
  check(handle != 0, "out of memory");
  return handle;
}

CspValue Game::call(CspHandle function, int argc, const CspValue *argv) {
  CspCall *host = csp_host(csp.get());
  check(host != nullptr, "the script has ended the game");
  CspResult result;
  csp_call(host, csp_held(host, function), argc, argv, &result);
  return value_of(result);
}

// Wakes the functions that wait for this frame.
void Game::wake() {
  while (!waiting.empty() && waiting.begin()->first <= frame) {
    csp_wake(waiting.begin()->second, nullptr, nullptr);
    waiting.erase(waiting.begin());
  }
}

void Game::play() {
  bool over = false;
  while (!over) {
    frame++;
    wake();
    CspValue number = csp_int(csp_host(csp.get()), frame);
    over = csp_truthy(call(update, 1, &number));
    check(csp_step(csp.get(), 1000000) != CSP_CLOSED, "the script has ended");
    // Here a game draws, and waits for the screen.
  }
  while (csp_step(csp.get(), 1000000) == CSP_MORE) {
  }
}

void Game::show() {
  for (const auto &place : places)
    std::printf("%s is at %lld\n", place.first.c_str(),
                static_cast<long long>(place.second));
  size_t len;
  const char *text = csp_to_string(call(score, 0, nullptr), &len);
  std::printf("alarms by %.*s\n", static_cast<int>(len), text);
}

}  // namespace

int main() {
  try {
    Game game;
    game.play();
    game.show();
    return 0;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "game: %s\n", e.what());
    return 1;
  }
}
