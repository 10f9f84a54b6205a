#include "program/findings.hpp"

#include <algorithm>
#include <utility>

namespace schedcc::program {

const ProgramFinding* first_error(const std::vector<ProgramFinding>& findings) {
  const auto found =
      std::ranges::find_if(findings, [](const ProgramFinding& f) { return f.note.empty(); });
  return found == findings.end() ? nullptr : &*found;
}

Finding finding_at(const ProgramLocation& location, std::string message,
                   const std::vector<ProgramLocation>& others) {
  Finding finding;
  if (location.gpu != none) finding.rank = location.gpu;
  if (location.block != none) finding.threadblock = location.block;
  if (location.step != none) finding.step = location.step;
  finding.line = location.line;
  finding.column = location.column;
  finding.message = std::move(message);
  for (const ProgramLocation& other : others) {
    if (other.step == none || other == location) continue;
    const InstructionLocation place{other.gpu, other.block, other.step, other.line};
    if (std::ranges::find(finding.others, place) == finding.others.end())
      finding.others.push_back(place);
  }
  return finding;
}

}  // namespace schedcc::program
