#pragma once

// Stages over a sequence of blocks, by several threads.
//
// The first stage fills a block. Each of the others visits all blocks in the same order, a block as
// soon as the stages on which it depends have visited it. A thread takes any stage that has a block
// to visit, so that few threads share many stages; and as a stage visits one block at a time, what
// it does is the same for any number of threads. The blocks are the caller's: here they are slots,
// which are used again, those used last first.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace schedcc {

class Pipeline {
 public:
  /// The number of a block's place in memory: 0..slots-1.
  using Slot = std::size_t;
  /// Fills a slot with the next block and returns its weight, such as its size; 0 at the end.
  using Fill = std::function<std::uint64_t(Slot)>;
  using Visit = std::function<void(Slot)>;

  /// At most `slots` blocks are there at a time, 2 or more. No block is filled while two or more
  /// weigh `most` or more together, so that large blocks do not take many times the memory of one.
  Pipeline(Fill fill, std::size_t slots, std::uint64_t most);

  /// Adds a stage. It depends on the first one, and on `after`: earlier results of this function.
  std::size_t add(Visit visit, std::vector<std::size_t> after = {});

  /// Takes all blocks through all stages, by at most `threads` threads, of which one is the
  /// caller's; it calls `between` from time to time. The first exception of any of these functions
  /// ends the run, and is thrown when all threads have ended. May be called once.
  void run(std::size_t threads, const std::function<void()>& between);

 private:
  struct Stage {
    Visit visit;                          ///< none: the first stage, which fills
    std::vector<std::size_t> after = {};  ///< stages with smaller numbers
    std::uint64_t visited = 0;            ///< blocks
    bool busy = false;
  };
  struct Block {
    Slot slot;
    std::uint64_t weight;
  };

  using Lock = std::unique_lock<std::mutex>;

  void work(const std::function<void()>& between);
  /// Visits one block, or fills one. The lock is held before and after.
  void visit(std::size_t stage, Lock& lock);
  void fill(Lock& lock);
  /// Calls f without the lock, and keeps the first exception.
  template <typename F>
  void unlocked(Lock& lock, F f);
  /// Of the stages that have a block to visit, the one that is furthest behind. But the first one,
  /// while there are so few blocks that a thread might find none to visit.
  std::optional<std::size_t> ready() const;
  bool is_ready(std::size_t stage) const;
  bool may_fill() const;
  bool finished() const { return error_ || (ended_ && blocks_.empty()); }
  /// Gives back the slots of the blocks that all stages have visited.
  void retire();

  Fill fill_;
  std::uint64_t most_;
  std::size_t ahead_ = 0;  ///< blocks to be filled before any other stage goes on
  std::vector<Stage> stages_;

  std::mutex mutex_;  ///< guards all that follows, and the states of stages
  std::condition_variable changed_;
  std::vector<Slot> free_;
  std::vector<Block> blocks_;  ///< filled, and not yet visited by all stages
  std::uint64_t retired_ = 0;  ///< the number of the first of them
  std::uint64_t weight_ = 0;   ///< of all of them
  bool ended_ = false;         ///< there are no more to be filled
  std::exception_ptr error_;
};

}  // namespace schedcc
