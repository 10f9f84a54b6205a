// The definition, sentence by sentence: first the table of collectives, then the networks, then one
// class whose member functions are the checks.

#include "simulator.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

namespace naive {

using schedcc::Collective;

namespace {

/// What a place holds of a chunk: contributions by rank. A chunk that is not a reduction chunk has
/// one value only, for which the empty collection stands.
using Value = std::multiset<Rank>;
using Place = std::pair<Rank, Chunk>;  // node, chunk
using State = std::map<Place, Value>;
using Message = std::pair<Rank, Rank>;  // source, destination

// ---- The table of collectives ----

std::uint64_t total_chunks(const Problem& p) {
  const std::uint64_t ranks = p.ranks, k = p.chunks;
  switch (p.collective) {
    case Collective::scatter:
    case Collective::gather:
    case Collective::allgather:
    case Collective::reduce_scatter:
      return ranks * k;
    case Collective::alltoall:
      return ranks * ranks * k;
    default:
      return k;
  }
}

bool named(const schedcc::Holding& line, Chunk chunk) {
  for (const schedcc::Run& run : line.runs) {
    if (chunk >= run.first && chunk - run.first < run.count) return true;
  }
  return false;
}

bool is_reduction(const Problem& p, Chunk chunk) {
  switch (p.collective) {
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter:
    case Collective::scan:
    case Collective::exscan:
      return true;
    case Collective::custom:
      for (const auto& line : p.custom->post()) {
        if (line.reduced && named(line, chunk)) return true;
      }
      return false;
    default:
      return false;
  }
}

bool starts(const Problem& p, Rank rank, Chunk chunk) {
  const Chunk block = chunk / p.chunks;
  switch (p.collective) {
    case Collective::broadcast:
    case Collective::scatter:
      return rank == p.root;
    case Collective::gather:
    case Collective::allgather:
      return rank == block;
    case Collective::alltoall:
      return rank == block / p.ranks;
    case Collective::custom:
      for (const auto& line : p.custom->pre()) {
        if (line.rank == rank && named(line, chunk)) return true;
      }
      return false;
    default:  // reductions: its own contribution
      return true;
  }
}

Value contributions(Rank begin, Rank end) {
  Value value;
  for (Rank r = begin; r < end; ++r) value.insert(r);
  return value;
}

/// Is it said what `rank` must hold of `chunk` at the end?
bool wanted(const Problem& p, Rank rank, Chunk chunk) {
  const Chunk block = chunk / p.chunks;
  switch (p.collective) {
    case Collective::gather:
    case Collective::reduce:
      return rank == p.root;
    case Collective::scatter:
    case Collective::reduce_scatter:
      return rank == block;
    case Collective::alltoall:
      return rank == block % p.ranks;
    case Collective::exscan:
      return rank != 0;
    case Collective::custom:
      for (const auto& line : p.custom->post()) {
        if (line.rank == rank && named(line, chunk)) return true;
      }
      return false;
    default:
      return true;
  }
}

/// What that is: the one value, or every contribution exactly once.
Value goal(const Problem& p, Rank rank, Chunk chunk) {
  if (!is_reduction(p, chunk)) return {};
  if (p.collective == Collective::scan) return contributions(0, rank + 1);
  if (p.collective == Collective::exscan) return contributions(0, rank);
  Value value;
  for (Rank r = 0; r < p.ranks; ++r) {
    if (starts(p, r, chunk)) value.insert(r);
  }
  return value;
}

/// Do the contributions come from a run of ranks without a gap? (Ranks that do not contribute to
/// the chunk at all make no gap: there is nothing of theirs to come between the others.)
bool is_interval(const Problem& p, Chunk chunk, const Value& value) {
  for (Rank r = 0; r < p.ranks; ++r) {
    const bool between = !value.empty() && *value.begin() < r && r < *value.rbegin();
    if (between && starts(p, r, chunk) && value.count(r) == 0) return false;
  }
  return true;
}

// ---- The fat tree: level 0 are the leaves, routers are numbered level by level, from left to
// right ----

struct Position {
  std::uint64_t level, index;
};

Position position(Rank node, Rank ranks) {
  Position at{0, node};
  for (std::uint64_t row = ranks; at.index >= row; row /= 2, ++at.level) at.index -= row;
  return at;
}

Rank number(Position at, Rank ranks) {
  std::uint64_t first = 0, row = ranks;
  for (std::uint64_t level = 0; level < at.level; ++level, row /= 2) first += row;
  return static_cast<Rank>(first + at.index);
}

Rank parent(Rank node, Rank ranks) {
  const Position at = position(node, ranks);
  return number({at.level + 1, at.index / 2}, ranks);
}

bool is_root(Rank node, Rank ranks) { return node == 2 * ranks - 2; }

/// What the link carries per step; nothing if the nodes are no neighbours.
std::optional<std::uint64_t> capacity(const Model& model, Rank from, Rank to, Rank ranks) {
  if (model.graph) {
    const auto link = model.graph->links.find({from, to});
    if (link == model.graph->links.end()) return {};
    return link->second;
  }
  if (!is_root(from, ranks) && parent(from, ranks) == to) {
    return model.capacity->at(position(from, ranks).level);
  }
  if (!is_root(to, ranks) && parent(to, ranks) == from) {
    return model.capacity->at(position(to, ranks).level);
  }
  return {};
}

/// Up from both ends until they meet.
std::vector<Rank> route(Rank src, Rank dst, Rank ranks) {
  std::vector<Rank> up{src}, down{dst};
  while (up.back() != down.back()) {
    up.push_back(parent(up.back(), ranks));
    down.push_back(parent(down.back(), ranks));
  }
  down.pop_back();
  up.insert(up.end(), down.rbegin(), down.rend());
  return up;
}

// ---- The topology: shortest ways, and of those the lowest node number first ----

/// The number of links from everywhere to everywhere, where there is a way: at first none but to
/// itself, then those with one link more, until nothing is new.
void measure(Model::Graph& graph) {
  for (Rank v = 0; v < graph.nodes; ++v) graph.far[{v, v}] = 0;
  for (std::uint64_t links = 0; links < graph.nodes; ++links) {
    const auto before = graph.far;
    for (const auto& [ends, length] : before) {
      if (length != links) continue;
      for (Rank v = 0; v < graph.nodes; ++v) {
        if (graph.links.count({ends.second, v}) != 0)
          graph.far.insert({{ends.first, v}, links + 1});
      }
    }
  }
}

/// Without a way: the link that would be needed.
std::vector<Rank> route(const Model::Graph& graph, Rank src, Rank dst) {
  std::vector<Rank> path{src};
  if (graph.far.count({src, dst}) == 0) return {src, dst};
  while (path.back() != dst) {
    const Rank here = path.back();
    for (Rank v = 0; path.back() == here; ++v) {
      const auto rest = graph.far.find({v, dst});
      if (graph.links.count({here, v}) == 0 || rest == graph.far.end()) continue;
      if (rest->second + 1 == graph.far.at({here, dst})) path.push_back(v);
    }
  }
  return path;
}

// ---- Meshes and tori: along the row first, then along the column ----

/// The places from `from` to `to` on a line or ring of `length` places, both included.
std::vector<std::uint64_t> walk(std::uint64_t from, std::uint64_t to, std::uint64_t length,
                                bool ring) {
  const std::uint64_t up = (to + length - from) % length, down = (from + length - to) % length;
  const bool upward = ring ? up <= down : to > from;
  std::vector<std::uint64_t> places{from};
  while (places.back() != to) {
    places.push_back((places.back() + (upward ? 1 : length - 1)) % length);
  }
  return places;
}

std::vector<Message> edges(const Model::Grid& grid, Rank src, Rank dst) {
  std::vector<Rank> visited;
  for (const auto column : walk(src % grid.columns, dst % grid.columns, grid.columns, grid.torus)) {
    visited.push_back(static_cast<Rank>(src / grid.columns * grid.columns + column));
  }
  visited.pop_back();
  for (const auto row : walk(src / grid.columns, dst / grid.columns, grid.rows, grid.torus)) {
    visited.push_back(static_cast<Rank>(row * grid.columns + dst % grid.columns));
  }
  std::vector<Message> result;
  for (std::size_t i = 1; i < visited.size(); ++i) {
    result.emplace_back(visited[i - 1], visited[i]);
  }
  return result;
}

// ---- The simulation ----

class Simulation {
 public:
  Simulation(const Plan& plan, const Model& model, const Options& options)
      : p_(plan.problem), model_(model), options_(options), rounds_(plan.rounds) {
    hop_level_ = plan.nodes > p_.ranks;
    nodes_ = hop_level_ ? plan.nodes : p_.ranks;
    for (const Sent& s : plan.sent) {
      if (well_formed(s.transfer)) {
        input_.push_back(s);
      } else {
        out_.violated.insert("shape");
      }
    }
    hops_ = model_.routed() && !hop_level_ ? lower(input_, model_, p_.ranks) : input_;
  }

  Outcome run() {
    out_.applicable = {"shape", "causality", "delivery", "buffers", "redundancy"};
    figures();
    repetitions();
    if (model_.ports || model_.logp) out_.applicable.insert("ports");
    if (model_.ports) ports();
    if (model_.logp) logp();
    if (model_.width != 0) width();
    if (model_.routed()) links();
    if (model_.grid) crowded_edges();
    if (model_.modules) crowded_modules();
    play();
    delivery();
    buffers();
    if (!hop_level_) deadlock();
    return out_;
  }

 private:
  void violated(const std::string& check) { out_.violated.insert(check); }

  std::uint64_t latency() const { return model_.logp ? model_.logp->L + 2 * model_.logp->o : 1; }

  bool well_formed(const Transfer& t) const {
    if (t.src >= nodes_ || t.dst >= nodes_ || t.src == t.dst) return false;
    if (t.count == 0 || std::uint64_t{t.first} + t.count > total_chunks(p_)) return false;
    for (Chunk c = t.first; t.reduce && c < t.first + t.count; ++c) {
      if (!is_reduction(p_, c)) return false;
    }
    return true;
  }

  /// The messages of the input by step, each with its number of chunks.
  std::map<std::uint64_t, std::map<Message, std::uint64_t>> messages() const {
    std::map<std::uint64_t, std::map<Message, std::uint64_t>> result;
    for (const auto& [step, t] : input_) result[step][{t.src, t.dst}] += t.count;
    return result;
  }

  void figures() {
    out_.transfers = input_.size();
    for (const auto& [step, sizes] : messages()) {
      std::uint64_t largest = 0;
      for (const auto& [message, size] : sizes) largest = std::max(largest, size);
      out_.volume += largest;
      out_.width = std::max(out_.width, largest);
      out_.messages += sizes.size();
    }
    if (model_.routed()) out_.hops = hops_.size();
    for (const Sent& s : hops_) out_.steps = std::max(out_.steps, s.step + latency());
  }

  /// shape: a chunk twice in one message; a copy that arrives together with anything else.
  void repetitions() {
    std::map<std::pair<std::uint64_t, Place>, int> copies, arrivals;
    std::map<std::pair<std::uint64_t, std::pair<Message, Chunk>>, int> carried;
    for (const auto& [step, t] : hops_) {
      for (Chunk c = t.first; c < t.first + t.count; ++c) {
        if (++carried[{step, {{t.src, t.dst}, c}}] > 1) violated("shape");
        ++arrivals[{step, {t.dst, c}}];
        if (!t.reduce) ++copies[{step, {t.dst, c}}];
      }
    }
    for (const auto& [where, count] : copies) {
      if (arrivals[where] > 1) violated("shape");
    }
  }

  void ports() {
    for (const auto& [step, sizes] : messages()) {
      std::map<Rank, std::size_t> sends, receives;
      for (const auto& [message, size] : sizes) {
        ++sends[message.first];
        ++receives[message.second];
      }
      for (Rank r = 0; r < p_.ranks; ++r) {
        if (sends[r] > model_.ports->send || receives[r] > model_.ports->receive ||
            sends[r] + receives[r] > model_.ports->both) {
          violated("ports");
        }
      }
    }
  }

  void width() {
    for (const auto& [step, sizes] : messages()) {
      for (const auto& [message, size] : sizes) {
        if (size > model_.width) violated("ports");
      }
    }
  }

  /// ports under LogP: spacing, overlap, and what is in flight.
  void logp() {
    std::map<Rank, std::vector<std::uint64_t>> sends, receives;
    const auto [L, o, g] = *model_.logp;
    for (const auto& [t, sizes] : messages()) {
      for (const auto& [message, size] : sizes) {
        sends[message.first].push_back(t);
        receives[message.second].push_back(t + o + L);
      }
    }
    for (Rank r = 0; r < p_.ranks; ++r) {
      spacing(sends[r]);
      spacing(receives[r]);
      for (const std::uint64_t s : sends[r]) {
        for (const std::uint64_t u : receives[r]) {
          if (s < u + o && u < s + o) violated("ports");
        }
      }
      in_flight(sends[r]);
      in_flight(receives[r]);
    }
  }

  void spacing(const std::vector<std::uint64_t>& starts) {
    for (std::size_t i = 0; i < starts.size(); ++i) {
      for (std::size_t j = i + 1; j < starts.size(); ++j) {
        if (starts[j] - starts[i] < std::max(model_.logp->g, model_.logp->o)) violated("ports");
      }
    }
  }

  /// Messages are in flight for L cycles; `starts` are when, up to a constant, they set out.
  void in_flight(const std::vector<std::uint64_t>& starts) {
    const auto [L, o, g] = *model_.logp;
    for (const std::uint64_t now : starts) {
      std::uint64_t flying = 0;
      for (const std::uint64_t s : starts) {
        if (s <= now && now < s + L) ++flying;
      }
      if (flying > (L + g - 1) / g) violated("ports");
    }
  }

  void links() {
    out_.applicable.insert("links");
    std::map<std::pair<std::uint64_t, Message>, std::uint64_t> load;
    for (const auto& [step, t] : hops_) load[{step, {t.src, t.dst}}] += t.count;
    for (const auto& [where, chunks] : load) {
      const auto& [from, to] = where.second;
      auto limit = capacity(model_, from, to, p_.ranks);
      const auto rounds = rounds_.find(where.first);
      if (limit && model_.graph && rounds != rounds_.end()) *limit *= rounds->second;
      if (!limit || chunks > *limit) violated("links");
    }
  }

  void crowded_edges() {
    out_.applicable.insert("links");
    for (const auto& [step, sizes] : messages()) {
      std::map<Message, std::uint64_t> load;
      for (const auto& [message, size] : sizes) {
        for (const Message& edge : edges(*model_.grid, message.first, message.second)) {
          carry(++load[edge], model_.grid->congestion);
        }
      }
    }
  }

  void crowded_modules() {
    out_.applicable.insert("links");
    const auto [b, in, out] = *model_.modules;
    for (const auto& [step, sizes] : messages()) {
      std::map<std::uint64_t, std::uint64_t> leave, enter;
      for (const auto& [message, size] : sizes) {
        if (message.first / b == message.second / b) continue;
        carry(++leave[message.first / b], out);
        carry(++enter[message.second / b], in);
      }
    }
  }

  void carry(std::uint64_t messages, std::uint64_t limit) {
    out_.congestion = std::max(out_.congestion, messages);
    if (messages > limit) violated("links");
  }

  // ---- causality, redundancy, and the state at the end ----

  struct Arrival {
    Place place;
    Value value;
    bool reduce;
  };

  void play() {
    for (Rank r = 0; r < p_.ranks; ++r) {
      for (Chunk c = 0; c < total_chunks(p_); ++c) {
        if (starts(p_, r, c)) state_[{r, c}] = is_reduction(p_, c) ? Value{r} : Value{};
      }
    }
    std::map<std::uint64_t, std::vector<Transfer>> sends;
    std::set<std::uint64_t> times;
    for (const auto& [step, t] : hops_) {
      sends[step].push_back(t);
      times.insert({step, step + latency()});
    }
    std::map<std::uint64_t, std::vector<Arrival>> arrivals;
    for (const std::uint64_t now : times) {
      receive(arrivals[now], now);
      for (const Transfer& t : sends[now]) send(t, now, arrivals[now + latency()]);
    }
  }

  void send(const Transfer& t, std::uint64_t now, std::vector<Arrival>& arrivals) {
    for (Chunk c = t.first; c < t.first + t.count; ++c) {
      const auto held = state_.find({t.src, c});
      sent_[{t.src, c}].push_back({now, t.dst});
      if (held == state_.end()) {
        violated("causality");
        continue;
      }
      if (p_.ordered && is_reduction(p_, c) && !is_interval(p_, c, held->second))
        violated("delivery");
      arrivals.push_back({{t.dst, c}, held->second, t.reduce == 1});
    }
  }

  void receive(const std::vector<Arrival>& arrivals, std::uint64_t now) {
    for (const Arrival& a : arrivals) {
      const auto held = state_.find(a.place);
      const bool same = held != state_.end() && held->second == a.value;
      if (!a.reduce && std::set<Rank>(a.value.begin(), a.value.end()).size() < a.value.size()) {
        out_.overcounted = true;
      }
      if (same && !a.reduce && a.place.first < p_.ranks) violated("redundancy");
    }
    for (const Arrival& a : arrivals) {
      received_[a.place].push_back(now);
      Value& value = state_[a.place];
      if (!a.reduce) value.clear();
      value.insert(a.value.begin(), a.value.end());
    }
  }

  void delivery() {
    for (Rank r = 0; r < p_.ranks; ++r) {
      for (Chunk c = 0; c < total_chunks(p_); ++c) {
        if (!wanted(p_, r, c)) continue;
        const auto held = state_.find({r, c});
        if (held == state_.end() || held->second != goal(p_, r, c)) {
          violated("delivery");
        } else if (p_.ordered && is_reduction(p_, c) && !is_interval(p_, c, held->second)) {
          violated("delivery");
        }
      }
    }
  }

  // ---- buffers ----

  using Queue = std::map<std::uint64_t, std::int64_t>;  // time -> change of the queue's length

  void buffers() {
    std::map<Rank, Queue> of_rank;
    std::map<Message, Queue> of_link;
    for (const auto& [place, sends] : sent_) {
      const auto& [node, chunk] = place;
      const std::vector<std::uint64_t>& arrivals = received_[place];
      if (node >= p_.ranks) {
        wait_at_router(node, arrivals, sends, of_link);
      } else if (is_reduction(p_, chunk) || !starts(p_, node, chunk)) {
        wait_at_rank(arrivals, sends, of_rank[node]);
      }
    }
    for (const auto& [rank, queue] : of_rank) longest(queue);
    for (std::uint64_t level = 1; model_.capacity && level <= model_.capacity->size(); ++level) {
      out_.queues[level] = {0, 0};
    }
    for (const auto& [link, queue] : of_link) {
      const auto& [from, to] = link;
      const std::uint64_t length = longest(queue);
      if (!model_.capacity) continue;  // no levels
      auto& [up, down] = out_.queues[position(from, p_.ranks).level];
      std::uint64_t& here = is_root(from, p_.ranks) || parent(from, p_.ranks) != to ? down : up;
      here = std::max(here, length);
    }
    if (options_.max_buffer && out_.max_buffer > *options_.max_buffer) violated("buffers");
  }

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

  // ---- deadlock ----

  struct Operation {
    bool is_send;
    std::size_t message;  // index in file order
    bool done = false;
  };
  struct Call {
    std::vector<Operation> operations;
  };
  struct Talk {  // one message
    std::uint64_t send_time, receive_time;
    Rank src, dst;
    bool buffered = false;
  };

  std::vector<Talk> talks() const {
    std::vector<Talk> result;
    std::set<std::pair<std::uint64_t, Message>> seen;
    const std::uint64_t delay = model_.logp ? model_.logp->o + model_.logp->L : 0;
    for (const auto& [step, t] : input_) {
      if (seen.insert({step, {t.src, t.dst}}).second) {
        result.push_back({step, step + delay, t.src, t.dst});
      }
    }
    return result;
  }

  /// Where an operation stands among those that start at the same time.
  int phase(bool is_send) const {
    switch (options_.blocking) {
      case Blocking::send_first:
        return is_send ? 0 : 1;
      case Blocking::recv_first:
        return is_send ? 1 : 0;
      default:
        return 0;
    }
  }

  /// The calls of one rank, in order.
  std::vector<Call> calls_of(Rank rank) const {
    using Key = std::pair<std::uint64_t, std::pair<int, std::size_t>>;  // time, phase, file order
    std::map<Key, Operation> order;
    for (std::size_t m = 0; m < talks_.size(); ++m) {
      const Talk& k = talks_[m];
      if (k.src == rank) order[{k.send_time, {phase(true), m}}] = {true, m};
      if (k.dst == rank) order[{k.receive_time, {phase(false), m}}] = {false, m};
    }
    std::vector<Call> calls;
    std::optional<std::uint64_t> last;
    for (const auto& [key, operation] : order) {
      const bool together = options_.blocking == Blocking::sendrecv && last == key.first;
      if (!together) calls.emplace_back();
      calls.back().operations.push_back(operation);
      last = key.first;
    }
    return calls;
  }

  void deadlock() {
    out_.applicable.insert("deadlock");
    talks_ = talks();
    for (Rank r = 0; r < p_.ranks; ++r) calls_[r] = calls_of(r);
    bool progress = true;
    while (progress) {
      progress = false;
      for (Rank r = 0; r < p_.ranks; ++r) progress |= advance(r);
    }
    for (Rank r = 0; r < p_.ranks; ++r) {
      if (next_[r] < calls_[r].size()) violated("deadlock");
    }
  }

  Call* current(Rank rank) {
    return next_[rank] < calls_[rank].size() ? &calls_[rank][next_[rank]] : nullptr;
  }

  /// Whatever of the rank's current call can happen now.
  bool advance(Rank rank) {
    Call* call = current(rank);
    if (call == nullptr) return false;
    bool progress = false;
    for (Operation& op : call->operations) {
      if (!op.done && (op.is_send ? try_send(op) : try_receive(op))) progress = op.done = true;
    }
    for (const Operation& op : call->operations) {
      if (!op.done) return progress;
    }
    ++next_[rank];
    return true;
  }

  bool try_send(const Operation& op) {
    Talk& k = talks_[op.message];
    std::uint64_t& used = buffers_[{k.src, k.dst}];
    if (used < options_.eager) {
      ++used;
      k.buffered = true;
      return true;
    }
    return options_.eager == 0 && meet(k.dst, op.message);
  }

  /// Rendezvous: the receiver waits for this very message.
  bool meet(Rank receiver, std::size_t message) {
    Call* call = current(receiver);
    if (call == nullptr) return false;
    for (Operation& op : call->operations) {
      if (op.is_send || op.message != message || op.done) continue;
      op.done = true;
      return true;
    }
    return false;
  }

  bool try_receive(const Operation& op) {
    Talk& k = talks_[op.message];
    if (!k.buffered) return false;
    k.buffered = false;
    --buffers_[{k.src, k.dst}];
    return true;
  }

  const Problem& p_;
  const Model& model_;
  const Options options_;
  const std::map<std::uint64_t, std::uint32_t>& rounds_;
  bool hop_level_;
  std::uint64_t nodes_;
  std::vector<Sent> input_, hops_;
  Outcome out_;
  State state_;
  std::map<Place, std::vector<std::pair<std::uint64_t, Rank>>> sent_;  // time, destination
  std::map<Place, std::vector<std::uint64_t>> received_;
  std::vector<Talk> talks_;
  std::map<Rank, std::vector<Call>> calls_;
  std::map<Rank, std::size_t> next_;
  std::map<Message, std::uint64_t> buffers_;
};

/// "L=6,o=2" as a map; an item without '=' continues the list before it.
std::map<std::string, std::vector<std::string>> items(const std::string& text) {
  std::map<std::string, std::vector<std::string>> result;
  std::istringstream in(text);
  std::string item, key;
  while (std::getline(in, item, ',')) {
    const std::size_t equals = item.find('=');
    if (equals != std::string::npos) key = item.substr(0, equals);
    result[key].push_back(equals == std::string::npos ? item : item.substr(equals + 1));
  }
  return result;
}

Model::Graph read_graph(const std::string& path) {
  std::ifstream in(path);
  const auto json = nlohmann::json::parse(in);
  Model::Graph graph;
  graph.nodes = json.at("ranks").get<std::uint64_t>();
  if (json.contains("switches")) graph.nodes += json.at("switches").size();
  for (const auto& link : json.at("links")) {
    graph.links[{link.at("from").get<Rank>(), link.at("to").get<Rank>()}] =
        link.at("capacity").get<std::uint64_t>();
  }
  measure(graph);
  return graph;
}

std::vector<std::uint64_t> capacities(const std::vector<std::string>& values, Rank ranks) {
  std::vector<std::uint64_t> result;
  for (std::uint64_t leaves = 1; leaves < ranks; leaves *= 2) {
    const std::size_t i = result.size();
    if (values.at(0) == "constant") {
      result.push_back(1);
    } else if (values.at(0) == "exponential") {
      result.push_back(leaves);
    } else {
      result.push_back(std::stoull(values.at(i)));
    }
  }
  return result;
}

}  // namespace

std::vector<Sent> lower(const std::vector<Sent>& sent, const Model& model, Rank ranks) {
  std::map<std::uint64_t, std::vector<Transfer>> steps;
  for (const auto& [step, t] : sent) {
    const std::vector<Rank> path =
        model.graph ? route(*model.graph, t.src, t.dst) : route(t.src, t.dst, ranks);
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      Transfer hop = t;
      hop.src = path[i];
      hop.dst = path[i + 1];
      hop.reduce = t.reduce == 1 && i + 2 == path.size();
      steps[step + i].push_back(hop);
    }
  }
  std::vector<Sent> hops;
  for (const auto& [step, transfers] : steps) {
    for (const Transfer& t : transfers) hops.push_back({step, t});
  }
  return hops;
}

Model model(const std::string& spec, Rank ranks) {
  const std::size_t colon = std::min(spec.find(':'), spec.size());
  const std::string name = spec.substr(0, colon);
  auto item = items(colon < spec.size() ? spec.substr(colon + 1) : "");
  const auto number = [&item](const std::string& key, std::uint64_t standard) {
    return item.count(key) ? std::stoull(item[key].at(0)) : standard;
  };
  Model result;
  result.width = number("width", 0);
  if (name == "duplex") {
    result.ports = {1, 1, 2};
  } else if (name == "simplex") {
    result.ports = {1, 1, 1};
  } else if (name == "kport" || name == "bsp") {
    const std::size_t k = number(name == "bsp" ? "h" : "k", 2);
    result.ports = {k, k, 2 * k};
  } else if (name == "logp") {
    result.logp = {number("L", 6), number("o", 2), number("g", 4)};
  } else if (name == "fattree") {
    result.capacity = capacities(item["cap"], ranks);
  } else if (name == "cbft" || name == "ebft") {
    result.capacity = capacities({name == "cbft" ? "constant" : "exponential"}, ranks);
  } else if (name == "mesh" || name == "torus") {
    const std::string sides = item[""].at(0);
    const std::size_t x = sides.find('x');
    result.ports = {1, 1, 2};
    result.grid = {std::stoull(sides.substr(0, x)), std::stoull(sides.substr(x + 1)),
                   number("congestion", 1), name == "torus"};
  } else if (name == "crossbar") {
    result.ports = {1, 1, 2};
    result.modules = {number("b", 0), number("in", 2), number("out", 2)};
  } else if (name == "topology") {
    result.graph = read_graph(item[""].at(0));
  } else {
    throw std::invalid_argument("the simulator knows no machine " + spec);
  }
  return result;
}

Outcome simulate(const Plan& plan, const Model& model, const Options& options) {
  return Simulation(plan, model, options).run();
}

}  // namespace naive
