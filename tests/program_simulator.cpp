#include "program_simulator.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>

namespace naive {

namespace {

using schedcc::BufferKind;
using schedcc::Collective;
using schedcc::Op;

using Cell = std::pair<int, int>;  // buffer, offset

bool one_of(const Instruction& step, std::initializer_list<Op> ops) {
  return std::find(ops.begin(), ops.end(), step.op) != ops.end();
}
bool sends(const Instruction& s) {
  return one_of(s, {Op::send, Op::recv_copy_send, Op::recv_reduce_send, Op::recv_reduce_copy_send});
}
bool receives(const Instruction& s) {
  return one_of(s, {Op::recv, Op::recv_copy_send, Op::recv_reduce_send, Op::recv_reduce_copy,
                    Op::recv_reduce_copy_send});
}
bool uses_src(const Instruction& s) {
  return one_of(s, {Op::send, Op::recv_reduce_send, Op::recv_reduce_copy, Op::recv_reduce_copy_send,
                    Op::copy, Op::reduce});
}
bool writes(const Instruction& s) {
  return one_of(s, {Op::recv, Op::recv_copy_send, Op::recv_reduce_copy, Op::recv_reduce_copy_send,
                    Op::copy, Op::reduce});
}

/// The cell of a place; in a call with one buffer, what is in both has the name it has in the
/// longer.
Cell cell(const Program& program, Rank rank, schedcc::Slot slot, bool in_place) {
  const int K = static_cast<int>(program.problem.chunks), own = static_cast<int>(rank) * K;
  const bool at_root = rank == program.problem.root;
  const int i = 0, o = 1;
  Cell here{static_cast<int>(slot.buffer), slot.offset};
  if (!in_place) return here;
  switch (program.problem.collective) {
    case Collective::allgather:
      if (here.first == i) return {o, own + here.second};
      return here;
    case Collective::gather:
      if (here.first == i && at_root) return {o, own + here.second};
      return here;
    case Collective::reduce_scatter:
      if (here.first == o) return {i, own + here.second};
      return here;
    case Collective::scatter:
      if (here.first == o && at_root) return {i, own + here.second};
      return here;
    case Collective::reduce:
      // Only the root has an output.
      if (here.first == i && at_root) return {o, here.second};
      return here;
    default:
      if (here.first == i) return {o, here.second};
      return here;
  }
}

/// What each rank has in its input, and must have in its output: (offset, contents).
using Row = std::vector<std::pair<int, Content>>;

Row input(const Program& program, Rank r) {
  const auto P = static_cast<int>(program.problem.ranks),
             K = static_cast<int>(program.problem.chunks);
  Row row;
  const auto fill = [&](int size, int first) {
    for (int j = 0; j < size; ++j)
      row.push_back({j, {{{r, static_cast<std::uint32_t>(first + j)}, 1}}});
  };
  const bool root = r == program.problem.root;
  const int R = static_cast<int>(r);
  switch (program.problem.collective) {
    case Collective::broadcast:
      fill(root ? K : 0, 0);
      break;
    case Collective::scatter:
      fill(root ? P * K : 0, 0);
      break;
    case Collective::gather:
    case Collective::allgather:
      fill(K, R * K);
      break;
    case Collective::alltoall:
      fill(P * K, R * P * K);
      break;
    case Collective::reduce_scatter:
      fill(P * K, 0);
      break;
    default:
      fill(K, 0);
      break;
  }
  return row;
}

Row output(const Program& program, Rank r) {
  const auto P = static_cast<int>(program.problem.ranks),
             K = static_cast<int>(program.problem.chunks);
  const Rank root = program.problem.root;
  const int R = static_cast<int>(r);
  const auto from = [](Rank origin, int chunk) {
    return Content{{{origin, static_cast<std::uint32_t>(chunk)}, 1}};
  };
  const auto all = [&](int chunk) {
    Content sum;
    for (Rank q = 0; q < program.problem.ranks; ++q)
      sum[{q, static_cast<std::uint32_t>(chunk)}] = 1;
    return sum;
  };
  Row row;
  for (int j = 0; j < K; ++j) {
    switch (program.problem.collective) {
      case Collective::broadcast:
        row.push_back({j, from(root, j)});
        break;
      case Collective::scatter:
        row.push_back({j, from(root, R * K + j)});
        break;
      case Collective::allreduce:
        row.push_back({j, all(j)});
        break;
      case Collective::reduce_scatter:
        row.push_back({j, all(R * K + j)});
        break;
      case Collective::reduce:
        if (r == root) row.push_back({j, all(j)});
        break;
      case Collective::gather:
        for (int q = 0; r == root && q < P; ++q) {
          row.push_back({q * K + j, from(static_cast<Rank>(q), q * K + j)});
        }
        break;
      case Collective::allgather:
        for (int q = 0; q < P; ++q) {
          row.push_back({q * K + j, from(static_cast<Rank>(q), q * K + j)});
        }
        break;
      case Collective::alltoall:
        for (int q = 0; q < P; ++q) {
          row.push_back({q * K + j, from(static_cast<Rank>(q), (q * P + R) * K + j)});
        }
        break;
      default:
        break;
    }
  }
  return row;
}

using Connection = std::tuple<Rank, Rank, std::uint32_t>;

class Interpreter {
 public:
  Interpreter(const Program& program, std::size_t depth, bool in_place)
      : program_(program), depth_(depth), in_place_(in_place) {
    for (Rank r = 0; r < program.gpus.size(); ++r) {
      at_.emplace_back(program.gpus[r].blocks.size());
      memory_.emplace_back();
      for (const auto& [offset, content] : input(program, r)) {
        memory_[r][cell(program, r, {BufferKind::input, offset}, in_place)] = content;
      }
    }
  }

  ProgramRun run(std::mt19937& random) {
    ProgramRun result;
    while (true) {
      std::vector<std::pair<Rank, std::size_t>> ready;
      bool left = false;
      for (Rank r = 0; r < at_.size(); ++r) {
        for (std::size_t b = 0; b < at_[r].size(); ++b) {
          if (at_[r][b] == program_.gpus[r].blocks[b].steps.size()) continue;
          left = true;
          if (can_go(r, b)) ready.emplace_back(r, b);
        }
      }
      if (ready.empty()) {
        result.ended = !left;
        break;
      }
      const auto [r, b] = ready[random() % ready.size()];
      result.fits &= go(r, b);
      ++at_[r][b];
    }
    result.complete = true;
    for (Rank r = 0; r < at_.size(); ++r) {
      for (const auto& [offset, content] : output(program_, r)) {
        result.complete &=
            memory_[r][cell(program_, r, {BufferKind::output, offset}, in_place_)] == content;
      }
    }
    return result;
  }

 private:
  bool can_go(Rank r, std::size_t b) {
    const auto& block = program_.gpus[r].blocks[b];
    const Instruction& step = block.steps[at_[r][b]];
    if (step.block >= 0) {
      if (at_[r][static_cast<std::size_t>(step.block)] <= static_cast<std::size_t>(step.step)) {
        return false;
      }
    }
    if (receives(step) && fifos_[{static_cast<Rank>(block.recv), r, block.channel}].empty()) {
      return false;
    }
    return !sends(step) ||
           fifos_[{r, static_cast<Rank>(block.send), block.channel}].size() < depth_;
  }

  bool go(Rank r, std::size_t b) {
    const auto& block = program_.gpus[r].blocks[b];
    const Instruction& step = block.steps[at_[r][b]];
    bool fits = true;
    std::vector<Content> data(step.count);
    if (receives(step)) {
      auto& fifo = fifos_[{static_cast<Rank>(block.recv), r, block.channel}];
      fits = fifo.front().size() == data.size();
      fifo.front().resize(data.size());
      data = fifo.front();
      fifo.pop_front();
    }
    for (std::size_t k = 0; k < data.size(); ++k) {
      const auto add = [&](schedcc::Slot slot) {
        slot.offset += static_cast<int>(k);
        const Content& there = memory_[r][cell(program_, r, slot, in_place_)];
        if (there.empty()) data[k][{UINT32_MAX, 0}] += 1;  // rubbish
        for (const auto& [what, times] : there) data[k][what] += times;
      };
      if (uses_src(step)) add(step.src);
      if (step.op == Op::reduce) add(step.dst);
    }
    for (std::size_t k = 0; writes(step) && k < data.size(); ++k) {
      schedcc::Slot slot = step.dst;
      slot.offset += static_cast<int>(k);
      memory_[r][cell(program_, r, slot, in_place_)] = data[k];
    }
    if (sends(step)) {
      fifos_[{r, static_cast<Rank>(block.send), block.channel}].push_back(std::move(data));
    }
    return fits;
  }

  const Program& program_;
  std::size_t depth_;
  bool in_place_;
  std::vector<std::vector<std::size_t>> at_;
  std::vector<std::map<Cell, Content>> memory_;
  std::map<Connection, std::deque<std::vector<Content>>> fifos_;
};

}  // namespace

ProgramRun run_program(const Program& program, std::size_t depth, bool in_place,
                       std::mt19937& random) {
  return Interpreter(program, depth, in_place).run(random);
}

bool has_race(const Program& program, bool in_place) {
  struct Node {
    Rank rank;
    const Instruction* step;
  };
  std::vector<Node> nodes;
  std::vector<std::vector<std::size_t>> first(program.gpus.size());
  std::map<Connection, std::vector<std::size_t>> out, in;
  for (Rank r = 0; r < program.gpus.size(); ++r) {
    for (const auto& block : program.gpus[r].blocks) {
      first[r].push_back(nodes.size());
      for (const Instruction& step : block.steps) {
        if (sends(step)) {
          out[{r, static_cast<Rank>(block.send), block.channel}].push_back(nodes.size());
        }
        if (receives(step)) {
          in[{static_cast<Rank>(block.recv), r, block.channel}].push_back(nodes.size());
        }
        nodes.push_back({r, &step});
      }
    }
  }
  const std::size_t n = nodes.size();
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n));
  for (Rank r = 0; r < program.gpus.size(); ++r) {
    for (std::size_t b = 0; b < first[r].size(); ++b) {
      const auto& steps = program.gpus[r].blocks[b].steps;
      for (std::size_t s = 0; s < steps.size(); ++s) {
        if (s > 0) before[first[r][b] + s - 1][first[r][b] + s] = true;
        if (steps[s].block < 0) continue;
        const std::size_t other = first[r][static_cast<std::size_t>(steps[s].block)];
        before[other + static_cast<std::size_t>(steps[s].step)][first[r][b] + s] = true;
      }
    }
  }
  for (const auto& [connection, list] : out) {
    for (std::size_t k = 0; k < list.size() && k < in[connection].size(); ++k) {
      before[list[k]][in[connection][k]] = true;
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      if (!before[i][k]) continue;
      for (std::size_t j = 0; j < n; ++j) {
        if (before[k][j]) before[i][j] = true;
      }
    }
  }
  std::vector<std::set<Cell>> read(n), written(n);
  for (std::size_t e = 0; e < n; ++e) {
    const Instruction& step = *nodes[e].step;
    for (int k = 0; uses_src(step) && writes(step) && k < static_cast<int>(step.count); ++k) {
      for (int l = 0; l < static_cast<int>(step.count); ++l) {
        schedcc::Slot from = step.src, to = step.dst;
        from.offset += k;
        to.offset += l;
        const Rank rank = nodes[e].rank;
        if (k != l && cell(program, rank, from, in_place) == cell(program, rank, to, in_place)) {
          return true;
        }
      }
    }
    for (int k = 0; k < static_cast<int>(step.count); ++k) {
      const auto at = [&](schedcc::Slot slot) {
        slot.offset += k;
        return cell(program, nodes[e].rank, slot, in_place);
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
      if (nodes[i].rank != nodes[j].rank || before[i][j] || before[j][i]) continue;
      if (meet(written[i], written[j]) || meet(written[i], read[j]) || meet(read[i], written[j])) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace naive
