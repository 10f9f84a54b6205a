// The order of a program's instructions as a matrix: by the transitive closure over all pairs.

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "simulator/programs.hpp"

namespace naive {

namespace {

/// What the nodes of an order are: instructions as a whole, or their chunks. An instruction passes
/// on each chunk before it has the next.
enum class Nodes { instructions, chunks };

struct Order {
  struct Node {
    Rank rank;
    const Instruction* step;
    int first, last;  ///< its chunks
  };
  std::vector<Node> nodes;
  std::map<Connection, std::vector<std::size_t>> out, in;
  std::vector<std::vector<bool>> before;

  Order(const Program& program, Nodes kind) {
    list(program, kind);
    before.assign(nodes.size(), std::vector<bool>(nodes.size()));
    for (Rank r = 0; r < program.gpus.size(); ++r) {
      for (std::size_t b = 0; b < places_[r].size(); ++b) {
        const auto& steps = program.gpus[r].blocks[b].steps;
        for (std::size_t s = 0; s < steps.size(); ++s) {
          const std::vector<std::size_t>& mine = places_[r][b][s];
          for (std::size_t k = 1; k < mine.size(); ++k) before[mine[k - 1]][mine[k]] = true;
          if (s > 0) before[places_[r][b][s - 1].back()][mine.front()] = true;
          if (steps[s].block < 0) continue;
          const auto& other = places_[r][static_cast<std::size_t>(steps[s].block)];
          before[other[static_cast<std::size_t>(steps[s].step)].back()][mine.front()] = true;
        }
      }
    }
    for (const auto& [connection, sent] : out) {
      for (std::size_t k = 0; k < sent.size() && k < in[connection].size(); ++k) {
        before[sent[k]][in[connection][k]] = true;
      }
    }
    close();
  }

 private:
  void list(const Program& program, Nodes kind) {
    places_.resize(program.gpus.size());
    for (Rank r = 0; r < program.gpus.size(); ++r) {
      for (const auto& block : program.gpus[r].blocks) {
        places_[r].emplace_back();
        for (const Instruction& step : block.steps) {
          places_[r].back().emplace_back();
          const int count = static_cast<int>(step.count);
          const int each = kind == Nodes::chunks ? 1 : std::max(count, 1);
          for (int k = 0; k == 0 || k < count; k += each) {
            if (sends(step))
              out[{r, static_cast<Rank>(block.send), block.channel}].push_back(nodes.size());
            if (receives(step))
              in[{static_cast<Rank>(block.recv), r, block.channel}].push_back(nodes.size());
            places_[r].back().back().push_back(nodes.size());
            nodes.push_back({r, &step, k, std::min(k + each, count)});
          }
        }
      }
    }
  }

  void close() {
    const std::size_t n = nodes.size();
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        if (!before[i][k]) continue;
        for (std::size_t j = 0; j < n; ++j) {
          if (before[k][j]) before[i][j] = true;
        }
      }
    }
  }

  std::vector<std::vector<std::vector<std::vector<std::size_t>>>> places_;  ///< of an instruction
};

}  // namespace

bool has_race(const Program& program, bool in_place) {
  const Order order(program, Nodes::chunks);
  const std::size_t n = order.nodes.size();
  std::vector<std::set<Cell>> read(n), written(n);
  for (std::size_t e = 0; e < n; ++e) {
    const Instruction& step = *order.nodes[e].step;
    for (int k = 0; uses_src(step) && writes(step) && k < static_cast<int>(step.count); ++k) {
      for (int l = 0; l < static_cast<int>(step.count); ++l) {
        schedcc::Slot from = step.src, to = step.dst;
        from.offset += k;
        to.offset += l;
        const Rank rank = order.nodes[e].rank;
        if (k != l && cell(program, rank, from, in_place) == cell(program, rank, to, in_place)) {
          return true;
        }
      }
    }
    for (int k = order.nodes[e].first; k < order.nodes[e].last; ++k) {
      const auto at = [&](schedcc::Slot slot) {
        slot.offset += k;
        return cell(program, order.nodes[e].rank, slot, in_place);
      };
      if (uses_src(step)) read[e].insert(at(step.src));
      if (writes(step)) written[e].insert(at(step.dst));
    }
  }
  const auto meet = [](const std::set<Cell>& a, const std::set<Cell>& b) {
    return std::any_of(a.begin(), a.end(), [&](const Cell& c) { return b.count(c) > 0; });
  };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (order.nodes[i].rank != order.nodes[j].rank || order.before[i][j] || order.before[j][i])
        continue;
      if (meet(written[i], written[j]) || meet(written[i], read[j]) || meet(read[i], written[j])) {
        return true;
      }
    }
  }
  return false;
}

std::size_t longest_chain(const Program& program) {
  const Order order(program, Nodes::instructions);
  struct Message {
    Connection connection;
    std::size_t number, send, receive;
  };
  std::vector<Message> messages;
  for (const auto& [connection, sent] : order.out) {
    for (std::size_t k = 0; k < sent.size(); ++k) {
      messages.push_back({connection, k, sent[k], order.in.at(connection)[k]});
    }
  }
  const auto waits = [&](const Message& m, const Message& first) {
    return m.send == first.receive || order.before[first.receive][m.send] ||
           (m.connection == first.connection && m.number > first.number);
  };
  std::vector<std::size_t> length(messages.size(), 1);
  std::size_t longest = 0;
  for (std::size_t round = 0; round < messages.size(); ++round) {
    for (std::size_t m = 0; m < messages.size(); ++m) {
      for (std::size_t first = 0; first < messages.size(); ++first) {
        if (waits(messages[m], messages[first])) length[m] = std::max(length[m], length[first] + 1);
      }
      longest = std::max(longest, length[m]);
    }
  }
  return longest;
}

}  // namespace naive
