#pragma once

// The blocks of a binary file: written in order, and checked as they are read.

#include <cstdint>
#include <string>
#include <string_view>

#include "format/binary/bytes.hpp"
#include "format/binary/layout.hpp"
#include "format/text.hpp"

namespace schedcc::binary {

/// Writes the head of the file, and blocks, in large pieces. The caller must call `flush` at the
/// end.
class BlockWriter {
 public:
  BlockWriter(Output& out, std::uint32_t window);

  /// How far back groups may refer, in rows.
  std::uint32_t window() const { return window_; }

  /// What the next block has so far.
  std::string& payload() { return payload_; }
  /// Is it time to end the block?
  bool full() const { return payload_.size() >= enough; }
  /// Ends the block; nothing is written for an empty one.
  void end_block(BlockKind kind);
  void flush() { out_.flush(); }

 private:
  /// Larger blocks are no smaller in all, and later in the caches of the processor.
  static constexpr std::size_t enough = std::size_t{1} << 16;

  Text out_;
  std::uint32_t window_;
  std::string payload_, block_;
  std::uint32_t number_ = 0;
};

struct Block {
  BlockKind kind;
  ByteReader payload;
  std::uint64_t offset;  ///< of its first byte in the file
};

/// Reads the blocks of a file, one after the other; a copy continues from the same place. `bytes`
/// outlive it.
class BlockReader {
 public:
  /// Checks the head of the file. Throws InputError.
  BlockReader(std::string_view bytes, std::string file);

  /// The next block, whose checksum is right. Throws InputError with the byte.
  Block next();
  /// How far back groups may refer, in rows.
  std::uint32_t window() const { return window_; }
  /// Throws InputError unless the file ends here.
  void require_end() const;

 private:
  [[noreturn]] void fail(std::uint64_t offset, const std::string& message) const {
    fail_at_byte(file_, offset, message);
  }

  std::string_view bytes_;
  std::string file_;
  std::uint32_t window_ = 0;
  std::size_t at_ = file_header_size;
  std::uint32_t number_ = 0;
};

}  // namespace schedcc::binary
