#pragma once

// Broadcasts on 2^q ranks in which halves exchange packets: what their messages carry.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "prove/sat/packets.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// The steps of exchanges: the bound for one port.
std::uint64_t exchange_steps(std::uint64_t ranks, std::uint64_t packets);

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
  Rank root() const { return root_; }
  /// Are all steps made?
  bool over() const { return now_ == static_cast<std::int64_t>(steps_); }

  /// Adds a message to the step, from a rank of one half to one of the other; nothing if the
  /// receiver is the root.
  void message(Rank from, Rank to);
  /// Begins the next step.
  void advance();

  std::shared_ptr<const Schedule> schedule() const { return schedule_; }

 private:
  void send(Rank from, Rank to, std::int64_t packet);

  Packets packets_;
  Rank root_;
  std::uint64_t q_, steps_;
  std::vector<std::vector<bool>> holds_;                 ///< by rank and packet
  std::vector<std::int64_t> labels_;                     ///< of each rank; below 0: no packet
  std::vector<std::pair<Rank, std::int64_t>> received_;  ///< labels, in this step
  std::int64_t now_ = 0;                                 ///< the step
  std::shared_ptr<Schedule> schedule_ = std::make_shared<Schedule>();
};

}  // namespace schedcc::prover
