// Executes the table TABLE_HEADER, whose namespace is TABLE_NAMESPACE; is it CORRUPTED?
// OTHER_HEADER holds the same schedule, packed, in the namespace other::table: two tables in one
// program must not conflict, and have the same operations.

#include TABLE_HEADER
#include TABLE_HEADER  // the second time nothing happens
#include OTHER_HEADER

#include <algorithm>
#include <cstdio>
#include <string>

#include "run_table.hpp"

namespace table = TABLE_NAMESPACE;

static_assert(table::operations.size() == other::table::operations.size());
static_assert(table::index[table::ranks] == table::operations.size());
static_assert(table::program(table::ranks - 1).end() ==
              table::operations.data() + table::operations.size());

namespace {

/// Are the operations of every rank the same in both tables?
constexpr bool same_operations(std::uint32_t ranks) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    auto packed = other::table::program(rank).begin();
    for (const table::Operation& a : table::program(rank)) {
      const other::table::Operation b = *packed++;
      if (a.step != b.step || static_cast<int>(a.kind) != static_cast<int>(b.kind) ||
          a.peer != b.peer || a.first != b.first || a.count != b.count ||
          static_cast<int>(a.mode) != static_cast<int>(b.mode)) {
        return false;
      }
    }
    if (packed != other::table::program(rank).end()) return false;
  }
  return true;
}

// A few of them while it is compiled. A corrupted table is to be found by its execution.
static_assert(CORRUPTED || same_operations(std::min<std::uint32_t>(table::ranks, 3)));

}  // namespace

int main() {
  if (!CORRUPTED && !same_operations(table::ranks)) {
    std::fputs("the packed table has other operations\n", stderr);
    return 1;
  }
  execute::Table copy{std::string(table::collective),
                      table::ranks,
                      table::root,
                      table::chunks,
                      table::total_chunks,
                      table::ordered,
                      {}};
  for (std::uint32_t rank = 0; rank < table::ranks; ++rank) {
    auto& program = copy.programs.emplace_back();
    for (const table::Operation& o : table::program(rank)) {
      program.push_back(
          {o.step, o.kind == table::receive, o.peer, o.first, o.count, o.mode == table::reduce});
    }
  }
  const std::string problem = execute::run(copy);
  if (!problem.empty()) std::fprintf(stderr, "%s\n", problem.c_str());
  return problem.empty() ? 0 : 1;
}
