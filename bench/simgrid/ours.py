"""schedcc's choices: what `tune` ranks first, compiled to traces, which SimGrid replays."""

import concurrent.futures
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

    def choices(self, platform, collective, ranks, count):
        """The first choice of each search, then the second ones, and so on, each once; and the least lower bound, in
        seconds."""
        searches = platform.searches(self.folder, ranks)
        found = [json.loads(self.call("tune", "--collective", collective, "--ranks", ranks, "--bytes",
                                      schedcc_bytes(collective, ranks, count), *search, "--json"))["sizes"][0]
                 for search in [*searches, *platform.searches_for_overlap(ranks)]]
        lists = [study["choices"] for study in found]
        result = {}
        for place in range(self.candidates):
            for choices in lists:
                if place < len(choices):
                    result.setdefault(choices[place]["command"], choices[place])
        bounds = [study["lower_bound"] for study in found[:len(searches)]]
        return list(result.values())[:self.candidates], min(bound["seconds"] for bound in bounds if bound)

    def traces(self, choice, collective, ranks, count, name, form=""):
        path = self.folder / f"{name}.lst"
        self.call(*shlex.split(choice["command"])[1:], "--emit",
                  f"ti:message={schedcc_bytes(collective, ranks, count)}{form}", "-o", path)
        return path

    def seconds(self, platform, cluster, collective, count):
        """The best choice in words, its simulated time, and the lower bound; None if none is simulated within the limit."""
        times = []
        choices, bound = self.choices(platform, collective, cluster.ranks, count)
        for place, choice in enumerate(choices):
            name = f"{platform.name}-{collective}-{cluster.ranks}-{count}-{place}"
            for form, protocols in platform.replays:
                traces = self.traces(choice, collective, cluster.ranks, count, name, form)
                for protocol in protocols:
                    try:
                        times.append((cluster.replay(traces, [protocol], self.limit), choice, form))
                    except simgrid.TooLong:
                        pass
                subprocess.run(["rm", "-r", traces, f"{traces}.d"], check=True)
        if not times:
            return None
        seconds, choice, form = min(times, key=lambda found: found[0])
        words = f"{choice['algorithm']}, {choice['chunks']} chunk{'s' * (choice['chunks'] != 1)}"
        return words + form.replace(",", ", "), seconds, bound

    def all_seconds(self, platform, cluster, collective, sizes, jobs):
        """By size what `seconds` finds."""
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            found = pool.map(lambda count: self.seconds(platform, cluster, collective, count), sizes)
            return {count: result for count, result in zip(sizes, found) if result}
