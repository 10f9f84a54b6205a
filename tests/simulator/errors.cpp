#include "simulator/errors.hpp"

#include <utility>

#include "simulator/collectives.hpp"

namespace naive {

ErrorCounter::ErrorCounter(const Problem& problem)
    : chunks_(total_chunks(problem)), start_(problem.ranks * chunks_) {
  for (Rank r = 0; r < problem.ranks; ++r) {
    for (Chunk c = 0; c < chunks_; ++c) {
      if (starts(problem, r, c)) {
        start_[place(r, c)].held = true;
        if (is_reduction(problem, c)) start_[place(r, c)].times.at(r) = 1;
      }
      if (!wanted(problem, r, c)) continue;
      Goal goal{place(r, c), {true}};
      for (const Rank contributor : naive::goal(problem, r, c))
        goal.content.times.at(contributor) = 1;
      goals_.push_back(goal);
    }
  }
}

std::size_t ErrorCounter::count(std::span<const Sent> sent) const {
  struct Arrival {
    std::size_t to;
    bool reduce;
    Content content;
  };
  std::vector<Content> state = start_;
  std::vector<Arrival> arrivals;
  std::size_t errors = 0;
  for (std::size_t i = 0; i < sent.size();) {
    arrivals.clear();
    for (const std::uint64_t step = sent[i].step; i < sent.size() && sent[i].step == step; ++i) {
      const Transfer& t = sent[i].transfer;
      for (Chunk c = t.first; c < t.first + t.count; ++c) {
        const Content& content = state[place(t.src, c)];
        if (content.held) {
          arrivals.push_back({place(t.dst, c), t.reduce != 0, content});
        } else {
          ++errors;
        }
      }
    }
    for (const Arrival& a : arrivals) {
      Content& here = state[a.to];
      if (!a.reduce) here = {};
      here.held = true;
      for (std::size_t r = 0; r < here.times.size(); ++r) here.times[r] += a.content.times[r];
    }
  }
  for (const Goal& goal : goals_) {
    if (state[goal.place] != goal.content) ++errors;
  }
  return errors;
}

}  // namespace naive
