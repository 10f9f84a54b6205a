#include "machine/named_machine.hpp"

namespace schedcc {

Machine named_machine(const Source& source) {
  return make_machine(source.machine.empty() ? "duplex" : source.machine, source.problem.ranks);
}

}  // namespace schedcc
