#include "schedcc/source.hpp"

namespace schedcc {

Source from_schedule(Problem problem, std::shared_ptr<const Schedule> schedule,
                     std::uint64_t nodes) {
  Source source;
  source.name = "schedule";
  source.nodes = nodes;
  source.problem = std::move(problem);
  source.open = [schedule = std::move(schedule)] { return stream(schedule); };
  return source;
}

}  // namespace schedcc
