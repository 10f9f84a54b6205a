#include "transform/rows.hpp"

#include "schedcc/machine.hpp"

namespace schedcc {

Source finished(Problem problem, Rows& rows, std::uint64_t nodes, const std::string& machine,
                const std::string& name) {
  problem.validate();
  const Rank ranks = problem.ranks;
  Source result = from_schedule(std::move(problem), rows.finish(), nodes);
  result.name = result.title = name;
  if (!machine.empty()) result.machine = make_machine(machine, ranks).spec();
  return result;
}

}  // namespace schedcc
