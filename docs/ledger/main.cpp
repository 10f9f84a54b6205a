// Writes the ledger of the papers, docs/papers.md, or checks that a file is up to date.

#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

#include "ledger.hpp"

namespace {

constexpr const char* usage =
    "Usage: ledger            the ledger, on standard output\n"
    "       ledger --check FILE   is the file up to date?\n"
    "       ledger --commands     its commands, and what each prints, separated by tabs\n";

/// 0, or 1 with the first line that differs.
int check(const std::string& text, const char* path) {
  std::ifstream file(path);
  std::istringstream lines(text);
  std::string want, have;
  for (int line = 1;; ++line) {
    const bool more = static_cast<bool>(std::getline(lines, want));
    const bool there = static_cast<bool>(std::getline(file, have));
    if (!more && !there) return 0;
    if (more && there && want == have) continue;
    std::cerr << path << ":" << line << ": not up to date: make -f Makefile.examples docs\n";
    if (there) std::cerr << "- " << have << '\n';
    if (more) std::cerr << "+ " << want << '\n';
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<ledger::Paper> papers{ledger::ft(),       ledger::bft(),       ledger::cc(),
                                            ledger::bl(),       ledger::libraries(), ledger::bine(),
                                            ledger::trivance(), ledger::forest()};
    if (argc == 1) {
      std::cout << ledger::markdown(papers);
    } else if (argc == 2 && std::strcmp(argv[1], "--commands") == 0) {
      std::cout << ledger::commands(papers);
    } else if (argc == 3 && std::strcmp(argv[1], "--check") == 0) {
      return check(ledger::markdown(papers), argv[2]);
    } else {
      std::cerr << usage;
      return 2;
    }
  } catch (const std::exception& error) {
    std::cerr << "ledger: " << error.what() << '\n';
    return 70;
  }
  return 0;
}
