#include "schedcc/schedule.hpp"

#include <cstddef>

#include "model/algebra.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

Steps Steps::in_parts(std::uint64_t size, std::uint64_t parts, Read read) {
  const auto fill = [read](std::uint64_t row, Transfers& out) {
    Transfers appended;
    Transfers& buffer = out.empty() ? out : appended;
    const Step step = read(row, RowParts(), buffer);
    if (step.transfers.data() != out.data())
      out.insert(out.end(), step.transfers.begin(), step.transfers.end());
    return step.number;
  };
  return Steps(size, fill, parts, std::move(read));
}

std::uint64_t Steps::number(std::uint64_t index) const {
  Transfers ignored;
  return fill(index, ignored);
}

Step Steps::read(std::uint64_t index, const RowParts& parts, Transfers& buffer) const {
  if (read_ && (parts_ == parts.of || parts_ == any_number)) return read_(index, parts, buffer);
  buffer.clear();
  Step step;
  step.number = fill(index, buffer);
  step.transfers = buffer;
  return step;
}

std::uint64_t Steps::Rotations::fill(std::uint64_t row, Rank first, Rank end,
                                     Transfers& out) const {
  const std::size_t before = out.size();
  const std::uint64_t number = seeds.fill(row, out);
  const std::size_t count = out.size() - before, each = end - first;
  out.resize(before + count * each);
  for (std::size_t i = count; i-- > 0;) {  // from the last one: places of others are read before
    rotate(Transfer(out[before + i]), *this, first, end, out.data() + before + i * each);
  }
  return number;
}

Steps Steps::rotations(Steps seeds, Rank ranks, Chunk block) {
  const auto made = std::make_shared<const Rotations>(Rotations{std::move(seeds), ranks, block});
  Steps result(made->seeds.size(), [made](std::uint64_t row, Transfers& out) {
    return made->fill(row, 0, made->ranks, out);
  });
  result.rotated_ = made;
  return result;
}

std::optional<Steps> StepStream::rows() const { return std::nullopt; }

void Schedule::begin_step(std::uint64_t number, std::uint32_t rounds) {
  if (!rows_.empty() && number <= rows_.back().number) {
    throw InternalError("step numbers of a schedule must rise");
  }
  rows_.push_back({number, transfers_.size(), rounds});
}

void Schedule::add(const Transfer& transfer, std::uint32_t line) {
  if (line != 0) lines_.resize(transfers_.size());
  transfers_.push_back(transfer);
  if (line != 0) lines_.push_back(line);
}

void Schedule::append(const Step& step) {
  begin_step(step.number, step.rounds);
  if (!step.lines.empty()) lines_.resize(transfers_.size());
  transfers_.insert(transfers_.end(), step.transfers.begin(), step.transfers.end());
  lines_.insert(lines_.end(), step.lines.begin(), step.lines.end());
}

Step Schedule::operator[](std::uint64_t row) const {
  const std::uint64_t begin = rows_[row].begin;
  const std::uint64_t end = row + 1 < rows_.size() ? rows_[row + 1].begin : transfers_.size();
  Step step{.number = rows_[row].number,
            .transfers = std::span(transfers_).subspan(begin, end - begin),
            .rounds = rows_[row].rounds};
  if (lines_.size() >= end) step.lines = std::span(lines_).subspan(begin, end - begin);
  return step;
}

namespace {

class ScheduleStream : public StepStream {
 public:
  explicit ScheduleStream(std::shared_ptr<const Schedule> schedule)
      : schedule_(std::move(schedule)) {}

  bool next(Step& step) override {
    if (row_ == schedule_->size()) return false;
    step = (*schedule_)[row_++];
    return true;
  }
  std::optional<Steps> rows() const override { return as_steps(schedule_); }

 private:
  std::shared_ptr<const Schedule> schedule_;
  std::uint64_t row_ = 0;
};

class FunctionStream : public StepStream {
 public:
  explicit FunctionStream(Steps steps) : steps_(std::move(steps)) {}

  bool next(Step& step) override {
    if (row_ == steps_.size()) return false;
    transfers_.clear();
    step = {};
    step.number = steps_.fill(row_++, transfers_);
    step.transfers = transfers_;
    return true;
  }
  std::optional<Steps> rows() const override { return steps_; }

 private:
  Steps steps_;
  std::uint64_t row_ = 0;
  Transfers transfers_;
};

}  // namespace

Schedule collect(StepStream& stream) {
  Schedule schedule;
  for (Step step; stream.next(step);) schedule.append(step);
  return schedule;
}

std::unique_ptr<StepStream> stream(Steps steps) {
  return std::make_unique<FunctionStream>(std::move(steps));
}

std::unique_ptr<StepStream> stream(std::shared_ptr<const Schedule> schedule) {
  return std::make_unique<ScheduleStream>(std::move(schedule));
}

Steps as_steps(std::shared_ptr<const Schedule> schedule) {
  const std::uint64_t size = schedule->size();
  return Steps::in_parts(
      size, Steps::any_number,
      [schedule = std::move(schedule)](std::uint64_t row, const RowParts& parts, Transfers&) {
        Step step = (*schedule)[row];
        step.transfers = parts.cut(step.transfers);
        step.lines = {};
        return step;
      });
}

}  // namespace schedcc
