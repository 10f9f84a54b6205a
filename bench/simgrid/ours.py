"""schedcc's choices: what `tune` ranks first, compiled to traces, which SimGrid replays."""

import concurrent.futures
import dataclasses
import hashlib
import json
import math
import pathlib
import shlex
import subprocess

import platforms
import simgrid

# Of these the bytes are P blocks, and `--bytes` is that of one.
IN_BLOCKS = ("scatter", "gather", "allgather", "reduce-scatter", "alltoall")


@dataclasses.dataclass(order=True)
class Replay:
    """A choice, written as traces in some form, and its simulated time. Of two the faster is the less, and the first."""

    seconds: float
    choice: dict = dataclasses.field(compare=False)
    form: str = dataclasses.field(compare=False)
    traces: pathlib.Path = dataclasses.field(compare=False)
    others: tuple = dataclasses.field(compare=False)  # protocols with which it may be replayed as well


def reached(bound, cluster, platform):
    """Up to this time a choice is at the lower bound: its P - 1 messages over one line have envelopes, which the model
    does not know. With overheads the bound has those of a send and a receive that SMPI may not charge."""
    return bound * (1 + 1e-4) + cluster.ranks * simgrid.ENVELOPE * platforms.GAP - 2 * platform.overhead


def schedcc_bytes(collective, ranks, count):
    """`--bytes` of schedcc for vectors of so many bytes."""
    return count // ranks if collective in IN_BLOCKS else count


class Ours:
    def __init__(self, schedcc, folder, limit, candidates):
        self.schedcc, self.folder, self.limit, self.candidates = schedcc, folder, limit, candidates

    def call(self, *arguments):
        return subprocess.run([self.schedcc, *map(str, arguments), "--quiet"], check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def studies(self, collective, ranks, sizes, search):
        """What `tune` finds for each of the sizes: one call, since it makes each schedule once for all of them."""
        blocks = [schedcc_bytes(collective, ranks, count) for count in sizes]
        return json.loads(self.call("tune", "--collective", collective, "--ranks", ranks, "--bytes",
                                    ",".join(map(str, blocks)), *search, "--json"))["sizes"]

    def choices(self, platform, collective, ranks, sizes):
        """For each of the sizes, in ascending order: the first choice of each search, then the second ones, and so on,
        each once; and the least lower bound, in seconds."""
        searches = [*platform.searches(self.folder, ranks), *platform.searches_for_overlap(ranks)]
        found = [self.studies(collective, ranks, sizes, search) for search in searches]
        return [self.chosen(studies, platform.bounding) for studies in zip(*found)]

    def chosen(self, studies, bounding):
        """The same for the studies of one size; `bounding`: those that have the platform's bounds."""
        lists = [study["choices"] for study in studies]
        result = {}
        for place in range(self.candidates):
            for choices in lists:
                if place < len(choices):
                    result.setdefault(choices[place]["command"], choices[place])
        bounds = [study["lower_bound"] for study in studies[bounding]]
        return list(result.values())[:self.candidates], min(bound["seconds"] for bound in bounds if bound)

    def traces(self, choice, collective, ranks, count, name, form=""):
        path = self.folder / f"{name}.lst"
        self.call(*shlex.split(choice["command"])[1:], "--emit",
                  f"ti:message={schedcc_bytes(collective, ranks, count)}{form}", "-o", path)
        return path

    @staticmethod
    def digest(traces):
        """Equal for traces that differ at most in their comments: so do those of one schedule under two names."""
        result = hashlib.sha256()
        for path in traces.read_text().split():
            text = (traces.parent / path).read_text()
            result.update("".join(line for line in text.splitlines(True) if not line.startswith("#")).encode() + b"\0")
        return result.hexdigest()

    def seconds(self, platform, cluster, collective, count, choices, bound):
        """The first of the best choices in words, and its simulated time; None if none is simulated within the limit.
        None is replayed after one that reaches the lower bound, or with buffered sends but the best without."""
        found, replayed = [], set()
        for place, choice in enumerate(choices):
            name = f"{platform.name}-{collective}-{cluster.ranks}-{count}-{place}"
            for form, protocols in platform.replays:
                traces = self.traces(choice, collective, cluster.ranks, count, name + form.replace(",", "-"), form)
                digest = self.digest(traces)
                if digest not in replayed:
                    replayed.add(digest)
                    seconds = self.replayed(cluster, traces, protocols[0])
                    found.append(Replay(seconds, choice, form, traces, protocols[1:]))
            if min(replay.seconds for replay in found) <= reached(bound, cluster, platform):
                break
        for form, _ in platform.replays:
            best = min((replay for replay in found if replay.form == form), default=None)
            if best and best.seconds > reached(bound, cluster, platform) and self.smallest(best.traces) < simgrid.BUFFER:
                best.seconds = min([best.seconds, *(self.replayed(cluster, best.traces, other) for other in best.others)])
        for traces in self.folder.glob(f"{platform.name}-{collective}-{cluster.ranks}-{count}-*.lst*"):
            subprocess.run(["rm", "-r", traces], check=True)
        best = min(found)
        if best.seconds == math.inf:
            return None
        words = f"{best.choice['algorithm']}, {best.choice['chunks']} chunk{'s' * (best.choice['chunks'] != 1)}"
        return words + best.form.replace(",", ", "), best.seconds

    def replayed(self, cluster, traces, protocol):
        """The simulated time; infinite, if it is not simulated within the limit."""
        try:
            return cluster.replay(traces, [protocol], self.limit)
        except simgrid.TooLong:
            return math.inf

    @staticmethod
    def smallest(traces):
        """The bytes of the smallest message that is sent; infinite, if none is."""
        sizes = [int(line.split()[4]) for path in traces.read_text().split()
                 for line in (traces.parent / path).read_text().splitlines() if " isend " in line or " send " in line]
        return min(sizes, default=math.inf)

    def all_seconds(self, platform, cluster, collective, sizes, jobs):
        """By size, for all of which a choice is simulated within the limit: the best choice in words, its simulated time,
        and the lower bound. The sizes ascend."""
        chosen = dict(zip(sizes, self.choices(platform, collective, cluster.ranks, sizes)))
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            found = pool.map(lambda count: self.seconds(platform, cluster, collective, count, *chosen[count]), sizes)
            return {count: (*result, chosen[count][1]) for count, result in zip(sizes, found) if result}
