// The list of closed forms, and the tables that they give.

#include "prover/symbolic_forms.hpp"

#include <algorithm>

#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

constexpr std::uint64_t most_words = std::uint64_t{1} << 60;
constexpr std::uint64_t most_listed = std::uint64_t{1} << 22;

std::optional<std::string> any(const Request&) { return std::nullopt; }

std::optional<std::string> on_duplex(const Request& r) {
  if (r.machine.name == "simplex") {
    return "on simplex its schedule is another one, which has no closed form here";
  }
  return std::nullopt;
}

std::optional<std::string> given_group(const Request& r) {
  if (r.parameters.has("layout")) return "layouts on networks have no closed form here";
  if (r.parameters.has("coupled")) return "couples have no closed form here";
  if (!r.parameters.has("r")) return "without r=..., r is another one for every K";
  return on_duplex(r);
}

template <ClosedForm (*make)(const Request&, std::uint64_t)>
ClosedForm plain(const Algorithm&, const Request& request, std::uint64_t P) {
  return make(request, P);
}

}  // namespace

std::span<const ClosedFormEntry> closed_forms() {
  static const std::vector<ClosedFormEntry> list{
      {"binary-tree", on_duplex, plain<binary_form>, most_listed},
      {"binomial-tree", any, serial_form, most_listed},
      {"butterfly", any, plain<butterfly_form>, most_words, true},
      {"chain", any, plain<chain_form>, most_listed},
      {"circulant", any, plain<circulant_form>, most_listed},
      {"fractional-tree", given_group, plain<fractional_form>, most_listed},
      {"knomial-tree", any, serial_form, most_listed},
      {"linear", any, serial_form, most_listed},
      {"pairwise", any, plain<pairwise_form>, most_words},
      {"ring", any, plain<ring_form>, most_words},
      {"xor", any, plain<xor_form>, most_words, true},
  };
  return list;
}

std::uint64_t chunk_of(const ClosedForm& form, const std::vector<std::uint64_t>& packet,
                       std::uint64_t K) {
  switch (form.kind) {
    case PacketKind::packet:
      return packet[0];
    case PacketKind::block:
      return packet[0] * K;
    case PacketKind::pair:
      return (packet[0] * form.ranks + packet[1]) * K;
    case PacketKind::pair_packet:
      return (packet[0] * form.ranks + packet[1]) * K + packet[2];
  }
  throw InternalError("a kind of packets without a rule");
}

namespace {

/// Tries all values of the indices from the `next` one on.
class Table {
 public:
  Table(const ClosedForm& form, std::uint64_t K) : form_(form), K_(K) { values_["K"] = K; }

  Schedule fill() {
    const std::uint64_t steps = evaluate(form_.steps, values_);
    for (std::uint64_t t = 0; t < steps; ++t) {
      values_["t"] = t;
      transfers_.clear();
      if (form_.edges.empty()) {
        for (const Family& family : form_.families) each(family, 0);
      }
      for (const Edge& edge : form_.edges) add(edge);
      if (transfers_.empty()) continue;
      schedule_.begin_step(t);
      for (const Transfer& transfer : transfers_) schedule_.add(transfer);
    }
    return std::move(schedule_);
  }

 private:
  void each(const Family& family, std::size_t next) {
    if (next == family.indices.size()) return add(family, {}, {});
    const Node& index = *family.indices[next].node();
    const std::uint64_t end = index.value > 0 ? index.value : K_;
    for (std::uint64_t x = 0; x < end; ++x) {
      values_[index.name] = x;
      each(family, next + 1);
    }
  }
  void add(const Edge& edge) {
    values_["start"] = edge.start;
    values_["place"] = edge.place;
    add(form_.families[edge.family], edge.from, edge.to);
  }
  void add(const Family& family, std::optional<std::uint64_t> from,
           std::optional<std::uint64_t> to) {
    if (!evaluate(family.sent, values_)) return;
    std::vector<std::uint64_t> packet;
    for (const Term& part : family.packet) packet.push_back(evaluate(part, values_));
    const bool block = form_.kind == PacketKind::block || form_.kind == PacketKind::pair;
    transfers_.push_back(copy(rank(from ? *from : evaluate(family.from, values_)),
                              rank(to ? *to : evaluate(family.to, values_)),
                              static_cast<Chunk>(chunk_of(form_, packet, K_)),
                              block ? static_cast<std::uint32_t>(K_) : 1));
  }
  /// Ranks out of range stay what they are: the checker shall see them.
  Rank rank(std::uint64_t v) const {
    if (form_.rooted && v < form_.ranks) v = (v + form_.root) % form_.ranks;
    return static_cast<Rank>(v);
  }

  const ClosedForm& form_;
  std::uint64_t K_;
  Values values_;
  Transfers transfers_;
  Schedule schedule_;
};

}  // namespace

Schedule table(const ClosedForm& form, std::uint64_t K) { return Table(form, K).fill(); }

}  // namespace schedcc::prover
