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
      in.fail_token(
          fmt::format("too many sizes: '{}' is beyond the last of {} blocks", size, blocks));
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
    in.fail(fmt::format("too few sizes: {} of {}", sizes.size(), blocks));
  }
  return sizes;
}

}  // namespace schedcc
