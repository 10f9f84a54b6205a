// The stages of a check by several threads.

#include <exception>
#include <mutex>
#include <optional>
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

std::optional<Checker::Stages> Checker::stages_from(const Step& step) {
  if (threading_.threads == 1 || seen_.load(relaxed) < threading_.alone || options_.fail_fast ||
      reporter_.any())
    return std::nullopt;
  const bool begun = queues_ == nullptr || queues_->begun();
  if (!begun && fits(step, Stages::before_queues)) return Stages::before_queues;
  if (!begun) queues_->begin();
  if (telling_.empty() || !queues_->tell_holdings()) return Stages::apart;
  if (fits(step, Stages::by_queues)) return Stages::by_queues;
  return std::nullopt;
}

bool Checker::fits(const Step& step, Stages stages) {
  switch (stages) {
    case Stages::before_queues:
      ahead_.read(step);
      return !queues_->forwards(ahead_.sent());
    case Stages::by_queues:
      return QueueParts::keep_telling(step);
    case Stages::apart:
      break;
  }
  return true;
}

void Checker::advance_to(std::uint64_t number) {
  Step nothing;
  nothing.number = number;
  holdings_->advance(nothing, false, outcome_);
}

bool Checker::examine_by_threads(Step& step, Stages stages) {
  const bool by_queues = stages == Stages::by_queues;
  // Holdings see here whether queues tell them, and do not ask while other threads follow these.
  if (!telling_.empty() && stages != Stages::before_queues) advance_to(step.number);
  std::vector<Block> blocks(threading_.blocks);
  std::optional<Step> left = step;
  std::exception_ptr unreadable;
  bool first = true;
  const auto fill = [&](std::size_t slot) {
    StepBlock& steps = blocks[slot].steps;
    steps.clear();
    if (std::exchange(first, false)) steps.add(*std::exchange(left, std::nullopt));
    if (auto error = read(steps, stages, left)) unreadable = error;
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
  const std::size_t inspected = add([this, by_queues](const StepEnds& ends, std::uint8_t& meet) {
    inspect(ends, by_queues);
    meet = holdings_ && digest_.chunks_meet();
  });
  for (const auto& [check, part] : following_) {
    add([check = check, part = part](const StepEnds& ends, std::uint8_t) {
      check->follow(ends, part);
    });
  }
  for (const auto& [check, part] : telling_) {
    add([this, by_queues, check = check, part = part](const StepEnds& ends, std::uint8_t) {
      check->follow(ends, part);
      if (by_queues && !queues_->tell_holdings(part)) throw Abandoned();
    });
  }
  if (holdings_ && !by_queues) {
    add([this](const StepEnds& ends, std::uint8_t meet) { advance(ends, meet != 0); }, {inspected});
  }
  reporter_.refuse(true);
  pipeline.run(threading_.threads, [this] { report_progress(); });
  reporter_.refuse(false);
  if (unreadable) std::rethrow_exception(unreadable);
  if (left) step = *left;
  return left.has_value();
}

std::exception_ptr Checker::read(StepBlock& block, Stages stages, std::optional<Step>& left) {
  try {
    const std::lock_guard lock(reading_);
    for (Step step; !left && block.weight() < threading_.block && next(step);) {
      if (fits(step, stages)) {
        block.add(step);
      } else {
        left = step;
      }
    }
  } catch (const InputError&) {
    steps_ = nullptr;  // it is not asked again
    return std::current_exception();
  } catch (...) {
    throw Abandoned();
  }
  return nullptr;
}

}  // namespace schedcc
