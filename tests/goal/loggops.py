"""What a GOAL file takes in the LogGP model, from the meaning of its words and nothing else.

A message of s bytes takes 2o + L + (s - 1) G: its sender and its receiver are busy for o each. Two sends of a
rank, and two receives, are at least max(g, o) apart, and further by (s - 1) G: of a send the bytes follow it into the
network, of a receive they come before it. A rank has one processor. `a requires b`: a begins when b has ended;
`a irequires b`: when b has begun. Sends are buffered. `calc N` takes N nanoseconds. All times are whole nanoseconds.
"""

import collections
import heapq
import itertools
import re

OPERATION = re.compile(r"(\w+): (?:(send|recv) (\d+)b (?:to|from) (\d+) tag (\d+)|(calc) (\d+))(?: cpu 0)?(?: nic 0)?$")
DEPENDENCY = re.compile(r"(\w+) (i?requires) (\w+)$")
Model = collections.namedtuple("Model", "L o g G")


class Operation:
    def __init__(self, kind, size, peer=None, tag=None):
        self.kind, self.size, self.peer, self.tag = kind, size, peer, tag
        self.waits = 0  # for so many others
        self.after_end, self.after_begin = [], []
        self.ready = 0
        self.done = False


def parse(text):
    """The operations of each rank."""
    ranks, labels = [], {}
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("//") or line.startswith("num_ranks") or line == "}":
            continue
        if line.startswith("rank "):
            if int(line.split()[1]) != len(ranks):
                raise ValueError(line)
            ranks.append([])
            labels = {}
        elif match := OPERATION.match(line):
            label, kind, size, peer, tag, calc, time = match.groups()
            operation = Operation("calc", int(time)) if calc else Operation(kind, int(size), int(peer), int(tag))
            labels[label] = operation
            ranks[-1].append(operation)
        elif match := DEPENDENCY.match(line):
            later, how, earlier = match.groups()
            labels[later].waits += 1
            (labels[earlier].after_end if how == "requires" else labels[earlier].after_begin).append(labels[later])
        else:
            raise ValueError(line)
    return ranks


class Simulation:
    def __init__(self, ranks, model):
        self.ranks, self.model = ranks, model
        self.processor = [0] * len(ranks)
        self.last = {"send": [None] * len(ranks), "recv": [None] * len(ranks)}  # its beginning
        self.behind = [0] * len(ranks)  # what the bytes of a rank's last send take
        self.arrived = collections.defaultdict(collections.deque)  # by (receiver, sender, tag)
        self.waiting = collections.defaultdict(collections.deque)
        self.events, self.order = [], itertools.count()
        self.end = 0

    def run(self):
        """The time at which all has ended; None if it never does."""
        for rank, operations in enumerate(self.ranks):
            for operation in operations:
                if operation.waits == 0:
                    self.free(rank, operation, 0)
        while self.events:
            time, _, action, rank, operation = heapq.heappop(self.events)
            action(rank, operation, time)
        return self.end if all(o.done for operations in self.ranks for o in operations) else None

    def at(self, time, action, rank, operation):
        heapq.heappush(self.events, (time, next(self.order), action, rank, operation))

    def free(self, rank, operation, time):
        """Nothing that it depends on is left."""
        if operation.kind != "recv":
            self.at(time, self.begin, rank, operation)
            return
        key = (rank, operation.peer, operation.tag)
        self.waiting[key].append((time, operation))
        self.match(key)

    def arrive(self, rank, operation, time):
        """The last byte of what a send has sent is at `rank`."""
        sender, tag = operation
        self.arrived[rank, sender, tag].append(time)
        self.match((rank, sender, tag))

    def match(self, key):
        if self.arrived[key] and self.waiting[key]:
            ready, operation = self.waiting[key].popleft()
            self.at(max(ready, self.arrived[key].popleft()), self.begin, key[0], operation)

    def begin(self, rank, operation, time):
        start = max(time, self.earliest(rank, operation))
        if start > time:
            self.at(start, self.begin, rank, operation)
            return
        busy = operation.size if operation.kind == "calc" else self.model.o
        self.processor[rank] = start + busy
        if operation.kind != "calc":
            self.last[operation.kind][rank] = start
        if operation.kind == "send":
            self.behind[rank] = (operation.size - 1) * self.model.G
            there = start + self.model.o + self.behind[rank] + self.model.L
            self.at(there, self.arrive, operation.peer, (rank, operation.tag))
        self.release(rank, operation.after_begin, start)
        self.at(start + busy, self.finish, rank, operation)

    def earliest(self, rank, operation):
        start = self.processor[rank]
        if operation.kind == "calc" or self.last[operation.kind][rank] is None:
            return start
        bytes_take = self.behind[rank] if operation.kind == "send" else (operation.size - 1) * self.model.G
        return max(start, self.last[operation.kind][rank] + max(self.model.g, self.model.o) + bytes_take)

    def finish(self, rank, operation, time):
        operation.done = True
        self.end = max(self.end, time)
        self.release(rank, operation.after_end, time)

    def release(self, rank, operations, time):
        for operation in operations:
            operation.waits -= 1
            if operation.waits == 0:
                self.free(rank, operation, time)


def time(text, model):
    """In nanoseconds; None if the file waits for ever."""
    return Simulation(parse(text), model).run()
