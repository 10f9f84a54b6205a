// Fractional tree broadcast for simplex PUs in couples: two of them act as one duplex PU.
//
// A couple carries out a duplex step in two substeps. In the first one its sender sends to another
// couple and its receiver receives from another couple; in the second one the receiver forwards to
// its own sender. So both have all packets that the duplex PU would have. The root's couple needs
// no receiver: if P is odd, the root is alone, and otherwise it sends packet t to its partner in
// the second half of step t.
//
// The receiver's rank is one less than its sender's: below a receiver are its sender and that one's
// subtree, so that subtrees are intervals of ranks where they are in the duplex tree.
//
// Cost: twice the steps of the duplex tree over ceil(P/2) PUs; K for P = 2, where the root's
// partner is the only one to receive. Source: FT, section 1, footnote 2.

#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc {

Steps coupled_fractional_tree(std::uint64_t P, std::uint64_t K, std::uint64_t r,
                              std::uint64_t last) {
  if (P == 2) return fractional_tree(P, K, r);
  const Rank odd = P % 2;
  const auto receiver = [odd](Rank couple) { return 2 * couple - odd; };
  const auto sender = [odd](Rank couple) { return couple == 0 ? 0 : 2 * couple - odd + 1; };
  const Steps duplex = fractional_tree(ceil_div(P, 2), K, r, last / 2);

  return every_step(2 * duplex.size(), [=](std::uint64_t t, Transfers& out) {
    const bool within = t % 2 == 1;
    const std::size_t begin = out.size();
    duplex.fill(t / 2, out);
    for (std::size_t i = begin; i < out.size(); ++i) {
      Transfer& x = out[i];
      x.src = within ? receiver(x.dst) : sender(x.src);
      x.dst = within ? sender(x.dst) : receiver(x.dst);
    }
    if (within && odd == 0 && t / 2 < K) out.push_back(copy(0, 1, static_cast<Chunk>(t / 2)));
  });
}

std::uint64_t coupled_fractional_tree_steps(std::uint64_t P, std::uint64_t K, std::uint64_t r) {
  return P == 2 ? K : 2 * fractional_tree_steps(ceil_div(P, 2), K, r);
}

}  // namespace schedcc
