#include "algorithm/torus_sides.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/core.h>

#include "algorithm/local.hpp"
#include "core/saturating.hpp"
#include "machine/mesh.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

TorusCoordinates::TorusCoordinates(const TorusSides& sides)
    : sides_(sides), strides_(sides.size(), 1) {
  for (std::size_t e = sides.size(); e-- > 1;) strides_[e - 1] = strides_[e] * sides[e];
}

namespace {

/// The sides in "4x4x2".
std::vector<std::uint64_t> parsed_sides(const std::string& text) {
  std::vector<std::uint64_t> result;
  std::size_t at = 0;
  while (true) {
    const std::size_t x = std::min(text.find('x', at), text.size());
    result.push_back(
        parse_number(text.substr(at, x - at), "parameter 'sides', as in 4x4x4", 1, UINT32_MAX));
    if (x == text.size()) return result;
    at = x + 1;
  }
}

}  // namespace

std::vector<std::uint64_t> torus_sides(const LocalRequest& request,
                                       const std::vector<std::uint64_t>& otherwise) {
  std::vector<std::uint64_t> result = otherwise;
  const auto* mesh = request.machine.shape<Mesh>();
  if (request.parameters.has("sides")) {
    result = parsed_sides(request.parameters.text("sides"));
  } else if (mesh != nullptr && mesh->torus) {
    result = {mesh->rows, mesh->columns};
  }
  std::erase(result, 1);
  return result;
}

TorusSides torus_sides(const Request& request, const TorusSides& otherwise) {
  TorusSides result;
  const std::vector<std::uint64_t> wide(otherwise.begin(), otherwise.end());
  for (const std::uint64_t side : torus_sides(LocalRequest(request), wide))
    result.push_back(static_cast<Rank>(side));
  return result;
}

std::optional<std::string> sides_mismatch(const Parameters& parameters, std::uint64_t P) {
  if (!parameters.has("sides")) return std::nullopt;
  const std::string& text = parameters.text("sides");
  Saturating product = 1;
  for (const std::uint64_t side : parsed_sides(text)) product = product * side;
  if (product.value() == P) return std::nullopt;
  return fmt::format("a torus with sides {} has {} ranks, not {}", text, product.value(), P);
}
std::optional<std::string> sides_refusal(const Request& request) {
  return sides_mismatch(request.parameters, request.problem.ranks);
}

std::vector<DimensionTurn> round_robin(const std::vector<std::uint64_t>& visits,
                                       std::size_t first) {
  const std::size_t D = visits.size();
  const std::uint64_t all = std::accumulate(visits.begin(), visits.end(), std::uint64_t{0});
  std::vector<std::uint64_t> done(D);
  std::vector<DimensionTurn> result;
  for (std::size_t e = first % D; result.size() < all; e = (e + 1) % D) {
    if (done[e] < visits[e]) result.push_back({e, done[e]++});
  }
  return result;
}

}  // namespace schedcc
