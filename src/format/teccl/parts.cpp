#include "format/teccl/parts.hpp"

#include <algorithm>

#include "core/integers.hpp"
#include "format/teccl/document.hpp"
#include "schedcc/error.hpp"

namespace schedcc::teccl {

namespace {

/// The numbers of parts that a volume can be.
struct Range {
  std::uint64_t least, most;
};

Range range(std::uint64_t volume, std::uint64_t parts) {
  const std::uint64_t low = volume > tolerance ? volume - tolerance : 0;
  return {std::max<std::uint64_t>(1, ceil_div(low * parts, whole)),
          (volume + tolerance) * parts / whole};
}

}  // namespace

bool fit(std::span<const std::uint64_t> volumes, std::uint64_t parts) {
  std::uint64_t least = 0, most = 0;
  for (const std::uint64_t volume : volumes) {
    const Range of = range(volume, parts);
    if (of.least > of.most) return false;
    least += of.least;
    most += of.most;
  }
  return least <= parts && parts <= most;
}

std::uint64_t common_parts(std::vector<Volumes> demands) {
  std::ranges::sort(demands);
  demands.erase(std::unique(demands.begin(), demands.end()), demands.end());
  std::size_t decisive = 0;  // this many, the first ones, are those that have not fitted before
  for (std::uint64_t parts = 1; parts <= max_tried_parts; ++parts) {
    const auto mismatch =
        std::ranges::find_if(demands, [&](const Volumes& volumes) { return !fit(volumes, parts); });
    if (mismatch == demands.end()) return parts;
    const auto index = static_cast<std::size_t>(mismatch - demands.begin());
    if (index >= decisive) std::swap(demands[decisive++], demands[index]);
  }
  return max_parts;
}

std::vector<std::uint32_t> split(std::span<const std::uint64_t> volumes, std::uint64_t parts) {
  std::vector<std::uint32_t> result;
  std::uint64_t sum = 0;
  for (const std::uint64_t volume : volumes) {
    const Range of = range(volume, parts);
    const std::uint64_t nearest = (volume * parts + whole / 2) / whole;
    result.push_back(static_cast<std::uint32_t>(std::clamp(nearest, of.least, of.most)));
    sum += result.back();
  }
  for (std::size_t i = 0; i < volumes.size() && sum != parts; ++i) {
    const Range of = range(volumes[i], parts);
    const std::uint64_t rest = sum - result[i];
    const std::uint64_t now = std::clamp(parts > rest ? parts - rest : 0, of.least, of.most);
    sum = rest + now;
    result[i] = static_cast<std::uint32_t>(now);
  }
  if (sum != parts) throw InternalError("the volumes of a demand of TE-CCL do not fit its parts");
  return result;
}

}  // namespace schedcc::teccl
