// Uses the public headers beyond checks: versions, tuning, proofs, lowering, formats and reports.

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

#include <schedcc/schedcc.hpp>

namespace {

using namespace schedcc;

void require(bool condition, const char* what) {
  if (condition) return;
  std::cerr << "failed: " << what << '\n';
  std::exit(1);
}

/// Does a call throw InputError?
template <typename F>
bool refuses(F call) {
  try {
    call();
  } catch (const InputError&) {
    return true;
  }
  return false;
}

struct StringOutput : Output {
  void write(std::string_view piece) override { text += piece; }
  std::string text;
};

void versions() {
  require(SCHEDCC_VERSION == std::to_string(SCHEDCC_VERSION_MAJOR) + "." +
                                 std::to_string(SCHEDCC_VERSION_MINOR) + "." +
                                 std::to_string(SCHEDCC_VERSION_PATCH),
          "the version is its three numbers");
}

/// An algorithm by name, with a parameter; and refused names and parameters.
void algorithms_by_name() {
  const Source source = from_algorithm("fractional-tree:r=3", {.ranks = 64, .chunks = 24});
  require(source.machine == "duplex" && source.problem.chunks == 24, "the tree is for duplex");
  require(find_algorithm("fractional-tree").serves(Collective::reduce), "it reduces as well");
  for (const char* wrong : {"fractional-tree:r=three", "fractional-tree:q=3", "fractional-tre"})
    require(refuses([&] { from_algorithm(wrong, {.ranks = 64}); }), wrong);
}

/// A report has the same verdict as text and as JSON, and colours if they are requested.
void reports() {
  const Source source = from_algorithm("ring", {.collective = Collective::allgather, .ranks = 4});
  const Report report = check(source, make_machine("simplex", 4));
  require(report.verdict() == Verdict::violated, "a ring needs duplex ranks");
  require(to_text(report).find("ring: violated ports: allgather, 4 ranks") != std::string::npos,
          "the text says so");
  require(to_text(report).find('\x1b') == std::string::npos, "without colours");
  require(to_text(report, true).find('\x1b') != std::string::npos, "with colours");
  require(to_json(report).find("\"verdict\": \"violated\"") != std::string::npos, "so does JSON");
}

/// A format reads what it writes; formats that are only written refuse to read.
void formats_read_what_they_write() {
  const Source source = from_algorithm("chain", {.ranks = 3, .chunks = 2});
  const Format& sched = find_format("sched");
  StringOutput first, second;
  sched.write(source, {}, first);
  sched.write(sched.read(first.text, "chain.sched"), {}, second);
  require(sched.recognises(first.text) && first.text == second.text, "sched is read as written");
  for (const Format* format : formats()) {
    require(format->readable || refuses([&] { format->read(first.text, "chain"); }),
            "what is only written is not read");
  }
}

/// The hops of a fat tree, and the program of a ring for GPUs.
void lowering() {
  const Machine tree = make_machine("fattree:cap=exponential", 8);
  const Source exchange =
      from_algorithm("xor", {.collective = Collective::alltoall, .ranks = 8}, tree.spec());
  const Source hops = at_hop_level(exchange, tree);
  require(hops.has_routers() && check(hops, tree).verdict() == Verdict::holds,
          "the hops are a schedule, too");
  const Source ring =
      from_algorithm("ring", {.collective = Collective::allreduce, .ranks = 4, .chunks = 4});
  const Program program = program::lower(ring, make_machine(ring.machine, 4));
  require(program.gpus.size() == 4 && !program.gpus[0].blocks.empty(), "each rank is a GPU");
}

void tuning() {
  TuneRequest request;
  request.problem = {.ranks = 64};
  request.model = make_cost_model("alpha-beta:alpha=1us,beta=1ns/B");
  require(!reason_against(request.model, make_machine("duplex", 64)), "it is for ranks with ports");
  for (const Algorithm* algorithm : algorithms())
    request.algorithms.push_back({std::string(algorithm->name), {}});
  Tuner tuner(request);
  const auto best = tuner.best(1 << 20);
  require(best && best->seconds > 0 && tuner.choices(1 << 20).front().seconds == best->seconds,
          "the first choice is the best");
  const TuneReport report{request.model, false, {}, {tune(request, {1 << 20, 1 << 24})}};
  const TuneStudy& study = report.studies.front();
  require(study.title() == "broadcast, 64 ranks, root 0 on duplex" &&
              study.sizes.front().choices.front().seconds == best->seconds,
          "a comparison has the same choices");
  require(to_text(report).find("the best of each size") != std::string::npos &&
              to_json(report).find("\"sizes\"") != std::string::npos &&
              to_csv(report).starts_with("collective,"),
          "which the texts show");
}

/// Two chunks to four ranks: the least number of steps. And a proof of the chain for every number
/// of chunks.
void proofs() {
  prover::Question question;
  question.problem = {.ranks = 4, .chunks = 2};
  question.machine = make_machine("duplex", 4);
  question = normalized(question);
  const prover::Outcome least = prover::prove(question);
  require(least.conclusion == prover::Conclusion::optimal && least.least == least.steps,
          "the least number of steps is decided");
  require(check(source(question, least.schedule), question.machine).verdict() == Verdict::holds,
          "with a schedule");
  require(to_text(question, least).find("optimal") != std::string::npos &&
              to_json(question, least).find("\"optimal\"") != std::string::npos,
          "which the texts say");
  prover::Question fewer = question;
  fewer.steps = *least.steps - 1;
  const prover::Outcome none = prover::prove(fewer, {.aim = prover::Aim::exists});
  require(none.conclusion == prover::Conclusion::impossible && !none.schedule &&
              !none.tried.front().refuted.empty(),
          "fewer are refuted");
  const auto proof = prover::prove_all_chunks({.algorithm = "chain", .ranks = 8});
  require(proof.verdict == Verdict::holds && proof.steps == "K + 6" && !proof.counterexample,
          "a chain takes K + P - 2 steps");
}

}  // namespace

int main() {
  versions();
  algorithms_by_name();
  reports();
  formats_read_what_they_write();
  lowering();
  tuning();
  proofs();
}
