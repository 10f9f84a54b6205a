"""schedcc's choices: what `tune` ranks first, compiled to traces, which SimGrid replays."""

import concurrent.futures
import json
import pathlib
import shlex
import subprocess

import simgrid

# Of these the bytes are P blocks, and `--bytes` is that of one.
IN_BLOCKS = ("scatter", "gather", "allgather", "reduce-scatter", "alltoall")


def schedcc_bytes(collective, ranks, count):
    """`--bytes` of schedcc for vectors of so many bytes."""
    return count // ranks if collective in IN_BLOCKS else count


def receives_first(trace, ranks):
    """The trace with the receives of each step before its sends, which take time if there are overheads: messages to a
    rank need not wait for its sends. The sends begin with that to the next rank, so that not all are to the same one."""
    result, sends = [], []
    for line in trace.splitlines(keepends=True):
        rank, call, *rest = line.split()
        if call == "isend":
            sends.append(((int(rest[0]) - int(rank)) % ranks, line))
            continue
        if call != "irecv":
            result += [send for _, send in sorted(sends)]
            sends = []
        result.append(line)
    return "".join(result)


class Ours:
    def __init__(self, schedcc, folder, limit, candidates):
        self.schedcc, self.folder, self.limit, self.candidates = schedcc, folder, limit, candidates

    def call(self, *arguments):
        return subprocess.run([self.schedcc, *map(str, arguments), "--quiet"], check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def choices(self, platform, collective, ranks, count):
        """The first choice of each search, then the second ones, and so on, each once; and the least lower bound, in
        seconds."""
        searched = [json.loads(self.call("tune", "--collective", collective, "--ranks", ranks, "--bytes",
                                         schedcc_bytes(collective, ranks, count), *search, "--json"))
                    for search in platform.searches(self.folder, ranks)]
        lists = [study["sizes"][0]["choices"] for study in searched]
        result = {}
        for place in range(self.candidates):
            for choices in lists:
                if place < len(choices):
                    result.setdefault(choices[place]["command"], choices[place])
        bounds = [study["sizes"][0]["lower_bound"] for study in searched]
        return list(result.values())[:self.candidates], min(bound["seconds"] for bound in bounds if bound)

    def traces(self, choice, collective, ranks, count, name):
        path = self.folder / f"{name}.lst"
        self.call(*shlex.split(choice["command"])[1:], "--emit",
                  f"ti:message={schedcc_bytes(collective, ranks, count)}", "-o", path)
        return path

    def seconds(self, platform, cluster, collective, count):
        """The best choice in words, its simulated time, and the lower bound; None if none is simulated within the limit."""
        times = []
        choices, bound = self.choices(platform, collective, cluster.ranks, count)
        for place, choice in enumerate(choices):
            name = f"{platform.name}-{collective}-{cluster.ranks}-{count}-{place}"
            traces = self.traces(choice, collective, cluster.ranks, count, name)
            if platform.overhead:
                for trace in traces.read_text().split():
                    pathlib.Path(trace).write_text(receives_first(pathlib.Path(trace).read_text(), cluster.ranks))
            for protocol in platform.protocols:
                try:
                    times.append((cluster.replay(traces, [protocol], self.limit), choice))
                except simgrid.TooLong:
                    pass
            subprocess.run(["rm", "-r", traces, f"{traces}.d"], check=True)
        if not times:
            return None
        seconds, choice = min(times, key=lambda found: found[0])
        return f"{choice['algorithm']}, {choice['chunks']} chunk{'s' * (choice['chunks'] != 1)}", seconds, bound

    def all_seconds(self, platform, cluster, collective, sizes, jobs):
        """By size what `seconds` finds."""
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            found = pool.map(lambda count: self.seconds(platform, cluster, collective, count), sizes)
            return {count: result for count, result in zip(sizes, found) if result}
