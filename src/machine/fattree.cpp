// Binary fat trees: P = 2^h ranks are the leaves, all other nodes route.
//
// A branch between levels i-1 and i carries cap_i packets a step in each direction; store and
// forward, one link a step. The numbering of the nodes is that of FatTreeNodes.
//
// Source: BFT, section 2.

#include <bit>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/join.hpp"
#include "machine/entry.hpp"
#include "machine/fattree.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

class FatTreeNetwork : public Network {
 public:
  /// `capacities[i - 1]` is cap_i, for i = 1..h with P = 2^h.
  FatTreeNetwork(std::uint64_t P, std::vector<std::uint64_t> capacities)
      : tree_{P}, capacities_(std::move(capacities)) {}

  std::uint64_t nodes() const override { return tree_.size(); }
  std::uint64_t links() const override { return 2 * (nodes() - 1); }

  std::optional<Link> link(Rank from, Rank to) const override {
    if (from >= nodes() || to >= nodes() || from == to) return std::nullopt;
    if (is_parent(to, from)) return branch(from, 0);
    if (is_parent(from, to)) return branch(to, 1);
    return std::nullopt;
  }

  void neighbours(Rank node, std::vector<Rank>& nodes) const override {
    if (node >= tree_.leaves) {
      const auto child = static_cast<Rank>(2 * (node - tree_.leaves));
      nodes.insert(nodes.end(), {child, child + 1});
    }
    if (node != tree_.root()) nodes.push_back(tree_.parent(node));
  }

  void route(Rank src, Rank dst, std::vector<Rank>& path) const override {
    std::vector<Rank> down;
    while (src != dst) {
      if (tree_.level(src) <= tree_.level(dst)) {
        path.push_back(src);
        src = tree_.parent(src);
      } else {
        down.push_back(dst);
        dst = tree_.parent(dst);
      }
    }
    path.push_back(src);
    path.insert(path.end(), down.rbegin(), down.rend());
  }

  std::string describe(Rank node) const override {
    if (node < tree_.leaves) return fmt::format("rank {}", node);
    return fmt::format("router {} (level {})", node, tree_.level(node));
  }

  std::vector<Level> levels() const override {
    std::vector<Level> result;
    for (std::size_t i = 0; i < capacities_.size(); ++i)
      result.push_back({std::uint64_t{1} << i, capacities_[i]});
    return result;
  }

  std::uint32_t level(Rank node) const override { return tree_.level(node); }

 private:
  bool is_parent(Rank above, Rank node) const {
    return node != tree_.root() && above == tree_.parent(node);
  }
  Link branch(Rank child, std::uint64_t direction) const {
    return {2 * std::uint64_t{child} + direction, capacities_[tree_.level(child)]};
  }

  FatTreeNodes tree_;
  std::vector<std::uint64_t> capacities_;
};

std::vector<std::uint64_t> capacities(const std::vector<std::string>& list, std::uint32_t h) {
  std::vector<std::uint64_t> result;
  if (list.size() == 1 && list.front() == "constant") {
    result.assign(h, 1);
  } else if (list.size() == 1 && list.front() == "exponential") {
    for (std::uint32_t i = 1; i <= h; ++i) result.push_back(std::uint64_t{1} << (i - 1));
  } else {
    for (const std::string& item : list) {
      if (item.find_first_not_of("0123456789") == 0) {
        throw InputError(
            fmt::format("machine 'fattree': cap is constant, exponential, or a capacity for each "
                        "level, not '{}'",
                        join(list, ",")));
      }
      result.push_back(parse_number(item, "machine 'fattree', parameter 'cap'", 1));
    }
    if (result.size() != h) {
      throw InputError(
          fmt::format("machine 'fattree': the tree of {} has {} of branches, but cap has {}",
                      counted(std::uint64_t{1} << h, "rank"), counted(h, "level"),
                      counted(result.size(), "value")));
    }
  }
  return result;
}

}  // namespace

extern const MachineEntry fattree_machine;
const MachineEntry fattree_machine{
    .name = "fattree",
    .summary = "a binary fat tree; ranks are its leaves, routers store and forward",
    .source = "BFT, section 2",
    .parameters = {{.name = "cap",
                    .summary =
                        "packets per step on the branches of each level, from the leaves up: "
                        "constant, exponential, or 1,2,4",
                    .kind = Parameter::Kind::list,
                    .default_value = "constant"}},
    .make =
        [](const Parameters& p, Rank ranks) {
          if (!std::has_single_bit(ranks)) {
            throw InputError(fmt::format(
                "machine 'fattree' needs P = 2^h ranks, and {} is not a power of two", ranks));
          }
          const auto h = static_cast<std::uint32_t>(std::bit_width(ranks) - 1);
          const FatTree tree{capacities(p.list("cap"), h)};
          const bool word = p.text("cap") == "constant" || p.text("cap") == "exponential";
          return MachineRules{
              .spec =
                  fmt::format("fattree:cap={}", word ? p.text("cap") : join(tree.capacities, ",")),
              .network = std::make_shared<FatTreeNetwork>(ranks, tree.capacities),
              .shape = tree};
        },
    .aliases = {{"cbft", "fattree:cap=constant"}, {"ebft", "fattree:cap=exponential"}},
};

}  // namespace schedcc
