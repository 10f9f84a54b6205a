"""The time of a GOAL file in the LogGP model, computed from the definition of the format alone.

A message of s bytes takes 2o + L + (s - 1) G: its sender and its receiver are busy for o each. After a send the rank's
next one begins when the processor is free, and g after the last byte of the first has entered the network; so do
receives at the other end. All times are whole nanoseconds. `calc N` takes N of them. Two readings of a file:

`calls`: each rank makes its calls in the order of the file, one after the other. A receive waits for the last byte and
is then charged.

`events`: an operation begins when those that it `requires` have ended, and those that it `irequires` have begun. A
message occupies its receiver from the first byte on, as soon as that is free, whatever it waits for. That is what
LogGOPSim does (LogGOPSim.cpp), in this order: by time, then by posting; of
operations posted together, sends before receives before calculations. A send of at most `eager` bytes ends when it has
begun; a longer one when its message has met its receive (rendezvous).
"""

import collections
import heapq
import itertools
import re

OPERATION = re.compile(r"(\w+): (?:(send|recv) (\d+)b (?:to|from) (\d+) tag (\d+)|(calc) (\d+))(?: cpu 0)?(?: nic 0)?$")
DEPENDENCY = re.compile(r"(\w+) (i?requires) (\w+)$")
KINDS = ("send", "recv", "calc")
Model = collections.namedtuple("Model", "L o g G")


class Operation:
    def __init__(self, rank, kind, size, peer=None, tag=None):
        self.rank, self.kind, self.size, self.peer, self.tag = rank, kind, size, peer, tag
        self.waits = 0  # for this many others
        self.after_end, self.after_begin = [], []
        self.ended = False


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
            rank = len(ranks) - 1
            operation = Operation(rank, calc, int(time)) if calc else Operation(rank, kind, int(size), int(peer), int(tag))
            labels[label] = operation
            ranks[-1].append(operation)
        elif match := DEPENDENCY.match(line):
            later, how, earlier = match.groups()
            labels[later].waits += 1
            (labels[earlier].after_end if how == "requires" else labels[earlier].after_begin).append(labels[later])
        else:
            raise ValueError(line)
    return ranks


def calls(text, model):
    """The time at which all has ended; None if it never does."""
    ranks = parse(text)
    free, next_send, last_receive = [0] * len(ranks), [0] * len(ranks), [None] * len(ranks)
    on_their_way = collections.defaultdict(collections.deque)  # by (receiver, sender, tag): when the last byte is there
    programs = [collections.deque(operations) for operations in ranks]
    going = True
    while going:
        going = False
        for rank, program in enumerate(programs):
            while program:
                operation = program[0]
                behind = (operation.size - 1) * model.G
                if operation.kind == "recv":
                    message = on_their_way[rank, operation.peer, operation.tag]
                    if not message:
                        break
                    start = max(free[rank], message.popleft())
                    if last_receive[rank] is not None:
                        start = max(start, last_receive[rank] + model.g + behind)
                    last_receive[rank], free[rank] = start, start + model.o
                elif operation.kind == "send":
                    start = max(free[rank], next_send[rank])
                    next_send[rank], free[rank] = start + model.g + behind, start + model.o
                    on_their_way[operation.peer, rank, operation.tag].append(start + model.o + behind + model.L)
                else:
                    free[rank] += operation.size
                program.popleft()
                going = True
    return None if any(programs) else max(free)


class Events:
    def __init__(self, ranks, model, eager):
        self.model, self.eager = model, eager
        self.ranks = ranks
        self.processor, self.next_send, self.next_receive = ([0] * len(ranks) for _ in range(3))
        self.arrived = collections.defaultdict(collections.deque)  # by (receiver, sender, tag): sends
        self.posted = collections.defaultdict(collections.deque)  # receives
        self.queue, self.order = [], itertools.count()

    def run(self):
        for operations in self.ranks:
            self.post([operation for operation in operations if operation.waits == 0])
        handlers = {"send": self.send, "recv": self.receive, "calc": self.calculate, "message": self.message}
        while self.queue:
            time, order, what, operation = heapq.heappop(self.queue)
            start = self.possible(what, operation, time)
            if start > time:
                heapq.heappush(self.queue, (start, order, what, operation))
                continue
            released = handlers[what](operation, time)
            for rank in sorted({o.rank for o in released}):
                self.post([o for o in released if o.rank == rank])
        ended = all(operation.ended for operations in self.ranks for operation in operations)
        return max(self.processor) if ended else None

    def post(self, operations):
        for operation in sorted(operations, key=lambda o: KINDS.index(o.kind)):
            time = self.processor[operation.rank]
            self.at(max(time, self.next_send[operation.rank]) if operation.kind == "send" else time, operation.kind, operation)

    def at(self, time, what, operation):
        heapq.heappush(self.queue, (time, next(self.order), what, operation))

    def possible(self, what, operation, time):
        if what == "message":
            return max(time, self.processor[operation.peer], self.next_receive[operation.peer])
        if what == "recv":
            return time
        return max(time, self.processor[operation.rank], self.next_send[operation.rank] if what == "send" else 0)

    def send(self, operation, time):
        self.processor[operation.rank] = time + self.model.o
        self.next_send[operation.rank] = time + self.model.g + (operation.size - 1) * self.model.G
        self.at(time + self.model.o + self.model.L, "message", operation)
        return self.begun(operation) + (self.end(operation) if operation.size <= self.eager else [])

    def message(self, operation, time):
        receiver, behind = operation.peer, (operation.size - 1) * self.model.G
        self.processor[receiver] = time + self.model.o + behind
        self.next_receive[receiver] = time + self.model.g + behind
        key = receiver, operation.rank, operation.tag
        self.arrived[key].append(operation)
        return self.match(key, time)

    def receive(self, operation, time):
        key = operation.rank, operation.peer, operation.tag
        self.posted[key].append(operation)
        return self.begun(operation) + self.match(key, time)

    def calculate(self, operation, time):
        self.processor[operation.rank] = time + operation.size
        return self.begun(operation) + self.end(operation)

    def match(self, key, time):
        if not self.arrived[key] or not self.posted[key]:
            return []
        send, receive = self.arrived[key].popleft(), self.posted[key].popleft()
        released = []
        if send.size > self.eager:
            self.processor[send.rank] = max(self.processor[send.rank], time)
            self.next_send[send.rank] = max(self.next_send[send.rank], time)
            released = self.end(send)
        return released + self.end(receive)

    def begun(self, operation):
        return self.count_down(operation.after_begin)

    def end(self, operation):
        operation.ended = True
        return self.count_down(operation.after_end)

    @staticmethod
    def count_down(operations):
        for operation in operations:
            operation.waits -= 1
        return [operation for operation in operations if operation.waits == 0]


def events(text, model, eager=float("inf")):
    """The time at which all has ended; None if it never does."""
    return Events(parse(text), model, eager).run()
