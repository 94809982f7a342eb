// SPDX-License-Identifier: MIT
// RE2 as an oracle: for each line of oracle.py what its second pattern finds
// in each text, in the form of spans.csp.
#include <re2/re2.h>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

static std::string from_hex(const std::string &field) {
  std::string out;
  for (size_t i = 1; i + 1 < field.size(); i += 2)
    out += static_cast<char>(std::stoi(field.substr(i, 2), nullptr, 16));
  return out;
}

static size_t after_char(const std::string &text, size_t at) {
  at++;
  while (at < text.size() && (text[at] & 0xc0) == 0x80) at++;
  return at;
}

static void print_match(const std::vector<re2::StringPiece> &groups,
                        const std::string &text) {
  for (size_t i = 0; i < groups.size(); i++) {
    if (i > 0) std::cout << '/';
    if (groups[i].data() == nullptr) {
      std::cout << '-';
    } else {
      size_t from = static_cast<size_t>(groups[i].data() - text.data());
      std::cout << from << '-' << from + groups[i].size();
    }
  }
  std::cout << ',';
}

// All matches. One that is empty where the one before it ended is none.
static void print_matches(const RE2 &re, const std::string &text) {
  int count = re.NumberOfCapturingGroups() + 1;
  std::vector<re2::StringPiece> groups(static_cast<size_t>(count));
  size_t before = std::string::npos, at = 0;
  std::cout << " .";
  while (at <= text.size() && re.Match(text, at, text.size(), RE2::UNANCHORED,
                                       groups.data(), count)) {
    size_t from = static_cast<size_t>(groups[0].data() - text.data());
    size_t end = from + groups[0].size();
    if (from != end || from != before) print_match(groups, text);
    before = end;
    at = end == at ? after_char(text, end) : end;
  }
}

int main() {
  RE2::Options options;
  options.set_log_errors(false);
  std::string line, ours, theirs, text;
  while (std::getline(std::cin, line)) {
    std::istringstream fields(line);
    fields >> ours >> theirs;
    RE2 re(from_hex(theirs), options);
    if (!re.ok()) {
      std::cout << "wrong: " << re.error_code() << '\n';
      continue;
    }
    std::cout << "fine";
    while (fields >> text) print_matches(re, from_hex(text));
    std::cout << '\n';
  }
}
