#include "algorithm/fractional_tree/embedding.hpp"

namespace schedcc {

namespace crossbar_layout {
extern const Embedding embedding, thin_embedding;
}
namespace mesh_layout {
extern const Embedding embedding;
}

const Embedding* embedding(const Request& request) {
  if (!request.parameters.has("layout")) return nullptr;
  for (const Embedding* e :
       {&crossbar_layout::embedding, &crossbar_layout::thin_embedding, &mesh_layout::embedding}) {
    if (e->name == request.parameters.text("layout")) return e;
  }
  return nullptr;
}

std::uint64_t embedded_group(const Embedding& embedding, const Request& request) {
  if (request.parameters.has("r")) return request.parameters.integer("r");
  std::uint64_t best = 0, least = UINT64_MAX;
  for (std::uint64_t r = 1; r <= embedding.largest(request); ++r) {
    if (r + request.problem.chunks > least) break;  // a single group takes that many steps
    if (embedding.reason(request, r)) continue;
    const std::uint64_t steps = embedding.claim(request, r).steps;
    if (steps < least) least = steps, best = r;
  }
  return best;
}

}  // namespace schedcc
