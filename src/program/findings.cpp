#include "program/findings.hpp"

#include <utility>

namespace schedcc::program {

Finding finding_at(const Wiring& wiring, std::uint32_t block, Event event, std::string message) {
  const Block& owner = wiring.blocks()[block];
  Finding finding;
  finding.rank = owner.gpu;
  finding.threadblock = owner.index;
  finding.line = owner.block->line;
  finding.column = owner.block->column;
  if (event != none) {
    finding.step = wiring.step_of(event);
    finding.line = wiring[event].line;
    finding.column = wiring[event].column;
  }
  finding.message = std::move(message);
  return finding;
}

Finding finding_at(const Wiring& wiring, Event event, std::string message) {
  return finding_at(wiring, wiring.block_of(event), event, std::move(message));
}

Finding finding_at(const Wiring& wiring, const Mismatch& mismatch) {
  if (mismatch.block != none) {
    return finding_at(wiring, mismatch.block, mismatch.event, mismatch.message);
  }
  Finding finding;
  finding.line = mismatch.line;
  finding.column = mismatch.column;
  finding.message = mismatch.message;
  return finding;
}

}  // namespace schedcc::program
