#pragma once

// The ledger of the papers: their claims, and the results of schedcc.
//
// A claim is data and one function, which runs through the cases of the claim and compares the
// printed values with what schedcc builds, checks or computes. The verdict follows from these
// comparisons alone: a claim is reproduced if all its cases are; otherwise it differs, and has a
// reason. A rule that no schedule of schedcc can state is followed by its own words instead; if it
// then does what is claimed, the verdict is that it is not expressible, and the claim says why.

#include <cmath>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace ledger {

using U64 = std::uint64_t;

/// The results of a claim's function.
class Found {
 public:
  /// A case in which the claim is true, or not: then `what` describes the case.
  template <typename... Args>
  void holds(bool so, fmt::format_string<Args...> what, Args&&... args) {
    ++cases_;
    if (so) return;
    if (failed_ == 0) first_ = fmt::format(what, std::forward<Args>(args)...);
    ++failed_;
  }
  /// A number of the paper and the one computed, which must be the same.
  template <typename... Args>
  void equal(U64 printed, U64 computed, fmt::format_string<Args...> where, Args&&... args) {
    compare(printed == computed, printed, computed, "", where, std::forward<Args>(args)...);
  }
  /// The same for real numbers, up to a relative error.
  template <typename... Args>
  void close(double printed, double computed, double error, fmt::format_string<Args...> where,
             Args&&... args) {
    compare(std::abs(printed - computed) <= error * std::abs(printed), printed, computed, "", where,
            std::forward<Args>(args)...);
  }
  /// A bound of the paper that the number computed must not exceed.
  template <typename T, typename... Args>
  void at_most(T bound, T computed, fmt::format_string<Args...> where, Args&&... args) {
    compare(computed <= bound, bound, computed, "at most ", where, std::forward<Args>(args)...);
  }
  template <typename T, typename... Args>
  void at_least(T bound, T computed, fmt::format_string<Args...> where, Args&&... args) {
    compare(computed >= bound, bound, computed, "at least ", where, std::forward<Args>(args)...);
  }

  /// Adds a remark on the result of schedcc.
  template <typename... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    if (!remarks_.empty()) remarks_ += "; ";
    remarks_ += fmt::format(text, std::forward<Args>(args)...);
  }
  /// A part of the output of the claim's command.
  template <typename... Args>
  void shows(fmt::format_string<Args...> text, Args&&... args) {
    shows_ = fmt::format(text, std::forward<Args>(args)...);
  }

  bool reproduced() const { return cases_ > 0 && failed_ == 0; }
  const std::string& shown() const { return shows_; }
  /// The result as text, with the range of the cases.
  std::string text(std::string_view over) const;

 private:
  template <typename T, typename... Args>
  void compare(bool so, const T& printed, const T& computed, std::string_view relation,
               fmt::format_string<Args...> where, Args&&... args) {
    ++cases_;
    if (so) return;
    if (failed_ == 0) {
      first_ = fmt::format(where, std::forward<Args>(args)...) +
               fmt::format(": {}, where the paper has {}{}", number(computed), relation,
                           number(printed));
    }
    ++failed_;
  }
  static std::string number(std::integral auto value) { return fmt::format("{}", value); }
  static std::string number(double value) { return fmt::format("{:.5g}", value); }

  U64 cases_ = 0, failed_ = 0;
  std::string remarks_, first_, shows_;
};

struct Claim {
  std::string_view place;  ///< in its section: an equation, a figure, a paragraph
  std::string_view claim;
  std::string_view over;  ///< the range of the cases; empty for a single one
  void (*compute)(Found&);
  std::string_view command;      ///< prints what `Found::shows` says
  std::string_view reason = {};  ///< where it differs: why
  std::string_view limit = {};   ///< where schedules cannot express it: why
};

struct Section {
  std::string_view title;
  std::vector<Claim> claims;
};

struct Paper {
  std::string_view name;  ///< FT
  std::string_view title;
  std::vector<Section> sections;
  std::vector<std::string_view> not_computed;  ///< other statements, and why they are not computed
};

Paper ft();
Paper bft();
Paper cc();
Paper bl();
Paper bine();
Paper trivance();
Paper forest();
Paper libraries();

/// All claims computed, as Markdown. Throws InternalError where a verdict has no reason, or a
/// reason no verdict.
std::string markdown(const std::vector<Paper>& papers);
/// A line per claim: its command, a tab, and what that prints.
std::string commands(const std::vector<Paper>& papers);

}  // namespace ledger
