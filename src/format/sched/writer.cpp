// Writes the .sched text format in its canonical form (docs/formats.md).

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "analysis/canonical.hpp"
#include "format/entry.hpp"
#include "format/header_text.hpp"
#include "format/sched/reader.hpp"
#include "format/text.hpp"
#include "model/runs.hpp"

namespace schedcc {

namespace {

/// A line of one range of chunks, as nearly all are.
class Line {
 public:
  Line& put(std::string_view text) {
    at_ = std::ranges::copy(text, at_).out;
    return *this;
  }
  Line& put(std::uint64_t number) {
    at_ = std::to_chars(at_, buffer_.data() + buffer_.size(), number).ptr;
    return *this;
  }
  std::string_view text() const {
    return {buffer_.data(), static_cast<std::size_t>(at_ - buffer_.data())};
  }

 private:
  std::array<char, 64> buffer_;  // four numbers of ten digits, and what is between them
  char* at_ = buffer_.data();
};

void write_message(const WrittenMessage& m, Text& text) {
  Line line;
  line.put(std::uint64_t{m.src}).put(" -> ").put(std::uint64_t{m.dst}).put(" : ");
  if (m.runs.size() > 1) {
    text.put(line.text());
    write_ranges(text, m.runs);
    text.put(m.reduce ? " reduce\n" : "\n");
    return;
  }
  const Run& run = m.runs.front();
  line.put(std::uint64_t{run.first});
  if (run.count > 1) line.put("-").put(end(run) - 1);
  text.put(line.put(m.reduce ? " reduce\n" : "\n").text());
}

void step_line(Text& text, const Step& step) {
  text.print("step {}", step.number);
  if (step.rounds != 1) text.print(" rounds {}", step.rounds);
  text.put("\n");
}

void write(const Source& source, const EmitOptions&, Output& out) {
  Text text(out);
  write_header(text, source);
  for_each_written(source, [&](const Step& step, auto each_message) {
    step_line(text, step);
    each_message([&](const WrittenMessage& m) { write_message(m, text); });
  });
  text.flush();
}

}  // namespace

extern const FormatEntry sched_format;
const FormatEntry sched_format{
    .name = "sched",
    .summary = "schedcc's own text format, readable and diffable",
    .extensions = {".sched"},
    .write = write,
    .read = read_sched,
    .recognises = is_sched,
    .keeps_all = true,
};

}  // namespace schedcc
