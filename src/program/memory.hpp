#pragma once

// The memory of a GPU as an array of cells, a chunk each: the input buffer, the output buffer,
// scratch.

#include <algorithm>
#include <cstdint>

#include "schedcc/program.hpp"

namespace schedcc::program {

/// How a collective is called: with two buffers, or with one for input and output.
enum class Call : std::uint8_t { out_of_place, in_place };

class Memory {
 public:
  Memory(const Program& program, Rank rank, Call call)
      : problem_(program.problem),
        rank_(rank),
        call_(call),
        input_(std::max(program.gpus[rank].input, input_chunks(problem_, rank))),
        output_(std::max(program.gpus[rank].output, output_chunks(problem_, rank))),
        size_(std::uint64_t{input_} + output_ + program.gpus[rank].scratch) {}

  std::uint64_t size() const { return size_; }
  std::uint32_t inputs() const { return input_; }
  /// The cell `i` chunks after a place.
  std::uint64_t cell(Slot slot, std::uint32_t i = 0) const {
    slot.offset += static_cast<std::int32_t>(i);
    if (call_ == Call::in_place) {
      const Slot shared = schedcc::in_place(problem_, rank_, slot);
      if (exists(shared)) slot = shared;
    }
    const auto offset = static_cast<std::uint64_t>(slot.offset);
    switch (slot.buffer) {
      case BufferKind::input:
        return offset;
      case BufferKind::output:
        return input_ + offset;
      case BufferKind::scratch:
        break;
    }
    return std::uint64_t{input_} + output_ + offset;
  }

 private:
  bool exists(Slot slot) const {
    const std::uint32_t size = slot.buffer == BufferKind::input ? input_ : output_;
    return slot.buffer == BufferKind::scratch || static_cast<std::uint32_t>(slot.offset) < size;
  }

  const Problem& problem_;
  Rank rank_;
  Call call_;
  std::uint32_t input_, output_;
  std::uint64_t size_;
};

}  // namespace schedcc::program
