// The stages of a check by several threads.

#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "check/checker.hpp"
#include "check/pipeline.hpp"

namespace schedcc {

namespace {

/// A part of the steps that are left.
struct Block {
  StepBlock steps;
  std::vector<std::uint8_t> meet;  ///< by step: may chunks meet?
};

/// Calls stage(step, whether its chunks meet) for the steps of a block.
template <typename Stage>
void visit(Block& block, RouteEnds& ends, const Stage& stage) {
  const std::span<const Step> steps = block.steps.steps();
  try {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      ends.read(steps[i]);
      stage(StepEnds{steps[i], ends.sent(), ends.received()}, block.meet[i]);
    }
  } catch (...) {  // one thread finds what comes first
    throw Abandoned();
  }
}

}  // namespace

bool Checker::spreads() const {
  return threading_.threads > 1 && seen_.load(relaxed) >= threading_.alone && !options_.fail_fast &&
         !reporter_.any();
}

void Checker::examine_by_threads(const Step& first) {
  std::vector<Block> blocks(threading_.blocks);
  const Step* read_already = &first;
  std::exception_ptr unreadable;
  const auto fill = [&](std::size_t slot) {
    StepBlock& steps = blocks[slot].steps;
    steps.clear();
    if (read_already != nullptr) steps.add(*std::exchange(read_already, nullptr));
    if (auto error = read(steps)) unreadable = error;
    steps.finish();
    blocks[slot].meet.resize(steps.steps().size());
    return steps.weight();
  };
  // Two threads are busy with the stages, of which reading is one.
  if (threading_.threads > 2) steps_->read_ahead(threading_.threads);
  Pipeline pipeline(fill, threading_.blocks, threading_.blocks * threading_.block);
  const auto add = [&](auto stage, const std::vector<std::size_t>& after = {}) {
    return pipeline.add([&blocks, stage, ends = RouteEnds()](
                            std::size_t slot) mutable { visit(blocks[slot], ends, stage); },
                        after);
  };
  const std::size_t inspected = add([this](const StepEnds& ends, std::uint8_t& meet) {
    inspect(ends);
    meet = holdings_ && digest_.chunks_meet();
  });
  for (const auto& [check, part] : following_) {
    add([check = check, part = part](const StepEnds& ends, std::uint8_t) {
      check->follow(ends, part);
    });
  }
  if (holdings_) {
    add([this](const StepEnds& ends, std::uint8_t meet) { advance(ends, meet != 0); }, {inspected});
  }
  reporter_.refuse(true);
  pipeline.run(threading_.threads, [this] { report_progress(); });
  reporter_.refuse(false);
  if (unreadable) std::rethrow_exception(unreadable);
}

std::exception_ptr Checker::read(StepBlock& block) {
  try {
    const std::lock_guard lock(reading_);
    for (Step step; steps_ != nullptr && block.weight() < threading_.block;) {
      if (!steps_->next(step)) {
        steps_ = nullptr;  // it is not asked again
      } else if (!step.transfers.empty()) {
        note_read(step);
        block.add(step);
      }
    }
  } catch (const InputError&) {
    steps_ = nullptr;
    return std::current_exception();
  } catch (...) {
    throw Abandoned();
  }
  return nullptr;
}

}  // namespace schedcc
