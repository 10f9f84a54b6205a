#include "drat.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <vector>

namespace drat {

namespace {

using Clause = std::vector<int>;

/// Clauses with two watched literals each: propagation examines a clause only when one of them has
/// become false.
class Clauses {
 public:
  explicit Clauses(int variables)
      : value_(2 * std::size_t(variables) + 2), watching_(2 * std::size_t(variables) + 2) {}

  /// Is there a contradiction already, without any assumption?
  bool contradiction() const { return contradiction_; }

  /// Does the clause follow by unit propagation?
  bool follows(const Clause& clause) {
    if (contradiction_) return true;
    const std::size_t before = trail_.size();
    bool conflict = false;
    for (const int l : clause) conflict = conflict || !assign(-l);
    conflict = conflict || !propagate();
    while (trail_.size() > before) {
      value_[index(trail_.back())] = value_[index(-trail_.back())] = 0;
      trail_.pop_back();
    }
    done_ = before;
    return conflict;
  }

  void add(Clause clause) {
    std::sort(clause.begin(), clause.end());
    clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
    const Clause key = clause;
    // Two that are not false, if there are, come first.
    std::stable_partition(clause.begin(), clause.end(),
                          [this](int l) { return value_[index(l)] >= 0; });
    const std::size_t id = clauses_.size();
    numbers_[key].push_back(id);
    clauses_.push_back(clause);
    alive_.push_back(true);
    if (clause.size() > 1) {
      watching_[index(clause[0])].push_back(id);
      watching_[index(clause[1])].push_back(id);
    }
    const bool unit = clause.size() == 1 || (clause.size() > 1 && value_[index(clause[1])] < 0);
    const bool empty = clause.empty() || value_[index(clause[0])] < 0;
    contradiction_ = contradiction_ || empty || (unit && (!assign(clause[0]) || !propagate()));
  }

  /// False if there is no such clause. Unit clauses and reasons of assigned literals are
  /// kept, as in other checkers.
  bool remove(Clause clause) {
    std::sort(clause.begin(), clause.end());
    const auto found = numbers_.find(clause);
    if (found == numbers_.end()) return false;
    const std::size_t id = found->second.back();
    const bool reason =
        clauses_[id].empty() || value_[index(clauses_[id][0])] > 0 || clauses_[id].size() == 1;
    if (reason) return true;
    found->second.pop_back();
    if (found->second.empty()) numbers_.erase(found);
    alive_[id] = false;
    return true;
  }

 private:
  static std::size_t index(int l) { return 2 * std::size_t(std::abs(l)) + (l < 0 ? 1 : 0); }

  bool assign(int l) {
    if (value_[index(l)] != 0) return value_[index(l)] > 0;
    value_[index(l)] = 1;
    value_[index(-l)] = -1;
    trail_.push_back(l);
    return true;
  }

  bool propagate() {
    for (; done_ < trail_.size(); ++done_) {
      const int falsified = -trail_[done_];
      std::vector<std::size_t>& watching = watching_[index(falsified)];
      for (std::size_t i = 0; i < watching.size();) {
        const std::size_t id = watching[i];
        Clause& clause = clauses_[id];
        if (!alive_[id]) {
          watching[i] = watching.back();
          watching.pop_back();
          continue;
        }
        if (clause[0] == falsified) std::swap(clause[0], clause[1]);
        const auto other = std::find_if(clause.begin() + 2, clause.end(),
                                        [this](int l) { return value_[index(l)] >= 0; });
        if (value_[index(clause[0])] <= 0 && other != clause.end()) {
          std::swap(clause[1], *other);
          watching_[index(clause[1])].push_back(id);
          watching[i] = watching.back();
          watching.pop_back();
          continue;
        }
        if (!assign(clause[0])) return false;
        ++i;
      }
    }
    return true;
  }

  std::vector<Clause> clauses_;
  std::vector<bool> alive_;
  std::map<Clause, std::vector<std::size_t>> numbers_;
  std::vector<signed char> value_;  ///< by literal: 1 true, -1 false, 0 open
  std::vector<std::vector<std::size_t>> watching_;
  std::vector<int> trail_;
  std::size_t done_ = 0;
  bool contradiction_ = false;
};

Clause literals(std::istream& in) {
  Clause clause;
  for (int l; in >> l && l != 0;) clause.push_back(l);
  return clause;
}

}  // namespace

std::string fault(const std::string& dimacs, const std::string& proof) {
  std::istringstream formula(dimacs);
  std::string line;
  int variables = 0;
  std::size_t count = 0;
  while (std::getline(formula, line) && line.rfind("p cnf", 0) != 0) {
  }
  std::istringstream header(line.size() > 5 ? line.substr(5) : "");
  if (!(header >> variables >> count)) return "no header";
  Clauses clauses(variables);
  for (std::size_t i = 0; i < count; ++i) clauses.add(literals(formula));
  std::istringstream steps(proof);
  for (std::size_t number = 1; std::getline(steps, line); ++number) {
    if (clauses.contradiction()) return {};
    const bool deletes = line.rfind("d ", 0) == 0;
    std::istringstream text(deletes ? line.substr(2) : line);
    const Clause clause = literals(text);
    for (const int l : clause) {
      if (std::abs(l) > variables) return "line " + std::to_string(number) + ": a new variable";
    }
    if (deletes) {
      if (!clauses.remove(clause)) return "line " + std::to_string(number) + " deletes nothing";
    } else if (!clauses.follows(clause)) {
      return "line " + std::to_string(number) + " does not follow: " + line;
    } else {
      clauses.add(clause);
    }
  }
  return clauses.contradiction() ? "" : "the proof ends without a contradiction";
}

}  // namespace drat
