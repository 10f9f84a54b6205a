#include "simulator/expressions.hpp"

#include <algorithm>
#include <set>

#include "simulator/collectives.hpp"

namespace naive {

namespace {

struct Sum {
  std::string text;
  std::size_t contributions = 1;
};

struct ArrivingSum {
  Sum sum;
  bool reduce;
};

Sum addition(const std::vector<Sum>& operands, Rank ranks, const std::string& place_and_time) {
  if (operands.size() == 1) return operands[0];
  Sum result{"", 0};
  std::vector<std::string> texts;
  for (const Sum& operand : operands) {
    texts.push_back(operand.text);
    result.contributions += operand.contributions;
  }
  // Such a sum, and all that it is added to, is wrong forever.
  if (result.contributions > ranks) return {"too much", ranks};
  std::sort(texts.begin(), texts.end());
  for (const std::string& text : texts) result.text += (result.text.empty() ? "(" : "+") + text;
  if (texts.size() > 2) result.text += " in some order " + place_and_time;
  result.text += ")";
  return result;
}

}  // namespace

std::map<Place, std::string> sums(const Problem& problem, const std::vector<Sent>& sent,
                                  const std::function<std::uint64_t(const Transfer&)>& travels) {
  std::map<Place, Sum> state;
  for (Rank r = 0; r < problem.ranks; ++r) {
    for (Chunk c = 0; c < total_chunks(problem); ++c) {
      if (starts(problem, r, c)) state[{r, c}] = {std::to_string(r)};
    }
  }
  std::set<std::uint64_t> times;
  for (const auto& [step, t] : sent) times.insert({step, step + travels(t)});
  std::map<std::uint64_t, std::map<Place, std::vector<ArrivingSum>>> arrivals;
  for (const std::uint64_t now : times) {
    for (const auto& [place, coming] : arrivals[now]) {
      std::vector<Sum> operands;
      if (state.count(place) != 0) operands.push_back(state[place]);
      for (const ArrivingSum& one : coming) {
        if (!one.reduce) operands.clear();
        operands.push_back(one.sum);
      }
      state[place] = addition(operands, problem.ranks,
                              "at " + std::to_string(place.first) + " in " + std::to_string(now));
    }
    for (const auto& [step, t] : sent) {
      for (Chunk c = t.first; step == now && c < t.first + t.count; ++c) {
        if (state.count({t.src, c}) == 0) continue;
        arrivals[now + travels(t)][{t.dst, c}].push_back({state[{t.src, c}], t.reduce == 1});
      }
    }
  }
  std::map<Place, std::string> result;
  for (const auto& [place, sum] : state) result[place] = sum.text;
  return result;
}

bool share_sums(const Problem& problem) {
  for (Chunk c = 0; c < total_chunks(problem); ++c) {
    for (Rank r = 0; is_reduction(problem, c) && r < problem.ranks; ++r) {
      for (Rank s = r + 1; s < problem.ranks; ++s) {
        const bool both = wanted(problem, r, c) && wanted(problem, s, c);
        if (both && goal(problem, r, c) == goal(problem, s, c)) return true;
      }
    }
  }
  return false;
}

}  // namespace naive
