#pragma once

// A schedule as a table of text: steps across, ranks down.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/report_text.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::cli {

/// What a rank does in a step.
struct ShownCell {
  std::vector<std::string> sends = {}, receives = {};  ///< ">3:0-2", "<5:1"
  std::vector<std::size_t> marks = {};                 ///< the numbers of findings, "!1"
};

/// A column; steps in which no shown rank does anything have none.
struct ShownStep {
  std::uint64_t number;
  std::string title;  ///< "step 3"
  std::map<Rank, ShownCell> cells = {};
};

struct ShownTable {
  std::string row_title;  ///< "rank"
  std::uint64_t first_row = 0, last_row = 0;
  std::vector<ShownStep> steps = {};

  std::uint64_t rows() const { return last_row - first_row + 1; }
};

/// A table cut into blocks of columns, as wide as the output allows.
class TableLayout {
 public:
  /// `width`: columns of text.
  TableLayout(const ShownTable& table, std::size_t width);

  /// The lines of text that it has.
  std::uint64_t lines() const { return blocks_.size() * (table_.rows() + 2); }
  /// Has any cell more messages than it shows?
  bool clipped() const { return clipped_; }
  /// The last step that fits into that many lines: at least the first.
  std::uint64_t last_step_within(std::uint64_t lines) const;
  std::string text(const Style& style) const;

 private:
  /// The widths of a column's parts: what is sent, what is received, and marks.
  struct Column {
    std::size_t sends = 0, receives = 0, marks = 0;
    std::size_t title = 0;
    std::size_t width() const;
  };
  /// Columns first..end-1.
  struct Block {
    std::size_t first, end;
  };

  std::string row_text(const Style& style, const Block& block, Rank row) const;
  std::string cell_text(const Style& style, const ShownCell& cell, const Column& column) const;

  const ShownTable& table_;
  std::size_t label_;  ///< the width of the first column
  std::vector<Column> columns_;
  std::vector<Block> blocks_;
  bool clipped_ = false;
};

/// The columns of the terminal if standard output is one, else those of COLUMNS in the environment,
/// else 160.
std::size_t output_width();

}  // namespace schedcc::cli
