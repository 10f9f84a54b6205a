// Executes the table TABLE_HEADER, whose namespace is TABLE_NAMESPACE. OTHER_HEADER holds the same
// schedule in the namespace other::table: two tables in one program must not conflict.

#include TABLE_HEADER
#include TABLE_HEADER  // the second time nothing happens
#include OTHER_HEADER

#include <cstdio>
#include <string>

#include "run_table.hpp"

namespace table = TABLE_NAMESPACE;

static_assert(table::operations.size() == other::table::operations.size());
static_assert(table::index[table::ranks] == table::operations.size());
static_assert(table::program(table::ranks - 1).end() ==
              table::operations.data() + table::operations.size());

int main() {
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
