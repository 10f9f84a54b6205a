// schedcc prove ALGORITHM --all-chunks: a closed form, proved for every number of chunks.

#include <algorithm>
#include <bit>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "prover/symbolic.hpp"
#include "schedcc/error.hpp"
#include "schedcc/registry.hpp"

namespace schedcc::cli {

namespace {

using namespace prover;
using Json = nlohmann::ordered_json;

void check_usage(const Options& o) {
  if (o.arguments.size() != 1) {
    throw UsageError("--all-chunks is about one algorithm: prove ALGORITHM --all-chunks");
  }
  const std::pair<bool, const char*> others[] = {
      {o.chunks.has_value(), "--chunks"}, {o.steps.has_value(), "--steps"},
      {o.rounds.has_value(), "--rounds"}, {o.pareto, "--pareto"},
      {o.assume_bound, "--assume-bound"}, {o.no_wait, "--no-wait"},
      {o.ordered, "--ordered"},           {o.emit.has_value(), "--emit"},
      {o.output.has_value(), "--output"}};
  for (const auto& [given, name] : others) {
    if (given) {
      throw UsageError(
          fmt::format("{} does not go with --all-chunks, which is about every schedule "
                      "of a closed form",
                      name));
    }
  }
  if (o.solver && *o.solver != "z3") {
    throw UsageError("--all-chunks asks about numbers without a bound: the solver is z3");
  }
  if (!o.ranks) throw UsageError("prove needs --ranks");
}

/// What is to be proved.
struct Theorem {
  std::string schedule;
  Collective collective;
  Machine machine;
  bool own_machine;  ///< the algorithm was made for it
  ClosedForm form;
};

[[noreturn]] void refuse(std::string_view algorithm, const std::string& why) {
  throw InputError(fmt::format("no proof of '{}' for every K: {}", algorithm, why));
}

const ClosedFormEntry& entry_of(std::string_view algorithm) {
  std::vector<std::string_view> names;
  for (const ClosedFormEntry& entry : closed_forms()) {
    if (entry.algorithm == algorithm) return entry;
    names.push_back(entry.algorithm);
  }
  refuse(algorithm, fmt::format("it has no closed form that the prover knows; there is one for {}",
                                fmt::join(names, ", ")));
}

Collective collective_of(const Options& options, const Algorithm& algorithm,
                         const ClosedForm& form) {
  const Collective first = algorithm.collectives.front();
  if (!options.collective) return first;
  const Collective asked = find_collective(*options.collective);
  const bool reversed = (first == Collective::broadcast && asked == Collective::reduce) ||
                        (first == Collective::allgather && asked == Collective::reduce_scatter);
  if (asked != first && !(form.reversible && reversed)) {
    refuse(algorithm.name, fmt::format("its closed form is that of {}{}", info(first).name,
                                       !form.reversible                 ? ""
                                       : first == Collective::broadcast ? " and reduce"
                                                                        : " and reduce-scatter"));
  }
  return asked;
}

void check_machine(const Theorem& theorem, std::string_view algorithm) {
  const Machine& machine = theorem.machine;
  if (theorem.form.links ? machine.spec != "fattree:cap=exponential" && machine.spec != "ebft"
                         : !machine.ports || machine.channels || machine.network) {
    refuse(algorithm, fmt::format("the rules of machine '{}' are not those of its closed form, {}",
                                  machine.spec,
                                  theorem.form.links ? "which is made for fattree:cap=exponential"
                                                     : "which are about ports alone"));
  }
  const bool blocks =
      theorem.form.kind == PacketKind::block || theorem.form.kind == PacketKind::pair;
  if (blocks && machine.width != 0) {
    refuse(algorithm, "its messages are blocks of K chunks, and the machine has a width");
  }
}

/// The number of steps that the catalogue promises is the formula's, where it can be asked.
void compare_promise(const Algorithm& algorithm, Request request, const ClosedForm& form) {
  if (form.ranks > 4096) return;
  for (const std::uint32_t K : {1U, 2U, 3U, 7U, 30U}) {
    request.problem.chunks = K;
    if (algorithm.reason(request)) continue;
    const std::uint64_t promised = algorithm.promise(request).steps;
    if (promised != evaluate(form.steps, {{"K", K}})) {
      throw InternalError(fmt::format("the catalogue promises {} steps for K = {}, not {}",
                                      promised, K, form.steps_text));
    }
  }
}

Theorem theorem_of(const Options& options) {
  const Spec spec = Spec::parse(options.arguments.front());
  const Algorithm& algorithm = find_algorithm(spec.name);
  const ClosedFormEntry& entry = entry_of(algorithm.name);
  Request request;
  request.parameters =
      spec.check(algorithm.parameters, fmt::format("algorithm '{}'", algorithm.name));
  const std::uint64_t P = *options.ranks;
  const std::uint64_t root = options.root.value_or(0);
  if (entry.powers_of_two && !std::has_single_bit(P)) {
    refuse(algorithm.name, fmt::format("it needs P = 2^h ranks, and {} is no power of two", P));
  }
  if (P < 2 || P > entry.most_ranks) {
    refuse(algorithm.name,
           fmt::format("the prover takes 2 to {} ranks of it, not {}", entry.most_ranks, P));
  }
  if (options.root && !info(algorithm.collectives.front()).rooted) {
    throw UsageError(fmt::format("{} has no root", info(algorithm.collectives.front()).name));
  }
  if (root >= P)
    throw InputError(fmt::format("root {} is not one of the ranks 0..{}", root, P - 1));

  Theorem theorem;
  theorem.schedule = spec.text();
  // A machine of ports has the same rule for all ranks, and ebft one for every height.
  const auto some_ranks = static_cast<Rank>(std::min<std::uint64_t>(P, 1024));
  theorem.machine = make_machine(
      options.machine.value_or(algorithm.machines_for(request.parameters).front()), some_ranks);
  request.machine = theorem.machine;
  request.problem.collective = algorithm.collectives.front();
  request.problem.ranks = static_cast<Rank>(std::min<std::uint64_t>(P, UINT32_MAX - 1));
  request.problem.root = static_cast<Rank>(std::min<std::uint64_t>(root, UINT32_MAX - 1));
  if (const auto why = entry.refuse(request)) refuse(algorithm.name, *why);
  theorem.form = entry.make(algorithm, request, P);
  theorem.form.root = root;
  theorem.form.simplex = theorem.machine.ports && theorem.machine.ports->both == 1;
  theorem.own_machine =
      std::ranges::find(algorithm.machines, theorem.machine.name) != algorithm.machines.end() ||
      theorem.form.links;
  theorem.collective = collective_of(options, algorithm, theorem.form);
  check_machine(theorem, algorithm.name);
  compare_promise(algorithm, request, theorem.form);
  return theorem;
}

/// Collects what the solver was asked.
class Queries {
 public:
  explicit Queries(const Options& options) {
    if (options.smt2) file_ = std::make_unique<FileOutput>(*options.smt2);
    if (!options.certificate) return;
    folder_ = *options.certificate;
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) throw OutputError(fmt::format("cannot make {}: {}", folder_, error.message()));
  }
  void add(const std::string& check, const std::string& text, Answer answer) {
    // What was satisfiable was asked with fewer conditions than there are, or is the end.
    if (answer == Answer::sat) return;
    ++count_;
    if (file_) file_->write(count_ == 1 ? text : "(reset)\n" + text);
    if (folder_.empty()) return;
    FileOutput query(fmt::format("{}/{:04}-{}.smt2", folder_, count_, check));
    query.write(text);
    query.commit();
  }
  void commit() {
    if (file_) file_->commit();
  }

 private:
  std::unique_ptr<FileOutput> file_;
  std::string folder_;
  std::uint64_t count_ = 0;
};

const char* const packet_names[][3] = {
    {"packet"}, {"block"}, {"from", "to"}, {"from", "to", "packet"}};

std::string packet_text(const ClosedForm& form, const std::vector<std::uint64_t>& packet) {
  std::string text;
  for (std::size_t i = 0; i < packet.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ",
                        packet_names[static_cast<std::size_t>(form.kind)][i], packet[i]);
  }
  return text;
}

std::string queries_text(std::uint64_t n) {
  return fmt::format("{} {}", n, n == 1 ? "query" : "queries");
}

std::string text(const Theorem& theorem, const SymbolicProof& proof) {
  const ClosedForm& form = theorem.form;
  std::string out;
  for (const CheckProof& check : proof.checks) {
    out += fmt::format("{}: {} ({}, {:.2f} s)\n", check.check, name(check.verdict),
                       queries_text(check.queries), check.seconds);
  }
  if (const auto& c = proof.counterexample) {
    out +=
        fmt::format("{}: with K = {}, rank {} {} in step {}{}{}\n", c->check, c->chunks, c->rank,
                    c->what, c->step, c->packet.empty() ? "" : ": ", packet_text(form, c->packet));
  }
  const CollectiveInfo& collective = info(theorem.collective);
  const std::string root = collective.rooted ? fmt::format(", root {}", form.root) : "";
  return out + fmt::format(
                   "{}, {} ranks{}, every K >= 1, {} on {}: {}, {} steps ({} of ranks, {}, "
                   "{:.2f} s)\n",
                   collective.name, form.ranks, root, theorem.schedule, theorem.machine.spec,
                   name(proof.verdict), form.steps_text,
                   proof.cases == 1 ? "1 kind" : fmt::format("{} kinds", proof.cases),
                   queries_text(proof.queries), proof.seconds);
}

Json json(const Theorem& theorem, const SymbolicProof& proof) {
  const ClosedForm& form = theorem.form;
  Json result{{"schedule", theorem.schedule},
              {"collective", info(theorem.collective).name},
              {"machine", theorem.machine.spec},
              {"ranks", form.ranks}};
  if (info(theorem.collective).rooted) result["root"] = form.root;
  result["chunks"] = "all";
  result["solver"] = Json::array({"z3"});
  result["verdict"] = name(proof.verdict);
  result["steps"] = form.steps_text;
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
      entry[packet_names[static_cast<std::size_t>(form.kind)][i]] = c->packet[i];
    }
    entry["message"] = fmt::format("rank {} {}", c->rank, c->what);
    result["counterexample"] = std::move(entry);
  }
  return result;
}

}  // namespace

Status prove_all_chunks(const Options& options) {
  check_usage(options);
  const Theorem theorem = theorem_of(options);
  Queries queries(options);

  const Interrupts interrupts;
  SymbolicOptions search;
  search.limits.stop = &Interrupts::interrupted;
  if (options.timeout) {
    search.limits.deadline =
        Limits::Clock::now() + std::chrono::duration_cast<Limits::Clock::duration>(
                                   std::chrono::duration<double>(*options.timeout));
  }
  Progress progress(theorem.schedule, !options.quiet);
  std::atomic<std::uint64_t> asked = 0;
  search.limits.tick = [&] { progress.show(asked, "queries"); };
  search.query = [&](const std::string& check, const std::string& text, Answer answer) {
    ++asked;
    queries.add(check, text, answer);
  };
  const SymbolicProof proof = prove(theorem.form, search);
  queries.commit();

  StandardOutput standard;
  if (options.json) {
    standard.write(dump(json(theorem, proof)));
  } else if (!options.quiet || proof.verdict != Verdict::holds) {
    standard.write(text(theorem, proof));
  }
  if (proof.verdict == Verdict::unknown) return undecided;
  if (proof.verdict == Verdict::holds) return ok;
  return theorem.own_machine ? fault : violated;
}

}  // namespace schedcc::cli
