#include "program_simulator.hpp"

#include <algorithm>
#include <deque>

#include "simulator/programs.hpp"

namespace naive {

namespace {

/// The initial contents of a rank's input, or the required contents of its output: (offset,
/// contents).
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

class Interpreter {
 public:
  Interpreter(const Program& program, std::size_t depth, bool in_place, std::size_t chunks)
      : program_(program), depth_(depth), in_place_(in_place), chunks_(chunks) {
    for (Rank r = 0; r < program.gpus.size(); ++r) {
      at_.emplace_back(program.gpus[r].blocks.size());
      done_.emplace_back(program.gpus[r].blocks.size());
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
          if (can_run(r, b)) ready.emplace_back(r, b);
        }
      }
      if (ready.empty()) {
        result.ended = !left;
        break;
      }
      const auto [r, b] = ready[random() % ready.size()];
      result.fits &= go(r, b);
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
  bool can_run(Rank r, std::size_t b) {
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
    std::size_t& done = done_[r][b];  // chunks of the instruction
    std::vector<Content> data(std::min(chunks_, step.count - done));
    if (receives(step)) {
      auto& fifo = fifos_[{static_cast<Rank>(block.recv), r, block.channel}];
      fits = fifo.front().size() == data.size();
      fifo.front().resize(data.size());
      data = fifo.front();
      fifo.pop_front();
    }
    for (std::size_t k = 0; k < data.size(); ++k) {
      const auto add = [&](schedcc::Slot slot) {
        slot.offset += static_cast<int>(done + k);
        const Content& there = memory_[r][cell(program_, r, slot, in_place_)];
        if (there.empty()) data[k][{UINT32_MAX, 0}] += 1;  // uninitialized
        for (const auto& [what, times] : there) data[k][what] += times;
      };
      if (uses_src(step)) add(step.src);
      if (step.op == Op::reduce) add(step.dst);
    }
    for (std::size_t k = 0; writes(step) && k < data.size(); ++k) {
      schedcc::Slot slot = step.dst;
      slot.offset += static_cast<int>(done + k);
      memory_[r][cell(program_, r, slot, in_place_)] = data[k];
    }
    done += data.size();
    if (sends(step)) {
      fifos_[{r, static_cast<Rank>(block.send), block.channel}].push_back(std::move(data));
    }
    if (done == step.count) {
      done = 0;
      ++at_[r][b];
    }
    return fits;
  }

  const Program& program_;
  std::size_t depth_;
  bool in_place_;
  std::size_t chunks_;
  std::vector<std::vector<std::size_t>> at_, done_;
  std::vector<std::map<Cell, Content>> memory_;
  std::map<Connection, std::deque<std::vector<Content>>> fifos_;
};

}  // namespace

ProgramRun run_program(const Program& program, std::size_t depth, bool in_place,
                       std::mt19937& random, std::size_t chunks) {
  return Interpreter(program, depth, in_place, chunks).run(random);
}

}  // namespace naive
