"""The collective algorithms that SMPI ships, timed by a program that verifies their results (shipped.cpp)."""

import concurrent.futures
import json
import math
import pathlib
import re
import subprocess
import threading

import simgrid

# What SMPI calls a collective in its options, where it has another name than here.
OPTIONS = {"broadcast": "bcast", "reduce-scatter": "reduce_scatter"}
# An algorithm that takes so many times as long as schedcc's choice is not simulated to its end; more, if all do.
FACTORS = (2, 8, 64)
MOST_VERIFIED = 1 << 27  # bytes of the vectors of all ranks


def option(collective, algorithm):
    return f"smpi/{OPTIONS.get(collective, collective)}:{algorithm}"


class Shipped:
    """`kept` is a file of results, or None; `only`: the algorithms, if not all. A result is a time in seconds, or a word
    for why there is none; [x] is a time above x."""

    def __init__(self, folder, limit, jobs, kept, only=()):
        self.folder, self.limit, self.jobs, self.kept, self.only = folder, limit, jobs, kept, only
        self.program = folder / "shipped"
        self.known = json.loads(kept.read_text()) if kept and kept.exists() else {}
        self.lock = threading.Lock()
        source = pathlib.Path(__file__).resolve().parent / "shipped.cpp"
        subprocess.run(["smpicxx", "-O2", f"-DMOST_VERIFIED={MOST_VERIFIED}", source, "-o", self.program], check=True)

    def names(self, cluster, collective):
        """The algorithms, as SMPI itself lists them."""
        try:
            cluster.run(self.program, collective, "alone", "1:1", configuration=[option(collective, "?")])
        except simgrid.Failure as failure:
            listed = re.search(r"Valid algorithms: (.*)\.", str(failure))
            # `automatic` is none: it times all the others.
            return [name for name in listed[1].split(", ") if name != "automatic" and (not self.only or name in self.only)]
        raise SystemExit("SMPI knows an algorithm '?'")

    def times(self, platform, cluster, collective, ours):
        """By number of bytes and (algorithm, protocol) the result. `ours`: what schedcc's choice takes for each size."""
        table = {count: {} for count in ours}
        runs = [(name, protocol) for name in self.names(cluster, collective) for protocol in platform.protocols]
        for factor in FACTORS:
            left = {count: factor * seconds for count, seconds in ours.items()
                    if not any(isinstance(result, float) for result in table[count].values())}
            with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
                found = pool.map(lambda run: self.known_times(platform, cluster, collective, *run, left), runs)
            for run, results in zip(runs, found):
                for count, result in results.items():
                    table[count][run] = result
        return table

    def known_times(self, platform, cluster, collective, algorithm, protocol, limits):
        key = f"{platform.name} {collective} {cluster.ranks} {protocol} {algorithm}"
        times = self.known.get(key, {})
        # What is not simulated within the limit at one size is not at larger ones.
        beyond = min((int(size) for size, result in times.items() if result == "limit"), default=math.inf)
        times = {str(count): "limit" for count in limits if count > beyond} | times

        def settled(count, limit):
            result = times.get(str(count))
            return result is not None and not (isinstance(result, list) and result[0] < limit)

        missing = {count: limit for count, limit in limits.items() if not settled(count, limit)}
        if missing:
            times = times | self.simulated(platform, cluster, collective, algorithm, protocol, missing)
            with self.lock:
                self.known[key] = times
                if self.kept:
                    self.kept.write_text(json.dumps(self.known, indent=1))
        return {count: self.trusted(times, cluster.ranks, count) for count in limits}

    @staticmethod
    def trusted(times, ranks, count):
        """The result for a size; but if it is not verified, and all smaller sizes fail or are wrong, theirs."""
        smaller = [result for size, result in times.items() if int(size) < count]
        untrue = 2 * ranks * count > MOST_VERIFIED and smaller and all(result in ("fails", "wrong") for result in smaller)
        return smaller[-1] if untrue else times[str(count)]

    def simulated(self, platform, cluster, *what):
        """Results by number of bytes. Sizes that fail with the additional rank are simulated again without it."""
        *call, limits = what
        times = self.timed("watched", platform, cluster, *call, limits)
        failed = {count: limit for count, limit in limits.items() if times[str(count)] == "fails"}
        return times | self.timed("alone", platform, cluster, *call, failed)

    def timed(self, mode, platform, cluster, collective, algorithm, protocol, limits):
        """Results by number of bytes. After a failure or a cut, only the larger sizes are tried."""
        times, sizes = {}, sorted(limits)
        while sizes:
            word = None
            try:
                printed = cluster.run(self.program, collective, mode, *(f"{count}:{1e6 * limits[count]}" for count in sizes),
                                      ranks=cluster.ranks + (mode == "watched"), limit=self.limit,
                                      buffers=2 * cluster.ranks * sizes[-1],
                                      configuration=[option(collective, algorithm), "smpi/wtime:0", protocol])
            except simgrid.TooLong as failure:
                printed, word = failure.printed, "limit"
            except simgrid.Failure as failure:
                printed, word = failure.printed, "fails"
            lines = re.findall(r"^(\d+) (slow|cut|wrong|[\d.]+)$", printed, re.MULTILINE)
            for count, result in lines:
                times[count] = self.checked(platform, int(count), cluster.ranks, result, limits[int(count)])
            sizes = sizes[len(lines):]
            if word == "limit":
                times.update({str(count): word for count in sizes})
                break
            if sizes and (not lines or lines[-1][1] != "cut"):
                times[str(sizes.pop(0))] = word or "fails"
        return times

    @staticmethod
    def checked(platform, count, ranks, word, limit):
        """The result that a printed word is. Who does not receive what the collective brings him is wrong, too."""
        if word in ("slow", "cut"):
            return [limit]
        if word == "wrong" or float(word) * 1e-6 < platform.least(ranks, count) * (1 - 1e-6):
            return "wrong"
        return float(word) * 1e-6
