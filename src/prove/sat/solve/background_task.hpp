#pragma once

// Work in another thread.

#include <atomic>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace schedcc::prover {

/// Optional work in a second thread: the flag `over` tells it to stop, and it ends if it runs out
/// of memory.
class BackgroundTask {
 public:
  using Work = std::function<void(const std::atomic<bool>& over)>;

  BackgroundTask() = default;
  ~BackgroundTask() { join(); }
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  bool started() const { return thread_.joinable(); }
  /// `work` must poll `over`.
  void start(Work work) try {
    thread_ = std::thread([this, work = std::move(work)] {
      try {
        work(over_);
      } catch (const std::bad_alloc&) {  // the caller continues without the result
      } catch (const std::length_error&) {
      } catch (...) {
        failure_ = std::current_exception();
      }
    });
  } catch (const std::system_error&) {  // no memory for a thread
  }
  /// Waits until it has ended. Rethrows its exception, except out of memory.
  void end() {
    join();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  void join() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
  }

  std::atomic<bool> over_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace schedcc::prover
