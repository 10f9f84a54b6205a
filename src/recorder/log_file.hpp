#pragma once

// The log of this process (record/log.hpp), mapped into its memory.

#include <cstddef>
#include <cstdint>
#include <string>

#include "record/log.hpp"

namespace schedcc::recorder {

class LogFile {
 public:
  /// Creates the file of `rank` in `folder`. Where that fails, errno says why, is_open() is false,
  /// and there is a file that tells schedcc so.
  void open(const char* folder, std::int32_t rank, std::int32_t ranks);
  bool is_open() const { return memory_ != nullptr; }

  /// The page of the process's state; only if it is open.
  record::State& state() { return *reinterpret_cast<record::State*>(memory_); }

  /// Appends an event with a payload of `event.stored` bytes, for which it returns the memory; null
  /// if there is no space left, which the state says.
  std::byte* append(const record::Event& event);

 private:
  void map(std::int32_t ranks);
  void give_up(const std::string& name);
  bool grow(std::uint64_t bytes);

  std::byte* memory_ = nullptr;
  int fd_ = -1;
  std::uint64_t mapped_ = 0, size_ = 0;
};

}  // namespace schedcc::recorder
