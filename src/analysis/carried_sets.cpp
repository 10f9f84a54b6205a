#include "analysis/carried_sets.hpp"

namespace schedcc {

void CarriedSets::arrive(std::uint64_t time) {
  for (; !flights_.empty() && flights_.begin()->first <= time; flights_.erase(flights_.begin())) {
    for (const Flight& flight : flights_.begin()->second) {
      Contributions::Id& here = held_.at(flight.dst, flight.chunk);
      const bool adds = flight.reduce && here != Contributions::value;
      here = adds ? contributions_.unite(here, flight.id) : flight.id;
    }
  }
}

std::vector<std::optional<Intervals>> CarriedSets::advance(const Step& step) {
  std::vector<std::optional<Intervals>> result(step.transfers.size());
  arrive(step.number);
  for (std::size_t i = 0; i < step.transfers.size(); ++i) {
    const Transfer& t = step.transfers[i];
    if (left_ < t.count) left_ = 0;
    if (left_ == 0) return result;
    left_ -= t.count;
    std::vector<Flight>& flights = flights_[arrives_(step.number, t)];
    bool same = true;
    Contributions::Id id = Contributions::empty;
    for (std::uint64_t c = t.first; c < std::uint64_t{t.first} + t.count; ++c) {
      const auto chunk = static_cast<Chunk>(c);
      const Contributions::Id carried = held_.of(t.src, chunk);
      same &= chunk == t.first || carried == id;
      id = carried;
      if (carried != Contributions::empty)
        flights.push_back({t.dst, chunk, carried, t.reduce != 0 && problem_.reduced(chunk)});
    }
    const bool shown = same && id != Contributions::empty && id != Contributions::value;
    if (shown) result[i] = contributions_.sets().intervals(contributions_.ranks(id));
  }
  return result;
}

}  // namespace schedcc
