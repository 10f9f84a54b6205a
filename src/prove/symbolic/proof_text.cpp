// A symbolic proof as text and as JSON.

#include "prove/symbolic/proof_text.hpp"

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/json.hpp"

namespace schedcc::prover {

namespace {

std::string packet_text(const std::vector<std::string_view>& names,
                        const std::vector<std::uint64_t>& packet) {
  std::string text;
  for (std::size_t i = 0; i < packet.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", names[i], packet[i]);
  }
  return text;
}

std::string queries_text(std::uint64_t n) {
  return fmt::format("{} {}", n, n == 1 ? "query" : "queries");
}

Json json(const SymbolicProof& proof) {
  Json result{{"schedule", proof.schedule},
              {"collective", info(proof.collective).name},
              {"machine", proof.machine},
              {"ranks", proof.ranks}};
  if (proof.root) result["root"] = *proof.root;
  result["chunks"] = "all";
  result["solver"] = std::vector{"z3"};
  result["verdict"] = name(proof.verdict);
  result["steps"] = proof.steps.empty() ? Json(nullptr) : Json(proof.steps);
  result["kinds"] = proof.cases;
  result["queries"] = proof.queries;
  result["seconds"] = proof.seconds;
  result["checks"] = Json::array();
  for (const CheckProof& check : proof.checks) {
    result["checks"].push_back({{"check", check.check},
                                {"verdict", name(check.verdict)},
                                {"queries", check.queries},
                                {"seconds", check.seconds}});
  }
  if (const auto& c = proof.counterexample) {
    Json entry{{"check", c->check}, {"chunks", c->chunks}, {"rank", c->rank}, {"step", c->step}};
    for (std::size_t i = 0; i < c->packet.size(); ++i) {
      entry[proof.packet_names[i]] = c->packet[i];
    }
    entry["message"] = fmt::format("rank {} {}", c->rank, c->what);
    result["counterexample"] = std::move(entry);
  }
  return result;
}

}  // namespace

std::string subject(const SymbolicProof& proof) {
  return fmt::format("{}, {} ranks{}, every K >= 1, {} on {}", info(proof.collective).name,
                     proof.ranks, proof.root ? fmt::format(", root {}", *proof.root) : "",
                     proof.schedule, proof.machine);
}

std::string steps_clause(const SymbolicProof& proof) {
  return proof.steps.empty()
             ? ""
             : fmt::format(", {} step{}", proof.steps, proof.steps == "1" ? "" : "s");
}

std::string counterexample_text(const SymbolicProof& proof) {
  if (!proof.counterexample) return "";
  const Counterexample& c = *proof.counterexample;
  return fmt::format("{}: with K = {}, rank {} {} in step {}{}{}\n", c.check, c.chunks, c.rank,
                     c.what, c.step, c.packet.empty() ? "" : ": ",
                     packet_text(proof.packet_names, c.packet));
}

std::string to_text(const SymbolicProof& proof) {
  std::string out;
  for (const CheckProof& check : proof.checks) {
    out += fmt::format("{}: {} ({}, {:.2f} s)\n", check.check, name(check.verdict),
                       queries_text(check.queries), check.seconds);
  }
  out += counterexample_text(proof);
  return out + fmt::format("{}: {}{} ({} of ranks, {}, {:.2f} s)\n", subject(proof),
                           name(proof.verdict), steps_clause(proof), counted(proof.cases, "kind"),
                           queries_text(proof.queries), proof.seconds);
}

std::string to_json(const SymbolicProof& proof) { return dump(json(proof)); }

}  // namespace schedcc::prover
