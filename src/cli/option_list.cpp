// The list of all options: one row each. Which command takes which is in options.cpp.

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "cli/option_set.hpp"
#include "schedcc/error.hpp"

namespace schedcc::cli {

namespace {

constexpr std::array all_options{
    // The problem.
    Option{"collective", 0, "C", "collective, as 'schedcc list collectives' names it"},
    Option{"machine", 0, "M", "machine, NAME[:key=value,...]"},
    Option{"ranks", 0, "P", "number of ranks", "", 1},
    Option{"root", 0, "R", "rank of the root", "0"},
    Option{"chunks", 0, "K", "packets of a message, or chunks of a block", "1", 1},
    Option{"block-sizes", 0, "FILE", "irregular blocks: the number of chunks of each"},
    Option{"ordered", 0, "", "the operator of a reduction does not commute"},
    Option{"algorithms", 0, "A,...", "algorithms, NAME[:key=value,...]"},
    Option{"generator", 0, "COMMAND",
           "a program that prints the schedule, as .sched, for --ranks, --chunks and --root, "
           "instead of an algorithm or a file"},
    // Files that are read.
    Option{"from", 0, "FORMAT", "format of FILE", "by its content or extension"},
    Option{"problem", 0, "FILE",
           "the header of a schedule, which states the problem of a program whose collective is "
           "'custom'"},
    Option{"runtime", 0, "msccl|rccl", "the runtime that a program is for", "as its file states"},
    Option{"strict-format", 0, "", "notes on the format of a file are errors"},
    // Programs that are recorded.
    Option{"recorder", 0, "FILE", "the library to be preloaded into an MPI program",
           "libschedcc-record.so, next to schedcc or as installed"},
    // What is written.
    Option{"emit", 0, "FORMAT", "format to write, NAME[:key=value,...]",
           "by the extension of -o, else sched"},
    Option{"output", 'o', "FILE", "file to write; '-' is standard output"},
    Option{"level", 0, "endpoint|hop",
           "write messages between ranks, or their hops over the links of a routed machine"},
    // Checks.
    Option{"checks", 0, "A,...", "checks to run", "all that apply"},
    Option{"no-verify", 0, "", "do not check the schedule"},
    Option{"sample", 0, "N",
           "check N ranks, each in a step, both at random, instead of the whole schedule", "", 1},
    Option{"seed", 0, "S", "of the random numbers of --sample", "1"},
    Option{"verify", 0, "", "check the schedule first, and write it only if every check holds"},
    Option{"strict", 0, "", "warnings are errors"},
    Option{"same-as", 0, "SOURCE",
           "compare the sums with those of this schedule: an algorithm for the same problem, or a "
           "file"},
    Option{"blocking", 0, "sendrecv|send-first|recv-first|program",
           "how the calls of a rank in a step block"},
    Option{"eager", 0, "N", "messages that are buffered per pair of ranks; 0: rendezvous"},
    Option{"fifo", 0, "N", "programs: messages that the FIFO of a channel holds",
           "by protocol and message sizes", 1, UINT32_MAX},
    Option{"max-buffer", 0, "N", "length of the longest queue that is allowed", "no limit"},
    Option{"max-findings", 0, "N", "number of findings to report", "", 0, UINT32_MAX},
    Option{"jobs", 'j', "N", "threads that check the schedule; 0: one per processor", "", 0, 1024},
    // Costs.
    Option{"bytes", 0, "N", "size of the message, or of a block: 4096, 4MiB, 1.5MB"},
    Option{"points", 0, "N", "number of sizes in a range, at equal ratios",
           "each size is twice the previous", 2, 100000},
    Option{"alpha", 0, "TIME", "start-up time of a message: 10us"},
    Option{"beta", 0, "TIME/SIZE", "time per byte, or bandwidth: 0.1ns/B, 10GB/s"},
    Option{"model", 0, "MODEL", "cost model, NAME[:key=value,...]",
           "machine, if a machine file is named, else alpha-beta"},
    Option{"receive", 0, "call|arrival",
           "LogP, LogGP: when a receive occupies its rank, from its call on or only after the "
           "message has arrived (as in LogGOPSim)",
           "call"},
    Option{"critical-path", 0, "", "list the messages that determine the asynchronous time"},
    Option{"improvement", 0, "A",
           "report how much faster algorithm A is than the best of the others"},
    Option{"reproducible", 0, "",
           "only schedules in which all ranks evaluate a sum in the same order (check agreement)"},
    Option{"csv", 0, "", "report as comma-separated values on standard output"},
    // Lists.
    Option{"files", 0, "", "machines: list the machine files of real systems"},
    Option{"names", 0, "", "algorithms: list only their names in Open MPI, MPICH, NCCL and UCC"},
    // Explanations.
    Option{"rank", 0, "R", "the rank that holds, or should hold, the chunk", "", 0, UINT32_MAX},
    Option{"chunk", 0, "C", "the chunk", "", 0, UINT32_MAX},
    Option{"step", 0, "T", "what is held at the beginning of step T", "at the end"},
    // Proofs.
    Option{"all-chunks", 0, "", "prove the formula of an algorithm for every number of chunks"},
    Option{"steps", 0, "T", "decide whether T steps are enough", "find the least T", 0, UINT32_MAX},
    Option{"rounds", 0, "N",
           "topologies without ports: rounds that the steps share, each at least one", "", 1,
           UINT32_MAX},
    Option{"no-wait", 0, "", "machines with routers: no packet waits on its route"},
    Option{"pareto", 0, "", "the least steps (and rounds) for each of 1, 2, ..., K chunks"},
    Option{"assume-bound", 0, "", "take the lower bound by counting as proved, and start there"},
    Option{"timeout", 0, "S", "stop after S seconds", "no limit"},
    Option{"memory", 0, "SIZE", "stop when more than SIZE of memory is in use: 4GiB",
           "half of the machine's"},
    Option{"solver", 0, "NAME", "cadical, z3, or both, which confirm each other"},
    Option{"smt2", 0, "FILE",
           "write the query in SMT-LIB; without --steps, the query of the largest T refuted"},
    Option{"certificate", 0, "DIR",
           "write each refuted query, with its proof (DRAT), into a folder of its own"},
    // Sweeps.
    Option{"roots", 0, "all|first", "every root, or root 0"},
    Option{"shard", 0, "I/N", "only the I-th of N parts of the cases, I = 1..N"},
    Option{
        "resume", 0, "FILE",
        "keep in FILE what has been checked; if a sweep that was interrupted has left FILE, go on "
        "from there",
        "an interrupted sweep begins anew"},
    // All commands.
    Option{"json", 0, "", "report as JSON on standard output"},
    Option{"json-lines", 0, "", "report as JSON, a report in each line"},
    Option{"format", 0, "text|json|json-lines|github|sarif|junit",
           "report format: text, JSON, annotations of GitHub, SARIF or JUnit's XML"},
    Option{"quiet", 0, "", "report errors only"},
    Option{"color", 0, "auto|always|never", "when to colour messages"},
    Option{"help", 'h', "", "print this text"},
    Option{"version", 'V', "", "print the version"},
};

}  // namespace

const Option& find_option(std::string_view name) {
  const auto found = std::ranges::find(all_options, name, &Option::name);
  if (found == all_options.end())
    throw InternalError(fmt::format("no option --{} in the list", name));
  return *found;
}

}  // namespace schedcc::cli
