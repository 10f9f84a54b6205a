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
  static constexpr std::array<Command, 7> table{{
      {"list", "what there is: algorithms, collectives, machines, checks, formats, models",
       "list [algorithms|collectives|machines|checks|formats|models]",
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
      {"cost", "what a schedule takes in time, beside formula and bound", "cost SOURCE [options]",
       "Steps, bytes and time of a schedule under a cost model, by a synchronous and an "
       "asynchronous\n"
       "clock, beside the paper's formula and the lower bounds. Parameters of an algorithm and "
       "--chunks\n"
       "that are not given are those that take the least time. The schedule is checked first.",
       "  schedcc cost fractional-tree --ranks 1024 --bytes 4MiB --alpha 10us --beta 0.1ns/B\n"
       "  schedcc cost chain --ranks 4 --bytes 1MB --chunks 10 --alpha 10us --beta 1GB/s "
       "--critical-path\n"
       "  schedcc cost karp --ranks 8 --bytes 1 --machine logp:L=6,o=2,g=4 --model "
       "logp:L=6us,o=2us,g=4us\n"
       "  schedcc cost tree.sched --bytes 64KiB --model bsp:l=20us,g=1ns/B --json\n",
       cost},
      {"tune", "the best algorithm, parameters and chunks for a size", "tune [options]",
       "Compares all algorithms that serve a problem, with all their parameters, and names the "
       "best. "
       "Over\n"
       "a range of sizes: the best of each, and the sizes at which it changes. With -o FILE.svg: a "
       "plot.",
       "  schedcc tune --collective allreduce --ranks 64 --bytes 1MiB --alpha 10us --beta 0.1ns/B\n"
       "  schedcc tune --collective broadcast --ranks 1024 --bytes 1KiB..16MiB --alpha 10us --beta "
       "10GB/s\n"
       "  schedcc tune --algorithms chain,binary-tree,fractional-tree --improvement "
       "fractional-tree \\\n"
       "    --ranks 64,1024,16384 --bytes 1MB..1TB --points 121 --alpha 1us --beta 1ps/B -o "
       "figure3.svg\n",
       tune},
      {"prove", "decide whether a schedule exists, and find the least number of steps",
       "prove [FILE | ALGORITHM --all-chunks] [options]",
       "Decides for all schedules at once: with --steps T whether there is one with T steps (0: "
       "yes,\n"
       "1: no), else what the least T is, showing each T tried. Every T below it is refuted by "
       "the\n"
       "solver. A schedule that is found has passed every check; -o writes it. Messages carry one "
       "chunk\nwhere the machine has no width. 3: undecided, with what is known.\n\nA FILE states "
       "the "
       "problem, a custom collective perhaps, and the machine; the steps in it do\n"
       "not matter. With --all-chunks the schedule of an algorithm, a formula, is proved for every "
       "K\n"
       "at once.",
       "  schedcc prove --collective broadcast --ranks 8 --chunks 2\n"
       "  schedcc prove --collective allreduce --ranks 6 --machine simplex -o best.sched\n"
       "  schedcc prove --collective alltoall --ranks 8 --machine ebft --steps 10 --certificate "
       "no/\n"
       "  schedcc prove schedules/halo-exchange.sched --machine simplex\n"
       "  schedcc prove --collective allgather --ranks 8 --chunks 6 --pareto \\\n"
       "    --machine topology:schedules/topologies/dgx1.json\n"
       "  schedcc prove fractional-tree:r=8 --ranks 4096 --all-chunks\n"
       "  schedcc prove butterfly --ranks 2^40 --all-chunks\n",
       prove},
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
