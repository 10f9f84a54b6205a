#include "model/block_sizes.hpp"

#include <fmt/core.h>

#include "core/input_text.hpp"
#include "core/scanner.hpp"

namespace schedcc {

BlockSizes read_block_sizes(const std::string& path, std::uint64_t blocks) {
  const InputText text = InputText::open(path);
  Scanner in(text.view(), path);
  BlockSizes sizes;
  std::uint64_t total = 0;
  while (in.next_directive()) {
    const std::uint32_t size = in.number("the size of a block");
    if (blocks != 0 && sizes.size() == blocks) {
      in.fail_token(fmt::format("'{}' is one size too many: there are {} blocks", size, blocks));
    }
    total += size;
    if (total > max_transfer_count) {
      in.fail_token(
          fmt::format("with block {} there are {} chunks, more than the {} that schedcc "
                      "can number",
                      sizes.size(), total, max_transfer_count));
    }
    sizes.push_back(size);
  }
  if (sizes.size() < blocks) {
    in.fail(fmt::format("the sizes end here, {} of {}", sizes.size(), blocks));
  }
  return sizes;
}

}  // namespace schedcc
