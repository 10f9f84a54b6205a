#pragma once

// The steps of a source as the clocks see them.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/seldom.hpp"
#include "cost/messages.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Throws InputError if all blocks of the problem together have 2^64 bytes or more; no message is
/// larger than these.
void check_size(const Problem& problem, std::uint64_t bytes);

/// Reads the steps of a source that have transfers; on a routed machine those of the hop level.
class StepReader {
 public:
  /// `bytes`: of the message, or of a block.
  StepReader(const Source& source, const Machine& machine, const CostModel& model,
             std::uint64_t bytes, const std::function<void(std::uint64_t)>& progress);

  /// The next step; false at the end.
  bool next();

  const Step& step() const { return step_; }
  /// How many steps of the source have been read, with those that have no transfers.
  std::uint64_t rows() const { return rows_; }
  /// The messages of the step, valid until the next call.
  std::span<const SizedMessage> messages() { return reader_.read(step_); }
  /// What has read them.
  const MessageReader& reader() const { return reader_; }

 private:
  bool rounds_;
  Seldom progress_;
  MessageReader reader_;
  std::unique_ptr<StepStream> stream_;
  Step step_;
  std::uint64_t rows_ = 0, seen_ = 0;
};

}  // namespace schedcc
