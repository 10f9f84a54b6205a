// LIB: what is said of algorithms that MPI and GPU libraries have, or could have.

#include "libraries/sections.hpp"

namespace ledger {

Paper libraries() {
  return {"LIB",
          "collective algorithms of libraries, and of later papers",
          {LIB::blocks(), LIB::vectors()},
          {"Times that were measured on machines.",
           "NCCL's overlap of the two phases of PAT across pieces of a message, and its buffers."}};
}

}  // namespace ledger
