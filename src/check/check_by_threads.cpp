// The stages of a check by several threads.

#include <exception>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/queue_parts.hpp"
#include "check/checker.hpp"
#include "check/pipeline.hpp"

namespace schedcc {

/// A part of the steps that are left.
struct Checker::Block {
  StepBlock steps;
  std::vector<std::uint8_t> meet;  ///< by step: may chunks meet?

  /// Calls stage(step, whether its chunks meet) for the steps.
  template <typename Stage>
  void visit(RouteEnds& ends, const Stage& stage) {
    try {
      for (std::size_t i = 0; i < meet.size(); ++i) {
        const Step& step = steps.steps()[i];
        ends.read(step);
        stage(StepEnds{step, ends.sent(), ends.received()}, meet[i]);
      }
    } catch (...) {  // one thread finds what comes first
      throw Abandoned();
    }
  }
};

std::optional<Checker::Stages> Checker::stages_from(const Step& step) {
  if (threading_.threads == 1 || seen_.load(relaxed) < threading_.alone || options_.fail_fast ||
      reporter_.any())
    return std::nullopt;
  begin_queues(step);
  if (queues_ != nullptr && !queues_->begun()) return Stages::holdings_only;
  if (telling_.empty() || !queues_->tell_holdings()) return Stages::both;
  if (fits(step, Stages::queues_only)) return Stages::queues_only;
  return std::nullopt;
}

bool Checker::fits(const Step& step, Stages stages) {
  switch (stages) {
    case Stages::holdings_only:
      return !queues_->forwards(step);
    case Stages::queues_only:
      return QueueParts::keep_telling(step);
    case Stages::both:
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
  // Holdings see here whether queues tell them, and do not ask while other threads follow these.
  if (!telling_.empty() && stages != Stages::holdings_only) advance_to(step.number);
  std::vector<Block> blocks(threading_.blocks);
  const Step* read_already = &step;
  std::optional<Step> left_over;
  std::exception_ptr unreadable;
  const auto fill = [&](std::size_t slot) {
    StepBlock& steps = blocks[slot].steps;
    steps.clear();
    if (read_already != nullptr) steps.add(*std::exchange(read_already, nullptr));
    if (auto error = read(steps, stages, left_over)) unreadable = error;
    steps.finish();
    blocks[slot].meet.resize(steps.steps().size());
    return steps.weight();
  };
  // Two threads are busy with the stages, of which reading is one.
  if (threading_.threads > 2) steps_->read_ahead(threading_.threads);
  Pipeline pipeline(fill, threading_.blocks, threading_.blocks * threading_.block);
  add_stages(pipeline, blocks, stages);
  const bool refused = reporter_.refuse(true);
  pipeline.run(threading_.threads, [this] { report_progress(); });
  reporter_.refuse(refused);
  if (unreadable) std::rethrow_exception(unreadable);
  if (left_over) step = *left_over;
  return left_over.has_value();
}

void Checker::add_stages(Pipeline& pipeline, std::vector<Block>& blocks, Stages stages) {
  const bool by_queues = stages == Stages::queues_only;
  const auto add = [&](auto stage, const std::vector<std::size_t>& after = {}) {
    return pipeline.add([&blocks, stage, ends = RouteEnds()](
                            std::size_t slot) mutable { blocks[slot].visit(ends, stage); },
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
}

std::exception_ptr Checker::read(StepBlock& block, Stages stages, std::optional<Step>& left_over) {
  try {
    const std::lock_guard lock(reading_);
    for (Step step; !left_over && block.weight() < threading_.block && next(step);) {
      if (fits(step, stages)) {
        block.add(step);
      } else {
        left_over = step;
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
