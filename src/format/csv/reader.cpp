// Reads schedules as tables of transfers (docs/formats.md).
//
// The header of the .sched format is in lines that begin with #, which other readers of tables
// skip. A line names the columns, in any order, and each line after it is a transfer of a run of
// chunks, or, with only a step and its rounds, a step without transfers. The lines of a step are
// consecutive.

#include "format/csv/reader.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/names.hpp"
#include "format/header.hpp"
#include "model/problem_text.hpp"

namespace schedcc {

namespace {

enum Column : std::uint8_t {
  step_column,
  src_column,
  dst_column,
  first_column,
  last_column,
  mode_column,
  rounds_column
};
constexpr auto column_names =
    std::to_array<std::string_view>({"step", "src", "dst", "first", "last", "mode", "rounds"});
constexpr std::size_t needed_columns = 5;  ///< `mode` and `rounds` may be left out

using Columns = std::vector<Column>;

/// The line that names the columns.
Columns read_columns(Scanner& in) {
  if (!in.next_directive()) in.fail("the line that names the columns is missing");
  Columns columns;
  do {
    const std::string_view name = in.field("the name of a column");
    const auto found = std::ranges::find(column_names, name);
    if (found == column_names.end()) {
      in.fail_token(unknown("column", name, column_names));
    }
    const auto column = static_cast<Column>(found - column_names.begin());
    if (std::ranges::find(columns, column) != columns.end()) {
      in.fail_token(fmt::format("duplicate column '{}'", name));
    }
    columns.push_back(column);
  } while (in.take(','));
  in.end_line();
  for (std::size_t c = 0; c < needed_columns; ++c) {
    if (std::ranges::find(columns, static_cast<Column>(c)) == columns.end()) {
      in.fail_token(fmt::format("there is no column '{}'", column_names[c]));
    }
  }
  return columns;
}

class CsvStream : public StepStream {
 public:
  CsvStream(InputText text, const std::string& file, const Scanner::Mark& start, Columns columns)
      : text_(std::move(text)), in_(text_.view(), file), columns_(std::move(columns)) {
    in_.seek(start);
    in_.separate(',');
    more_ = read_row();
  }

  bool next(Step& step) override {
    if (!more_) return false;
    transfers_.clear();
    lines_.clear();
    const Row first = row_;
    do {
      if (row_.rounds != first.rounds) {  // at the end of its line
        in_.fail_token(fmt::format("step {} takes {} here, and {} before", row_.step,
                                   counted(row_.rounds, "round"), first.rounds));
      }
      if (!row_.idle) add_row();
      more_ = read_row();
    } while (more_ && row_.step == first.step);
    step = {};
    step.number = first.step;
    step.rounds = first.rounds;
    step.transfers = transfers_;
    step.lines = lines_;
    return true;
  }

 private:
  struct Row {
    std::uint32_t step = 0, src = 0, dst = 0, first = 0, last = 0, rounds = 1;
    bool reduce = false;
    bool idle = false;  ///< no transfer: `src` and later columns are empty
  };

  void add_row() {
    split_run(row_.src, row_.dst, row_.first, std::uint64_t{row_.last} - row_.first + 1,
              row_.reduce, [&](const Transfer& transfer) {
                transfers_.push_back(transfer);
                lines_.push_back(in_.line());
              });
  }

  bool read_row() {
    if (!in_.next_directive()) return false;
    row_ = {};
    transfer_.reset();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0 && !in_.take(',')) {
        in_.begin_token(fmt::format("column '{}'", column_names[columns_[i]]));
        in_.fail_token(fmt::format("expected a comma, not '{}'", in_.shown()));
      }
      const Column column = columns_[i];
      const bool of_step = column == step_column || column == rounds_column;
      if (of_step || !leave_empty(column)) read_field(column);
    }
    in_.end_line();
    if (row_.last < row_.first) {
      in_.fail_token(fmt::format("the run of chunks {} to {} is empty", row_.first, row_.last));
    }
    return true;
  }

  /// Is a field of the transfer empty? Then all of them are, and the step has none in this line.
  bool leave_empty(Column column) {
    const bool empty = in_.at_empty_field();
    if (!transfer_) {
      row_.idle = empty;
    } else if (row_.idle && !empty) {
      in_.begin_token("");
      in_.fail_token(fmt::format("column '{}' is empty, and '{}' is not", column_names[*transfer_],
                                 column_names[column]));
    }
    if (!transfer_) transfer_ = column;
    return row_.idle;
  }

  void read_field(Column column) {
    in_.begin_token(column_names[column]);
    switch (column) {
      case step_column:
        row_.step = in_.digits("the step");
        if (row_.step < last_step_) {
          in_.fail_token(step_out_of_order(row_.step, last_step_));
        }
        last_step_ = row_.step;
        break;
      case src_column:
        row_.src = in_.digits("the sender");
        break;
      case dst_column:
        row_.dst = in_.digits("the receiver");
        break;
      case first_column:
        row_.first = in_.digits("the first chunk");
        break;
      case last_column:
        row_.last = in_.digits("the last chunk");
        break;
      case rounds_column:
        row_.rounds = in_.digits("the number of rounds");
        if (row_.rounds == 0) in_.fail_token("a step must take at least 1 round");
        break;
      case mode_column:
        row_.reduce = read_mode();
        break;
    }
  }

  bool read_mode() {
    const std::string_view mode = in_.field("the mode");
    if (mode != "copy" && mode != "reduce") {
      in_.fail_token(fmt::format("the mode is copy or reduce, not '{}'", printable(mode)));
    }
    return mode == "reduce";
  }

  InputText text_;
  Scanner in_;
  Columns columns_;
  Row row_;                         ///< the next one, if there is `more_`
  std::optional<Column> transfer_;  ///< the first field of the line that is about a transfer
  bool more_ = false;
  std::uint32_t last_step_ = 0;
  Transfers transfers_;
  std::vector<std::uint32_t> lines_;
};

}  // namespace

Source read_csv(const InputText& text, const std::string& file) {
  Scanner in(text.view(), file, "#");
  TextHeader header = read_header(in);
  in.seek(header.end);
  Columns columns = read_columns(in);
  Source source = std::move(header.source);
  set_file(source, file);
  source.open = [text, file, start = in.mark(), columns = std::move(columns)] {
    return std::make_unique<CsvStream>(text, file, start, columns);
  };
  return source;
}

bool is_csv(std::string_view text) {
  Scanner in(text, {}, "#");
  return in.begin_header() && in.more() && in.token("") == "schedcc";
}

}  // namespace schedcc
