#pragma once

// What the grammar of compositions (text.cpp) makes of a text: a tree of operations, without the
// algorithms that they stand for.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "schedcc/spec.hpp"

namespace schedcc::compositions {

/// A composition as it is written.
struct Expression {
  enum class Kind : std::uint8_t { name, as, then, reverse, split, levels };

  Kind kind;
  std::size_t column;  ///< 1, 2, ...
  Spec spec = {};      ///< name
  std::string collective = {};
  std::uint64_t number = 0;    ///< instances of split; ranks of a node of levels, 0: not given
  std::uint64_t segments = 0;  ///< of levels; 0: not given
  bool leaders = false;        ///< of levels
  std::vector<Expression> operands = {};
};

/// In its normal spelling.
inline std::string spelled(const Expression& e) {
  const auto operand = [&](std::size_t i, bool parentheses) {
    const std::string text = spelled(e.operands[i]);
    return parentheses && e.operands[i].kind == Expression::Kind::then ? fmt::format("({})", text)
                                                                       : text;
  };
  switch (e.kind) {
    case Expression::Kind::name:
      break;
    case Expression::Kind::as:
      return fmt::format("{} as {}", operand(0, true), e.collective);
    case Expression::Kind::then:
      return fmt::format("{} then {}", operand(0, false), operand(1, true));
    case Expression::Kind::reverse:
      return fmt::format("reverse({})", operand(0, false));
    case Expression::Kind::split:
      return fmt::format("split({}, {})", e.number, operand(0, false));
    case Expression::Kind::levels:
      return fmt::format("levels({}{}, {}{}{})", e.number == 0 ? "" : fmt::format("{}, ", e.number),
                         operand(0, false), operand(1, false), e.leaders ? ", leaders" : "",
                         e.segments == 0 ? "" : fmt::format(", segments={}", e.segments));
  }
  return e.spec.text();
}

/// The most levels, one within another, whose nodes are those of the machine.
inline std::uint64_t levels_of_machine(const Expression& e) {
  std::uint64_t most = 0;
  for (const Expression& operand : e.operands) most = std::max(most, levels_of_machine(operand));
  return most + (e.kind == Expression::Kind::levels && e.number == 0 ? 1 : 0);
}

}  // namespace schedcc::compositions
