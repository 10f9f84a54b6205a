#include "format/binary/blocks.hpp"

#include <utility>

#include "core/crc32c.hpp"

namespace schedcc::binary {

BlockWriter::BlockWriter(Output& out, std::uint32_t window) : out_(out), window_(window) {
  std::string head(magic);
  put_fixed(head, version);
  put_fixed(head, window);
  put_fixed(head, crc32c(head));
  out_.put(head);
}

void BlockWriter::end_block(BlockKind kind) {
  if (payload_.empty()) return;
  block_.clear();
  put_fixed(block_, number_++);
  put_fixed(block_, static_cast<std::uint32_t>(kind));
  put_fixed(block_, static_cast<std::uint32_t>(payload_.size()));
  block_ += payload_;
  put_fixed(block_, crc32c(block_));
  out_.put(block_);
  payload_.clear();
}

BlockReader::BlockReader(std::string_view bytes, std::string file)
    : bytes_(bytes), file_(std::move(file)) {
  if (!bytes.starts_with(magic)) fail(0, "a binary schedule begins with the bytes 89 53 43 42");
  if (bytes.size() < file_header_size)
    fail(bytes.size(), fmt::format("the file ends within its first {} bytes", file_header_size));
  const char* const head = bytes.data() + magic.size();
  if (const auto found = fixed_at<std::uint32_t>(head); found != version) {
    fail(magic.size(),
         fmt::format("unsupported format version {}; supported is {}", found, version));
  }
  window_ = fixed_at<std::uint32_t>(head + 4);
  if (fixed_at<std::uint32_t>(head + 8) != crc32c(bytes.substr(0, magic.size() + 8)))
    fail(magic.size() + 8, "the file header is damaged: its checksum does not match");
  if (window_ > largest_window) {
    fail(magic.size() + 4, fmt::format("groups refer to at most {} rows before them, not {}",
                                       largest_window, window_));
  }
}

Block BlockReader::next() {
  const std::size_t left = bytes_.size() - at_;
  if (left < block_header_size) {
    fail(bytes_.size(), fmt::format("the file ends {} block {}, before the last one",
                                    left == 0 ? "without" : "within", number_));
  }
  const char* const head = bytes_.data() + at_;
  const auto number = fixed_at<std::uint32_t>(head);
  const auto kind = fixed_at<std::uint32_t>(head + 4);
  const auto length = fixed_at<std::uint32_t>(head + 8);
  if (number != number_) fail(at_, fmt::format("this is block {}, not {}", number_, number));
  if (kind < static_cast<std::uint32_t>(BlockKind::header) ||
      kind > static_cast<std::uint32_t>(BlockKind::end)) {
    fail(at_ + 4, fmt::format("block {} has the unknown kind {}", number, kind));
  }
  if (length == 0 || length > longest_payload) {
    fail(at_ + 8,
         fmt::format("block {} has 1 to {} bytes, not {}", number, longest_payload, length));
  }
  const std::size_t covered = block_header_size + length;
  if (left < covered + checksum_size)
    fail(bytes_.size(), fmt::format("the file ends within block {}", number));
  const auto checksum = fixed_at<std::uint32_t>(head + covered);
  if (const std::uint32_t sum = crc32c({head, covered}); sum != checksum) {
    fail(at_, fmt::format("block {} is damaged: its checksum is {:08x}, and the file has {:08x}",
                          number, sum, checksum));
  }
  const std::uint64_t offset = at_;
  at_ += covered + checksum_size;
  ++number_;
  return {static_cast<BlockKind>(kind),
          ByteReader({head + block_header_size, length}, offset + block_header_size, file_),
          offset};
}

void BlockReader::require_end() const {
  if (at_ != bytes_.size()) fail(at_, "there is data after the last block");
}

}  // namespace schedcc::binary
