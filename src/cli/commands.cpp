#include "cli/commands.hpp"

#include <algorithm>
#include <array>

namespace schedcc::cli {

Status worse(Status a, Status b) {
  for (const Status status : {fault, bad_input, violated, undecided}) {
    if (a == status || b == status) return status;
  }
  return ok;
}

Status status_of(const Report& report) {
  if (report.below_bound) return fault;
  switch (report.verdict()) {
    case Verdict::holds:
      return ok;
    case Verdict::violated:
      return violated;
    case Verdict::unknown:
      break;
  }
  return undecided;
}

std::span<const Command> commands() {
  static constexpr std::array<Command, 4> table{{
      {"list", "what there is: algorithms, collectives, machines, checks, formats",
       "list [algorithms|collectives|machines|checks|formats]",
       "Lists what schedcc knows, with parameters and sources.",
       "  schedcc list\n"
       "  schedcc list algorithms\n",
       list},
      {"compile", "build a schedule, check it, and emit it", "compile SOURCE [options]",
       "Builds the schedule that SOURCE names, checks it, and emits it. SOURCE is an algorithm,\n"
       "NAME[:key=value,...], or a file in a format that schedcc reads ('-': standard input). A\n"
       "schedule that fails its checks is not emitted. The report goes to standard error.",
       "  schedcc compile chain --ranks 8 --chunks 4\n"
       "  schedcc compile fractional-tree:r=3 --ranks 64 --chunks 24 --emit cpp -o tree.hpp\n"
       "  schedcc compile karp --ranks 8 --machine logp:L=6,o=2,g=4 --emit dot | dot -Tsvg -o "
       "karp.svg\n"
       "  schedcc compile xor --ranks 8 --level hop -o hops.sched\n"
       "  schedcc compile ring --collective allreduce --ranks 5 --chunks 10 --json\n"
       "  schedcc compile linear --collective scatter --ranks 3 --block-sizes sizes.txt\n",
       compile},
      {"verify", "check schedules from files", "verify FILE... [options]",
       "Checks each schedule and reports on standard output. '-' is standard input.",
       "  schedcc verify schedules/*.sched\n"
       "  schedcc verify ring.sched --blocking send-first --eager 1\n"
       "  schedcc compile pairwise --ranks 16 | schedcc verify - --machine kport:k=2 --json\n",
       verify},
      {"sweep", "compile and check a whole range of problems", "sweep [options]",
       "Compiles and checks algorithms over ranges of ranks, chunks and roots, each on the machine "
       "that\n"
       "it was made for (or on --machine), and prints a line per algorithm.",
       "  schedcc sweep --ranks 2..64 --chunks 1..16 -j 2\n"
       "  schedcc sweep --algorithms chain,ring --ranks 2..9,100 --roots first\n"
       "  schedcc sweep --algorithms circulant --ranks 2..2000 --shard 3/8\n",
       sweep},
  }};
  return table;
}

}  // namespace schedcc::cli
