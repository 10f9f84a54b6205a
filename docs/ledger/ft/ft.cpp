// FT: the claims of "A Bandwidth Latency Tradeoff for Broadcast and Reduction", section by section.

#include "ft/sections.hpp"

namespace ledger {

Paper ft() {
  return {"FT",
          "A Bandwidth Latency Tradeoff for Broadcast and Reduction",
          {FT::introduction(), FT::lower_bounds(), FT::simple_algorithms(), FT::fractional_trees(),
           FT::performance(), FT::networks()},
          {"Figures 1 to 4 are drawings: what their captions and the text say of them is above.",
           "That each processor finds its place in time O(d) without communication: schedcc lays "
           "all PUs out at once.",
           "That fractional trees are the best known method for sparse networks, that other "
           "algorithms are complicated, and "
           "what is said of machines of the time: judgements.",
           "Section 4: the generalization to more than two levels of hierarchy, and to other "
           "meshes, is only named."}};
}

}  // namespace ledger
