#pragma once

#include <cstddef>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace schedcc {

/// Starts threads that call `work`: so many, or as many as the system grants. They have to be
/// joined.
template <typename Work>
std::vector<std::thread> start_threads(std::size_t count, const Work& work) {
  std::vector<std::thread> threads;
  try {
    threads.reserve(count);
    while (threads.size() < count) threads.emplace_back(work);
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  return threads;
}

}  // namespace schedcc
