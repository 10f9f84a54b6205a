#include "analysis/reporter.hpp"

#include <fmt/core.h>

#include "core/more_like_it.hpp"

namespace schedcc {

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::violated:
      return "violated";
    case Verdict::unknown:
      return "unknown";
  }
  return "?";
}

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      break;
  }
  return "error";
}

Verdict Report::verdict() const {
  Verdict result = checks.empty() ? Verdict::unknown : Verdict::holds;
  for (const CheckResult& check : checks) {
    if (check.verdict == Verdict::violated) return Verdict::violated;
    if (check.verdict == Verdict::unknown) result = Verdict::unknown;
  }
  return result;
}

std::vector<Finding> Reporter::take() {
  for (std::size_t all = findings_.size(); all > keep_; --all) {
    --std::ranges::max_element(kept_, {}, [](const auto& entry) { return entry.second; })->second;
  }
  std::erase_if(findings_, [&](const Finding& finding) {
    std::size_t& left = kept_[finding.check];
    return left == 0 || left-- == 0;
  });
  for (std::vector<NoteCount>* notes : {&read_, &notes_}) {
    for (NoteCount& note : *notes) keep(std::move(note.finding), note.more);
  }
  return std::move(findings_);
}

void Reporter::notes(const std::vector<Note>& notes) {
  for (const Note& note : notes) {
    Finding finding;
    finding.check = "format";
    finding.line = note.line;
    finding.column = note.column;
    finding.message = note.message;
    read_.push_back({{}, std::move(finding), note.more});
  }
}

void Reporter::keep(Finding finding, std::uint64_t more) {
  if (findings_.size() >= keep_) return;
  finding.severity = Severity::note;
  finding.message += more_like_it(more);
  findings_.push_back(std::move(finding));
}

LocatedTransfer locate(const Step& step, std::size_t index) {
  LocatedTransfer where{.step = step.number, .transfer = step.transfers[index]};
  if (!step.lines.empty()) where.line = step.lines[index];
  if (!step.origins.empty()) {
    where.origin = step.origins[index];
    where.line = where.origin.line;
    where.hop = where.origin.src != where.transfer.src || where.origin.dst != where.transfer.dst;
  }
  return where;
}

Finding about(const LocatedTransfer& where, std::uint64_t chunk, std::string message) {
  Finding finding;
  finding.step = where.step;
  finding.rank = finding.src = where.transfer.src;
  finding.dst = where.transfer.dst;
  finding.chunk = chunk;
  finding.line = where.line;
  if (where.hop) {
    finding.hop_of = TransferLocation{where.origin.step, where.origin.src, where.origin.dst,
                                      where.origin.reduce != 0, where.origin.line};
    message += fmt::format(" (a hop of {} -> {} from step {})", where.origin.src, where.origin.dst,
                           where.origin.step);
  }
  finding.message = std::move(message);
  return finding;
}

Finding about_receiver(const LocatedTransfer& where, std::uint64_t chunk, std::string message) {
  Finding finding = about(where, chunk, std::move(message));
  finding.rank = finding.dst;
  return finding;
}

}  // namespace schedcc
