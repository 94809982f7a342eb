// SPDX-License-Identifier: MIT
// A C++11 host: the runtime in an object that frees it, output in a string, a
// lambda as a native function, one that catches its exceptions, C++ data
// behind a value of the language.
#include <csp.h>

#include <cstdio>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Output {
  std::mutex lock;
  std::string text;

  static void take(void *self, const char *data, size_t len) {
    Output *output = static_cast<Output *>(self);
    std::lock_guard<std::mutex> guard(output->lock);
    output->text.append(data, len);
  }
};

// Nothing is thrown through the runtime: exceptions become errors here.
CspStatus number(CspCall *call) {
  const char *text;
  size_t len;
  if (!csp_need_string(call, 0, &text, &len)) return CSP_PANIC;
  try {
    return csp_ok_value(call, csp_int(call, std::stoi(std::string(text, len))));
  } catch (const std::exception &e) {
    return csp_ok_error(call, "%s of \"%s\"", e.what(), text);
  }
}

using Numbers = std::vector<int64_t>;
void numbers_end(void *data) { static_cast<Numbers *>(data)->~Numbers(); }
const CspClass numbers_class = {"numbers", numbers_end, sizeof(Numbers), nullptr};

CspStatus numbers_new(CspCall *call) {
  void *data;
  CspValue value = csp_host_new(call, &numbers_class, &data);
  if (csp_is_undef(value)) return csp_panic_memory(call);
  new (data) Numbers{1, 2, 3};
  return csp_ok(call, value);
}

CspStatus numbers_sum(CspCall *call) {
  void *data = csp_host_data(csp_arg(call, 0), &numbers_class);
  int64_t sum = 0;
  for (int64_t n : *static_cast<Numbers *>(data)) sum += n;
  return csp_ok_int(call, sum);
}

const CspFunction methods[] = {{"sum", "numbers", numbers_sum},
                               {nullptr, nullptr, nullptr}};
const CspFunction functions[] = {{"number", "text", number},
                                 {"numbers", "", numbers_new},
                                 {"twice", "n",
                                  [](CspCall *call) {
                                    int64_t n;
                                    if (!csp_need_int(call, 0, &n))
                                      return CSP_PANIC;
                                    return csp_ok_int(call, 2 * n);
                                  }},
                                 {nullptr, nullptr, nullptr}};
const CspModule module = {"host", functions, nullptr, nullptr, 0};

const std::string script = R"(
import "host"
println(host.twice(21), host.numbers().sum())
for text in ["17", "many"] {
  n, err := host.number(text)
  println(n ?? err)
}
tasks := []
for i in 3 { tasks.push(go host.twice(i)) }
for t in tasks { println(<-t) }
)";

}  // namespace

int main() {
  Output output;
  CspConfig config;
  csp_config_init(&config);
  config.write_out = Output::take;
  config.write_err = Output::take;
  config.write_arg = &output;
  int status = 1;
  {
    std::unique_ptr<Csp, int (*)(Csp *)> csp(csp_new(&config), csp_free);
    if (!csp) return 1;
    csp_install_language(csp.get());
    if (csp_install_library(csp.get()) && csp_register(csp.get(), &module) &&
        csp_register_class(csp.get(), &numbers_class, methods))
      csp_run(csp.get(), "script.csp", script.data(), script.size(), &status);
  }
  std::fputs(output.text.c_str(), stdout);
  return status;
}
