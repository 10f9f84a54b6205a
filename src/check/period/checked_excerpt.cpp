#include "check/period/checked_excerpt.hpp"

#include <algorithm>
#include <utility>

namespace schedcc {

namespace {

bool same_problem(const Problem& a, const Problem& b) {
  return !a.declared() && !b.declared() && a.collective == b.collective && a.ranks == b.ranks &&
         a.root == b.root && a.chunks == b.chunks && a.ordered == b.ordered;
}

bool same_steps(const Source& a, const Source& b) {
  const auto left = a.open(), right = b.open();
  while (true) {
    Step one, other;
    const bool more = left->next(one);
    if (right->next(other) != more) return false;
    if (!more) return true;
    if (one.number != other.number || one.rounds != other.rounds ||
        !std::ranges::equal(one.transfers, other.transfers))
      return false;
  }
}

}  // namespace

const Report* CheckedExcerpt::find(const Excerpt& excerpt, const Machine& machine) {
  // What ranks keep from cut to cut is seen by the checks, too.
  if (!kept_ || !excerpt.rest.kept.empty() || machine.spec() != kept_->machine ||
      !same_problem(excerpt.source.problem, kept_->excerpt.source.problem) ||
      !same_steps(excerpt.source, kept_->excerpt.source))
    return nullptr;
  ++found_;
  return &kept_->report;
}

void CheckedExcerpt::keep(Excerpt excerpt, const Machine& machine, Report report) {
  if (!excerpt.rest.kept.empty()) return;
  kept_.emplace(Kept{std::move(excerpt), machine.spec(), std::move(report)});
}

}  // namespace schedcc
