#include "model/problem_text.hpp"

#include <fmt/core.h>

#include "core/counted.hpp"

namespace schedcc {

std::string no_such_rank(std::string_view what, std::uint64_t number, std::uint64_t ranks) {
  return fmt::format("{} {} does not exist; ranks are 0..{}", what, number, ranks - 1);
}

std::string no_such_node(std::string_view kind, std::uint64_t number, std::uint64_t nodes) {
  return fmt::format("{0} {1} does not exist; {0}s are 0..{2}", kind, number, nodes - 1);
}

std::string no_such_chunk(std::uint64_t number, std::uint64_t chunks) {
  return fmt::format("chunk {} does not exist; chunks are 0..{}", number, chunks - 1);
}

std::string has_no_root(Collective collective) {
  return fmt::format("{} has no root", info(collective).name);
}

std::string cannot_be_ordered(std::string_view name) {
  return fmt::format("only reductions can be ordered; {} is not a reduction", name);
}

std::string problem_text(std::string_view name, std::uint64_t ranks,
                         std::optional<std::uint64_t> root, std::uint64_t chunks) {
  return fmt::format("{}, {}{}, {}", name, counted(ranks, "rank"),
                     root ? fmt::format(", root {}", *root) : "", counted(chunks, "chunk"));
}

std::string step_out_of_order(std::uint64_t step, std::uint64_t last) {
  return fmt::format("step {} comes after step {}; step numbers rise", step, last);
}

}  // namespace schedcc
