#include "simulator/queues.hpp"

#include <algorithm>

#include "simulator/collectives.hpp"
#include "simulator/networks.hpp"

namespace naive {

namespace {

class Buffers {
 public:
  Buffers(Visits visits, const Problem& problem, const Model& model, Outcome& out)
      : visits_(std::move(visits)), p_(problem), model_(model), out_(out) {}

  void run() {
    std::map<Rank, Queue> of_rank;
    std::map<Message, Queue> of_link;
    for (const auto& [place, sends] : visits_.sent) {
      const auto& [node, chunk] = place;
      const std::vector<std::uint64_t>& arrivals = visits_.received[place];
      if (node >= p_.ranks) {
        wait_at_router(node, arrivals, sends, of_link);
      } else if (is_reduction(p_, chunk) || !starts(p_, node, chunk)) {
        wait_at_rank(arrivals, sends, of_rank[node]);
      }
    }
    for (const auto& [rank, queue] : of_rank) longest(queue);
    for (std::uint64_t i = 1; model_.capacity && i <= model_.capacity->size(); ++i) {
      out_.queues[i] = {0, 0};
    }
    for (const auto& [link, queue] : of_link) {
      const auto& [from, to] = link;
      const std::uint64_t length = longest(queue);
      if (!model_.capacity) continue;  // no levels
      auto& [up, down] = out_.queues[level(from, p_.ranks)];
      std::uint64_t& here = is_root(from, p_.ranks) || parent(from, p_.ranks) != to ? down : up;
      here = std::max(here, length);
    }
  }

 private:
  using Queue = std::map<std::uint64_t, std::int64_t>;  // time -> change of the queue's length

  /// From its first arrival until its last send, counted before that send.
  void wait_at_rank(const std::vector<std::uint64_t>& arrivals,
                    const std::vector<std::pair<std::uint64_t, Rank>>& sends, Queue& queue) {
    if (arrivals.empty() || arrivals.front() > sends.back().first) return;
    ++queue[arrivals.front()];
    --queue[sends.back().first + 1];
  }

  /// Of each hop: the steps strictly between the chunk's arrival and the hop. An arrival counts
  /// here at the step after the one in which it happened.
  void wait_at_router(Rank node, const std::vector<std::uint64_t>& arrivals,
                      const std::vector<std::pair<std::uint64_t, Rank>>& sends,
                      std::map<Message, Queue>& queues) {
    for (const auto& [step, to] : sends) {
      if (!model_.routed() || !capacity(model_, node, to, p_.ranks)) continue;  // no link, no queue
      std::optional<std::uint64_t> last;
      for (const std::uint64_t a : arrivals) {
        if (a <= step) last = a;
      }
      if (!last || *last == step) continue;
      ++queues[{node, to}][*last];
      --queues[{node, to}][step];
    }
  }

  std::uint64_t longest(const Queue& queue) {
    std::int64_t length = 0;
    std::uint64_t result = 0;
    for (const auto& [time, change] : queue) {
      length += change;
      result = std::max(result, static_cast<std::uint64_t>(length));
    }
    out_.max_buffer = std::max(out_.max_buffer, result);
    return result;
  }

  Visits visits_;
  const Problem& p_;
  const Model& model_;
  Outcome& out_;
};

}  // namespace

void queues(Visits visits, const Problem& problem, const Model& model, Outcome& out) {
  Buffers(std::move(visits), problem, model, out).run();
}

}  // namespace naive
