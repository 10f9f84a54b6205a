"""schedcc's choices: what `tune` ranks first, compiled to traces, which SimGrid replays."""

import concurrent.futures
import hashlib
import json
import shlex
import subprocess

import simgrid

# Of these the bytes are P blocks, and `--bytes` is that of one.
IN_BLOCKS = ("scatter", "gather", "allgather", "reduce-scatter", "alltoall")


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

    def seconds(self, platform, cluster, collective, count, choices):
        """The first of the best choices in words, and its simulated time; None if none is simulated within the limit."""
        times, replayed = [], set()
        for place, choice in enumerate(choices):
            name = f"{platform.name}-{collective}-{cluster.ranks}-{count}-{place}"
            for form, protocols in platform.replays:
                traces = self.traces(choice, collective, cluster.ranks, count, name, form)
                digest = self.digest(traces)
                for protocol in protocols:
                    if (digest, protocol) in replayed:
                        continue
                    replayed.add((digest, protocol))
                    try:
                        times.append((cluster.replay(traces, [protocol], self.limit), choice, form))
                    except simgrid.TooLong:
                        pass
                subprocess.run(["rm", "-r", traces, f"{traces}.d"], check=True)
        if not times:
            return None
        seconds, choice, form = min(times, key=lambda found: found[0])
        words = f"{choice['algorithm']}, {choice['chunks']} chunk{'s' * (choice['chunks'] != 1)}"
        return words + form.replace(",", ", "), seconds

    def all_seconds(self, platform, cluster, collective, sizes, jobs):
        """By size, for all of which a choice is simulated within the limit: the best choice in words, its simulated time,
        and the lower bound. The sizes ascend."""
        chosen = dict(zip(sizes, self.choices(platform, collective, cluster.ranks, sizes)))
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            found = pool.map(lambda count: self.seconds(platform, cluster, collective, count, chosen[count][0]), sizes)
            return {count: (*result, chosen[count][1]) for count, result in zip(sizes, found) if result}
