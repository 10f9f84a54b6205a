#include "check/provenance/lineage.hpp"

#include <utility>

namespace schedcc::provenance {

Lineage::Lineage(const Problem& problem, const History& history, std::optional<std::uint64_t> until)
    : problem_(problem),
      history_(history),
      reduced_(problem.reduction() && problem.reduced(history.chunk)),
      arrivals_(history.transfers.size()) {
  bool late = false;
  for (const Action& action : actions(history)) {
    if (until && !late && (action.time > *until || (action.time == *until && action.sends))) {
      late = true;
      then_ = now_;
    }
    if (action.sends) {
      arrivals_[action.transfer].carried = value(history.transfers[action.transfer].src());
      continue;
    }
    if (!late) order_.push_back(action.transfer);
    arrive(action.transfer);
  }
  if (!late) then_ = std::move(now_);
}

Lineage::Value Lineage::start(Rank node) const {
  if (!problem_.starts_with(node, history_.chunk)) return {};
  return {reduced_ ? contributions_.only(node) : Contributions::value};
}

Lineage::Value& Lineage::value(Rank node) {
  const auto [known, added] = now_.try_emplace(node);
  if (added) known->second = start(node);
  return known->second;
}

void Lineage::arrive(std::size_t transfer) {
  const Rank node = history_.transfers[transfer].dst();
  Value& here = value(node);
  Arrival& arrival = arrivals_[transfer];
  arrival.before = here;
  arrival.after = here.id;
  if (!arrival.carried.held()) return;
  first_.try_emplace(node, transfer);
  if (!reduced_ && here.held()) return;
  const bool adds = reduced_ && history_.transfers[transfer].reduce();
  here = {adds ? contributions_.unite(here.id, arrival.carried.id) : arrival.carried.id, transfer};
  arrival.after = here.id;
}

Lineage::Value Lineage::at(Rank node) const {
  const auto known = then_.find(node);
  return known == then_.end() ? start(node) : known->second;
}

std::vector<std::size_t> Lineage::made_of(const Value& value) const {
  std::vector<bool> needed(arrivals_.size());
  std::vector<std::size_t> open;
  const auto need = [&](const Value& some) {
    if (!some.by || needed[*some.by]) return;
    needed[*some.by] = true;
    open.push_back(*some.by);
  };
  need(value);
  while (!open.empty()) {
    const std::size_t transfer = open.back();
    open.pop_back();
    need(arrivals_[transfer].carried);
    if (reduced_ && history_.transfers[transfer].reduce()) need(arrivals_[transfer].before);
  }
  std::vector<std::size_t> result;
  for (const std::size_t transfer : order_) {
    if (needed[transfer]) result.push_back(transfer);
  }
  return result;
}

std::optional<std::size_t> Lineage::first_to(Rank node) const {
  const auto known = first_.find(node);
  if (known == first_.end()) return std::nullopt;
  return known->second;
}

}  // namespace schedcc::provenance
