#pragma once

// Work in another thread.

#include <atomic>
#include <functional>
#include <new>
#include <thread>

namespace schedcc::prover {

/// Work that goes on beside that of this thread, which may do without it: it is told when it is
/// over, and where there is no memory for it, it ends.
class Beside {
 public:
  using Work = std::function<void(const std::atomic<bool>& over)>;

  Beside() = default;
  ~Beside() { end(); }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  bool started() const { return thread_.joinable(); }
  /// `work` looks at `over` often enough, and throws nothing but bad_alloc.
  void start(Work work) {
    thread_ = std::thread([this, work = std::move(work)] {
      try {
        work(over_);
      } catch (const std::bad_alloc&) {  // the other thread does without
      }
    });
  }
  /// Waits until it has ended, which it shall do soon.
  void end() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace schedcc::prover
