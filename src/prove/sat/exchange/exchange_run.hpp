#pragma once

// Broadcasts on 2^q ranks in which halves exchange packets: what their messages carry.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "prove/sat/question/packets.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// The steps of exchanges: the bound for one port.
std::uint64_t exchange_steps(std::uint64_t ranks, std::uint64_t packets);

/// The schedule of exchanges, made step by step.
class ExchangeSteps {
 public:
  ExchangeSteps(Packets packets, std::uint64_t ranks);

  Rank root() const { return packets_.deliveries.front().sources.front(); }
  /// The step, from 0 on.
  std::int64_t now() const { return now_; }
  /// Are all steps made?
  bool over() const { return now_ == static_cast<std::int64_t>(steps_); }
  /// Sends a packet, the last one in the place of a later one, unless it is below 0, or the
  /// receiver has it.
  void send(Rank from, Rank to, std::int64_t packet);
  /// Begins the next step.
  void advance();

  std::shared_ptr<const Schedule> schedule() const { return schedule_; }

 private:
  Packets packets_;
  std::uint64_t steps_;
  std::vector<std::vector<bool>> holds_;  ///< by rank and packet
  std::int64_t now_ = 0;
  std::shared_ptr<Schedule> schedule_ = std::make_shared<Schedule>();
};

/// Makes the schedule for a broadcast on 2^q ranks step by step, from its messages alone. Each rank
/// but the root has a label, a packet, whose age is the number of steps since the root sent it;
/// exchange_run.cpp has the rule of the labels and of the messages, and the proof.
class ExchangeRun {
 public:
  /// `ages`: those of the labels, by rank, in the first step; that of the root is of no account.
  ExchangeRun(Packets packets, const std::vector<std::uint64_t>& ages);

  /// The age of the label of rank v; 0 of the root.
  std::uint64_t age(Rank v) const;
  /// Is the label of rank v one of the half with the oldest one?
  bool oldest(Rank v) const { return age(v) == q_; }
  /// Are all steps made?
  bool over() const { return steps_.over(); }

  /// Adds a message to the step, from a rank of one half to one of the other; nothing if the
  /// receiver is the root.
  void message(Rank from, Rank to);
  /// Begins the next step.
  void advance();

  std::shared_ptr<const Schedule> schedule() const { return steps_.schedule(); }

 private:
  ExchangeSteps steps_;
  std::uint64_t q_;
  std::vector<std::int64_t> labels_;                     ///< of each rank; below 0: no packet
  std::vector<std::pair<Rank, std::int64_t>> received_;  ///< labels, in this step
};

}  // namespace schedcc::prover
