// BFT: the claims of "Communications in Binary Fat Trees", section by section.

#include "bft/sections.hpp"

namespace ledger {

Paper bft() {
  return {"BFT",
          "Communications in Binary Fat Trees",
          {BFT::preliminaries(), BFT::scattering(), BFT::multinode(), BFT::total_exchange(),
           BFT::exponential_case()},
          {"Figures 1, 2 and 4: pictures of the tree and its notation.",
           "Section 5.1: that an optimal exchange for the collapsed graph G_i is strictly faster "
           "than one for the tree "
           "(\"intuitively\"): its bound is passed by, see the conjecture.",
           "That the results extend to b-ary fat trees: no formula is given.",
           "Section 1: history, and the importance of the five operations."}};
}

}  // namespace ledger
