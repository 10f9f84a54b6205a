#pragma once

// A value for each (node, chunk), in memory proportional to the transfers that set them.
//
// While transfers are short, that is an array of those that were touched, with cheap look-ups. With
// the first long transfer it becomes a map of runs for each node, in which a transfer costs the
// same however many chunks it has.

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/block_table.hpp"
#include "analysis/layout.hpp"
#include "analysis/run_map.hpp"
#include "model/runs.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// All start as T{}. `N`: a power of two; values that lie together.
template <typename T, std::uint32_t N>
class ChunkTable {
 public:
  /// Transfers of at least this many chunks are long.
  static constexpr std::uint32_t long_run = 512;

  explicit ChunkTable(const Layout<N>& layout) : layout_(layout) {}

  /// To be called before a run of `count` chunks is read or set.
  void expect(std::uint32_t count) {
    if (count >= long_run && !by_runs_) [[unlikely]]
      use_runs();
  }
  /// To be called when all values are set, before up to `chunks` chunks are read at each of up to
  /// `nodes` nodes.
  void prepare_reads(std::uint64_t chunks, std::uint64_t nodes) {
    if (!by_runs_ && layout_.runs_pay(cells_.used(), chunks, nodes)) use_runs();
  }
  bool by_runs() const { return by_runs_; }

  T get(Rank node, Chunk chunk) const {
    if (!by_runs_) [[likely]]
      return cells_.get(layout_.cell(node, chunk));
    T result{};
    each(node, {chunk, 1}, [&](Run, T value) { result = value; });
    return result;
  }

  /// Calls f(run, value) for runs of equal values, not always the longest, in ascending order.
  template <typename F>
  void each(Rank node, Run run, F f) const {
    if (!by_runs_) return each_cell(node, run, f);
    const auto found = runs_.find(node);
    if (found == runs_.end()) return f(run, T{});
    found->second.each(run, f);
  }

  void assign(Rank node, Run run, T value) {
    if (by_runs_) return runs_[node].assign(run, value);
    each_cell_at(node, run, [&](Chunk, T& cell) { cell = value; });
  }

  /// Calls f(chunk, its value to be changed); only where values are not kept by runs.
  template <typename F>
  void each_cell_at(Rank node, Run run, F f) {
    for (std::uint64_t chunk = run.first; chunk < end(run);) {
      const Cell cell = layout_.cell(node, chunk);
      T* const values = cells_.at(cell.block) + cell.offset;
      const std::uint64_t count =
          std::min<std::uint64_t>(end(run) - chunk, layout_.contiguous(cell));
      for (std::uint64_t i = 0; i < count; ++i) f(static_cast<Chunk>(chunk + i), values[i]);
      chunk += count;
    }
  }

  /// Nodes of which anything may be set, in any order and perhaps several times.
  std::vector<Rank> touched() const {
    std::vector<Rank> nodes;
    if (!by_runs_) {
      nodes = layout_.nodes_of(cells_, [&](const Cell& cell, std::uint32_t count) {
        const T* const values = cells_.find(cell.block) + cell.offset;
        return std::any_of(values, values + count, [](const T& value) { return value != T{}; });
      });
    }
    for (const auto& [node, runs] : runs_) nodes.push_back(node);
    return nodes;
  }

 private:
  template <typename F>
  void each_cell(Rank node, Run run, F f) const {
    if (cells_.empty()) return f(run, T{});
    for (std::uint64_t chunk = run.first; chunk < end(run);) {
      const Cell cell = layout_.cell(node, chunk);
      const std::uint64_t count =
          std::min<std::uint64_t>(end(run) - chunk, layout_.contiguous(cell));
      const auto first = static_cast<Chunk>(chunk);
      if (const T* const block = cells_.find(cell.block); block == nullptr) {
        f(Run{first, static_cast<std::uint32_t>(count)}, T{});
      } else {
        for (std::uint32_t i = 0; i < count; ++i) f(Run{first + i, 1}, block[cell.offset + i]);
      }
      chunk += count;
    }
  }

  [[gnu::noinline]] void use_runs() {
    by_runs_ = true;
    cells_.each_block([&](std::uint64_t block) {
      const T* const values = cells_.find(block);
      for (std::uint32_t i = 0; i < N; ++i) {
        if (values[i] == T{}) continue;
        const auto [node, chunk] = layout_.place({block, i});
        runs_[node].assign({chunk, 1}, values[i]);
      }
    });
    cells_ = {};
  }

  Layout<N> layout_;
  bool by_runs_ = false;
  BlockTable<T, N> cells_;
  std::unordered_map<Rank, RunMap<T>> runs_;
};

}  // namespace schedcc
