#pragma once

// Restrictions on the messages of pipelines (pipeline.hpp).

#include <cstdint>

#include "prove/sat/question/instance.hpp"

namespace schedcc::prover {

/// The messages of a pipeline, where ranks are in rows of some columns.
struct PipelineLines {
  enum class Messages : std::uint8_t { rows_then_columns, rows_or_columns, all };

  Messages messages = Messages::all;
  std::uint64_t columns = 1;
  std::uint64_t row_rounds = 0;  ///< of rows_then_columns: the first rounds, of messages in rows

  /// May the message over an arc be sent in this round of a phase?
  bool admit(const Arc& arc, std::uint64_t round) const;
};

}  // namespace schedcc::prover
