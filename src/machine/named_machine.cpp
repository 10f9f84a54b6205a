#include "schedcc/named_machine.hpp"

namespace schedcc {

Machine named_machine(const Source& source) {
  return source.machine.empty() ? Machine() : make_machine(source.machine, source.problem.ranks);
}

}  // namespace schedcc
