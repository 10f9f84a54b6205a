#include "check/share.hpp"

namespace schedcc {

const Step& StepCut::read(const Step& step) {
  step_ = step;
  if (part_.count == 0) {
    step_.transfers = {};
  } else {
    transfers_.clear();
    lines_.clear();
    origins_.clear();
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      const Transfer& t = step.transfers[i];
      const Run chunks = common({t.first, t.count}, part_);
      if (chunks.count > 0) add(step, i, chunks);
    }
    step_.transfers = transfers_;
  }
  if (!step.lines.empty()) step_.lines = lines_;
  if (!step.origins.empty()) step_.origins = origins_;
  ends_.read(step_);
  return step_;
}

void StepCut::add(const Step& step, std::size_t i, const Run& chunks) {
  transfers_.push_back(step.transfers[i]);
  transfers_.back().first = chunks.first;
  transfers_.back().count = chunks.count & max_transfer_count;
  if (!step.lines.empty()) lines_.push_back(step.lines[i]);
  if (!step.origins.empty()) origins_.push_back(step.origins[i]);
}

void SourceHash::add(const Problem& problem) {
  mix(problem.ranks, problem.total_chunks());
  if (!problem.declared()) return;
  const auto add = [&](Rank rank, const Runs& runs) {
    for (const Run& run : runs) {
      mix(rank, problem.reduced(run));
      mix(run.first, run.count);
    }
  };
  problem.for_each_start(add);
  problem.for_each_goal(add);
}

void SourceHash::add(const Step& step) {
  mix(step.number, step.rounds);
  for (const Transfer& t : step.transfers) {
    mix(std::uint64_t{t.src} << 32 | t.dst, std::uint64_t{t.first} << 32 | t.count << 1 | t.reduce);
  }
}

}  // namespace schedcc
