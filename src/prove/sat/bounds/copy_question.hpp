#pragma once

// Questions in which chunks are only copied, and those that are such questions reversed in time.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "prove/sat/bounds/message_prices.hpp"
#include "prove/sat/bounds/prices.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/poll_limits.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// Prices that all chunks together cannot pay: of ports and channels, of links, or of messages.
using RefutingPrices = std::variant<Prices, MessagePrices>;

/// A question in which chunks are only copied, or one whose schedules are those of such a question,
/// reversed in time.
class CopyQuestion {
 public:
  CopyQuestion(Instance asked, std::vector<Delivery> copied, Direction time)
      : instance(std::move(asked)), chunks(std::move(copied)), direction(time) {}

  const Instance instance;
  const std::vector<Delivery> chunks;
  const Direction direction;

  bool backwards() const { return direction == Direction::backwards; }

  /// The schedule of the question that was asked.
  std::shared_ptr<const Schedule> schedule(std::shared_ptr<const Schedule> copies) const;

  /// Prices that refute the question (refuting_prices, refuting_message_prices). They are looked
  /// for once, however often this is called; not by two threads at a time.
  const std::optional<RefutingPrices>& prices(const PollLimits& poll_limits = nullptr) const;

 private:
  mutable std::optional<std::optional<RefutingPrices>> prices_;  ///< empty until they are asked for
};

/// nullptr if contributions are combined, and time cannot be reversed. Throws InputError as
/// make_instance does.
std::shared_ptr<const CopyQuestion> copy_question(const Question& question);

/// A question that several searches and encodings look at.
struct PreparedQuestion {
  explicit PreparedQuestion(const Question& asked)
      : question(asked), copies(copy_question(asked)) {}

  const Question& question;
  const std::shared_ptr<const CopyQuestion> copies;  ///< copy_question()

  /// Why it has no clauses (clauses_refusal).
  std::optional<std::string> clauses_refusal() const;
};

}  // namespace schedcc::prover
