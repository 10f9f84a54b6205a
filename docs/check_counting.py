#!/usr/bin/env python3
"""Checks the clauses of a certificate of `schedcc prove` that are derived from the others by counting.

    check_counting.py NAME.cnf NAME.derived [NAME.cnf NAME.derived ...]

NAME.derived has the facts of the question and, for each group of derived clauses, an argument
(docs/prover.md, "Counting arguments"). This program computes from the facts alone, with unbounded
numbers, whether each bound holds, and whether the clauses state no more than the bound. It prints VERIFIED, or
the error, with exit status 1. It shares no code with schedcc.
"""
import collections
import functools
import json
import sys


class Wrong(Exception):
    pass


def require(condition, what):
    if not condition:
        raise Wrong(what)


class Question:
    """The facts: the arcs and their capacities, the sources and goals of the chunks, and the number of steps."""

    def __init__(self, facts):
        self.T, self.extra, self.nodes, self.ranks = (facts[k] for k in ("steps", "extra_rounds", "nodes", "ranks"))
        self.arcs = [tuple(arc) for arc in facts["arcs"]]
        self.channels = [(c["messages"], frozenset(c["arcs"])) for c in facts.get("channels", [])]
        self.ports, self.spacing = facts.get("ports"), facts.get("spacing")
        self.latency = facts.get("latency", 1)
        self.sources = [frozenset(chunk["sources"]) for chunk in facts["chunks"]]
        self.goals = [frozenset(chunk["goals"]) for chunk in facts["chunks"]]
        self.contributions = {(c["chunk"], c["rank"]): (frozenset(c["sources"]), frozenset(c["goals"]))
                              for c in facts.get("contributions", [])}

    @functools.lru_cache(maxsize=None)
    def distances(self, start, without=None):
        """Steps from `start` to each node that can be reached, without one of the arcs."""
        steps, queue = {start: 0}, [start]
        for u in queue:
            for a, b, _ in self.arcs:
                if a == u and b not in steps and (a, b) != without:
                    steps[b] = steps[u] + self.latency
                    queue.append(b)
        return steps

    def through(self, gates, messages, steps):
        """Chunks that cross the arcs `gates` of one node in `steps` steps, with at most `messages` messages a step."""
        widest = max((c for _, _, c in gates), default=0)
        if steps <= 0:
            return 0
        if self.spacing:
            return widest * ((steps - 1) // self.spacing + 1)
        every = sum(c for _, _, c in gates) * (steps + self.extra)
        return min(every, messages * widest * steps) if self.ports else every

    def into(self, v, steps):
        return self.through([a for a in self.arcs if a[1] == v], self.ports and self.ports[1], steps)

    def out_of(self, v, steps):
        return self.through([a for a in self.arcs if a[0] == v], self.ports and self.ports[0], steps)

    def leaving(self, inside, steps):
        """Chunks that leave some ranks in `steps` steps by the channels that only such messages take, each of them
        several."""
        out = {i for i, (u, v, _) in enumerate(self.arcs) if u in inside and v not in inside}
        cut = [(messages, arcs) for messages, arcs in self.channels if arcs <= out]
        each = min((sum(i in arcs for _, arcs in cut) for i in out), default=0)
        require(each > 0, "a message takes none of the channels")
        return sum(messages for messages, _ in cut) // each * max((c for _, _, c in self.arcs), default=0) * steps

    def moved(self, receivers):
        """Chunks that move in one step, to some of the ranks."""
        send, receive, both = self.ports
        require(len({c for _, _, c in self.arcs}) == 1, "messages are not equally wide")
        return min(send * self.ranks, receive * receivers, both * self.ranks // 2) * self.arcs[0][2]

    def paid(self, price):
        """What the chunks pay on their cheapest ways, where `price` is that of a message on each arc."""
        cost = [[0 if u == v else float("inf") for v in range(self.nodes)] for u in range(self.nodes)]
        for (u, v, _), p in zip(self.arcs, price):
            cost[u][v] = p
        for by in range(self.nodes):
            for u in range(self.nodes):
                cost[u] = [min(cost[u][v], cost[u][by] + cost[by][v]) for v in range(self.nodes)]
        return sum(max((min(cost[s][g] for s in sources) for g in goals), default=0)
                   for sources, goals in zip(self.sources, self.goals))

    def best_step(self, price):
        """The most that the messages of a step are worth, of which ports and channels admit some sets: one arc after
        another is taken, or left."""
        send, receive, _ = self.ports
        order = sorted((i for i, p in enumerate(price) if p > 0), key=lambda i: (self.arcs[i][0], -price[i]))
        limits = [(send, {i for i in order if self.arcs[i][0] == u}) for u in range(self.nodes)]
        limits += [(receive, {i for i in order if self.arcs[i][1] == v}) for v in range(self.nodes)]
        limits += self.channels
        free = [most for most, _ in limits]
        takes = {i: [n for n, (_, some) in enumerate(limits) if i in some] for i in order}
        rest = [sum(sum([price[i] for i in order[at:] if self.arcs[i][0] == u][:send]) for u in range(self.nodes))
                for at in range(len(order) + 1)]
        best = 0

        def extend(at, worth):
            nonlocal best
            best = max(best, worth)
            if worth + rest[at] <= best:
                return
            taken = takes[order[at]]
            if all(free[n] > 0 for n in taken):
                for n in taken:
                    free[n] -= 1
                extend(at + 1, worth + price[order[at]])
                for n in taken:
                    free[n] += 1
            extend(at + 1, worth)

        extend(0, 0)
        return best

    def totals(self):
        """Chunks that move in each of the steps, from the first on, to ranks where they do not start."""
        send, width = self.ports[0], self.arcs[0][2]
        most = self.moved(sum(any(v not in sources for sources in self.sources) for v in range(self.ranks)))
        holders = len(frozenset().union(*self.sources))
        steps = []
        for _ in range(self.T):
            steps.append(min(most, holders * send * width))
            holders = min(self.ranks, holders * (send + 1))
        return steps


class Clauses:
    """The clauses that a bound on literals becomes; variables from `fresh` on are new in them."""

    def __init__(self, fresh):
        self.fresh, self.all = fresh, []

    def new(self):
        self.fresh += 1
        return self.fresh - 1

    def at_most(self, literals, k):
        k -= literals.count(True)
        literals = [l for l in literals if l is not True and l is not False]
        if k < 0:
            self.all.append([])
        elif k == 0 < len(literals):
            self.all += [[-l] for l in literals]
        elif k == 1 < len(literals):
            self.at_most_one(literals)
        elif k < len(literals):
            self.all.append([-self.counted(literals, k + 1)[-1]])

    def at_least(self, literals, k):
        k -= literals.count(True)
        literals = [l for l in literals if l is not True and l is not False]
        if k > len(literals):
            self.all.append([])
        elif k == 1:
            self.all.append(literals)
        elif k > 0:
            self.at_most([-l for l in literals], len(literals) - k)

    def at_most_one(self, literals):
        """Groups, each with a variable that is true where one of the later literals is."""
        group, rest = [], list(literals)
        while rest:
            take = len(rest) if len(group) + len(rest) <= 5 else 4 - len(group)
            group, rest = group + rest[:take], rest[take:]
            later = self.new() if rest else None
            group += [later] if rest else []
            self.all += [[-group[a], -group[b]] for a in range(len(group)) for b in range(a)]
            group = [-later] if rest else []

    def counted(self, literals, limit):
        """Variables of which the i-th is true where more than i of the literals are: halves, and their sums."""
        if len(literals) == 1:
            return literals[:limit]
        a = self.counted(literals[:len(literals) // 2], limit)
        b = self.counted(literals[len(literals) // 2:], limit)
        total = [self.new() for _ in range(min(len(a) + len(b), limit))]
        self.all += [[-total[i], total[i - 1]] for i in range(1, len(total))]
        for i in range(len(a) + 1):
            for j in range(len(b) + 1):
                if 0 < i + j <= len(total):
                    self.all.append([-x for x in a[i - 1:i] + b[j - 1:j]] + [total[i + j - 1]])
        return total


class Checker:
    def __init__(self, question, names):
        self.q, self.names = question, names

    def has(self, c, v, t):
        """The literal of chunk c at node v when step t begins."""
        if v in self.q.sources[c] or (t == self.q.T and v in self.q.goals[c]):
            return True
        return self.names[f"has_{c}_{v}_{t}"] if t > 0 else False

    def clauses(self, a):
        """The clauses that an argument stands for, if it is right."""
        out = Clauses(a["fresh"])
        chunks = a.get("chunks", [])
        require(len(set(chunks)) == len(chunks), "a chunk is named twice")
        rule = {"into": self.into, "out of": self.out_of, "cut": self.cut, "arc": self.arc, "growth": self.growth,
                "totals": self.totals, "transfers": self.transfers, "sends": self.sends,
                "prices": self.prices, "messages": self.messages}[a["by"]]
        literals, least, most = rule(a, chunks, out)
        if "at_most" in a:
            require(most is not None and a["at_most"] >= most, f"at most {most}, not {a['at_most']}")
            out.at_most(literals, a["at_most"])
        else:
            require(least is not None and a["at_least"] <= least, f"at least {least}, not {a['at_least']}")
            out.at_least(literals, a["at_least"])
        return out.all

    def into(self, a, chunks, _):
        """Bounds on how many of the chunks, which do not start at the node, it holds at the step: at least (if all
        are wanted there), and at most."""
        v, t, q = a["node"], a["step"], self.q
        require(all(v not in q.sources[c] for c in chunks), "a chunk starts there")
        wanted = all(v in q.goals[c] for c in chunks)
        least = len(chunks) - q.into(v, q.T - t) if wanted else None
        return [self.has(c, v, t) for c in chunks], least, q.into(v, t)

    def out_of(self, a, chunks, out):
        """Chunks that start at one node only: other nodes that hold them received them from there."""
        literals = [self.left(c, frozenset([a["node"]]), a["step"], out) for c in chunks]
        return literals, None, self.q.out_of(a["node"], a["step"] - self.q.latency + 1)

    def cut(self, a, chunks, out):
        """Chunks that start at some ranks only, whose messages to others take channels of which these are all."""
        inside = frozenset(a["nodes"])
        require(self.q.latency == 1 and not self.q.extra, "a step is not one step")
        return [self.left(c, inside, a["step"], out) for c in chunks], None, self.q.leaving(inside, a["step"])

    def left(self, c, inside, t, out):
        """The literal of a chunk that starts inside only: a node outside holds it when step t begins."""
        q = self.q
        require(q.sources[c] and q.sources[c] <= inside, "a chunk does not start there alone")
        goals = q.goals[c] - inside
        require(goals, "a chunk is not wanted elsewhere")
        rest = max(min(q.distances(v).get(goal, q.T + q.latency) for v in inside) for goal in goals)
        if t + rest >= q.T + q.latency:  # a node outside must hold it by then to deliver it in time
            return True
        left = out.new()
        out.all += [[-self.has(c, u, t), left] for u in range(q.nodes) if u not in inside]
        return left

    def arc(self, a, chunks, _):
        """Chunks for which every path to a goal, and to the head of the arc, crosses the arc."""
        q, tail, head, t = self.q, a["from"], a["to"], a["step"]
        require(not q.ports and not q.spacing, "there are ports")
        capacity = [c for u, v, c in q.arcs if (u, v) == (tail, head)][0]
        for c in chunks:
            beside = [q.distances(s, (tail, head)) for s in q.sources[c]]
            require(all(head not in near for near in beside), "another path leads to the arc's head")
            first = min(q.distances(s).get(tail, q.T) for s in q.sources[c])
            require(first >= a["begin"], "a chunk can be there before")
            last = min(q.T - q.distances(head)[g] for g in q.goals[c] if all(g not in near for near in beside))
            require(last <= a["end"], "a chunk can come later")
        least = len(chunks) - capacity * (a["end"] - t + q.extra)
        return [self.has(c, head, t) for c in chunks], least, capacity * (t - a["begin"] + q.extra)

    def growth(self, a, _, __):
        """The number of holders of a chunk, or of a rank's contribution to it, grows at most (k + 1)-fold in a step."""
        q, c, t = self.q, a["chunk"], a["step"]
        if "rank" in a:  # which a copy may replace: it is counted where it must be in the end
            sources, goals = q.contributions[c, a["rank"]]
            holders = len(goals)
            literals = [self.names[f"in_{c}_{v}_{a['rank']}_{t}"] if t > 0 else v in sources for v in range(q.nodes)]
        else:
            holders = len(q.goals[c] | q.sources[c])
            literals = [self.has(c, v, t) for v in range(q.nodes)]
        for _ in range(q.T - a["step"]):
            holders = -(-holders // (q.ports[0] + 1))
        return literals, holders, None

    def totals(self, a, _, __):
        """Bounds on the chunks that all ranks have received, and of those that are wanted, at a step."""
        q, t = self.q, a["step"]
        most = q.moved(len(frozenset().union(*q.goals)))
        wanted = "at_least" in a
        places = [(c, v) for c in range(len(q.sources)) for v in range(q.ranks)
                  if v not in q.sources[c] and (v in q.goals[c] or not wanted)]
        return [self.has(c, v, t) for c, v in places], len(places) - most * (q.T - t), sum(q.totals()[:t])

    def transfers(self, _, __, ___):
        """The transfers of all chunks, less those for which there are ports. Of a chunk all of whose goals want all
        contributions: one from each contributor, and then one to each goal, but for the node that has all first."""
        q = self.q
        of_chunk = collections.defaultdict(list)
        for (c, _), (sources, goals) in q.contributions.items():
            of_chunk[c].append((sources, goals))
        least = 0
        for all_of in of_chunk.values():
            contributors, goals = [sources for sources, _ in all_of], all_of[0][1]
            if goals and all(len(s) == 1 for s in contributors) and all(g == goals for _, g in all_of):
                both = goals & frozenset().union(*contributors)
                least += len(contributors) + len(goals) - (2 if both else 1)
        return [], least - q.moved(q.ranks) * q.T, None

    def sends(self, a, _, __):
        """1 if the messages of a node cannot spread the chunks that start there alone, else 0. By the end at most
        (k + 1)^i nodes have a chunk from one message when i steps are left. The most valuable messages come first,
        to chunks that lack as much, then to those with the largest rests."""
        q, s = self.q, a["node"]
        require(q.ports and q.latency == 1, "there are no ports")
        lacking = [len(q.goals[c] - q.sources[c]) for c in range(len(q.sources)) if q.sources[c] == {s}]
        for left in reversed(range(q.T)):
            worth, messages = (q.ports[0] + 1) ** left, q.out_of(s, 1)
            full = sum(n // worth for n in lacking)
            taken = min(full, messages)
            rests = sorted(n % worth for n in lacking)
            lacking = rests[:max(0, len(rests) - (messages - taken))] + [worth] * (full - taken)
        return [], int(any(lacking)), None

    def prices(self, a, _, __):
        """1 if the chunks, on their cheapest ways, pay more for ports and channels than these are worth in all steps,
        else 0. A message pays for its sender, its receiver, and its channels; without ports, a chunk for its link."""
        q = self.q
        if "link" in a:
            return [], int(self.links_cost_more(a["link"])), None
        require(q.ports and q.latency == 1 and not q.extra, "there are no ports")
        send, receive, channel = a["send"], a["receive"], a["channel"]
        require(min(send + receive + channel) >= 0, "a price is negative")
        require(len(send) == len(receive) == q.nodes and len(channel) == len(q.channels), "a price is missing")
        paid = q.paid([send[u] + receive[v] + sum(p for p, (_, arcs) in zip(channel, q.channels) if i in arcs)
                       for i, (u, v, _) in enumerate(q.arcs)])
        worth = q.ports[0] * sum(send) + q.ports[1] * sum(receive)
        worth += sum(p * messages for p, (messages, _) in zip(channel, q.channels))
        return [], int(paid > worth * q.T * max(c for _, _, c in q.arcs)), None

    def links_cost_more(self, price):
        """Do the chunks pay more for links than all that these carry in all rounds is worth?"""
        q = self.q
        require(not q.ports and not q.spacing and not q.channels, "links are not all that limits messages")
        require(len(price) == len(q.arcs) and min(price) >= 0, "a price is missing or negative")
        return q.paid(price) > sum(p * c for p, (_, _, c) in zip(price, q.arcs)) * (q.T + q.extra)

    def messages(self, a, _, __):
        """1 if the chunks, on their cheapest ways, pay more for messages than these are worth in all steps, else 0."""
        q, price = self.q, a["price"]
        require(q.ports and q.latency == 1 and not q.extra, "there are no ports")
        require(len(price) == len(q.arcs) and min(price) >= 0, "a price is missing or negative")
        worth = q.best_step(price) * max(c for _, _, c in q.arcs)
        return [], int(q.paid(price) > worth * q.T), None


def read_cnf(path):
    names, clauses, derived = {}, [], None
    for line in open(path, encoding="utf-8"):
        words = line.split()
        if words[:1] == ["c"]:
            if len(words) == 4 and words[2] == "=":
                names[words[1]] = int(words[3])
            if words[1:2] == ["Clauses"] and words[3:4] == ["derived,"]:
                derived = int(words[2].split("-")[0])
        elif words[:1] != ["p"]:
            clauses += [[int(w) for w in clause.split()] for clause in f" {line.strip()} ".split(" 0 ")[:-1]]
    return names, clauses, derived


def check(cnf, derived):
    names, clauses, first = read_cnf(cnf)
    require(len(set(names.values())) == len(names), "a variable has two meanings")
    content = json.load(open(derived, encoding="utf-8"))
    checker = Checker(Question(content["facts"]), names)
    require(first is not None, "the formula does not say which of its clauses are derived")
    end = first - 1
    used = max((abs(l) for clause in clauses[:end] for l in clause), default=0)
    for number, argument in enumerate(content["derived"], 1):
        where = f"argument {number}, clause {argument['first']}"
        require(argument["first"] == end + 1, f"{where}: clauses before it have no argument")
        end += argument["clauses"]
        require(argument["fresh"] > used, f"{where}: a variable is not new")
        try:
            expected = checker.clauses(argument)
        except (Wrong, KeyError, IndexError, TypeError, ValueError) as error:
            raise Wrong(f"{where}: {error}") from error
        found = clauses[end - argument["clauses"]:end]
        require(sorted(map(sorted, found)) == sorted(map(sorted, expected)), f"{where}: its clauses are wrong")
        used = max([used] + [abs(l) for clause in found for l in clause])
    require(end == len(clauses), f"clause {end + 1} and those after it have no argument")
    return end - first + 1, len(content["derived"])


if __name__ == "__main__":
    files, status = sys.argv[1:], 0
    if not files or len(files) % 2:
        sys.exit(__doc__)
    for cnf, derived in zip(files[::2], files[1::2]):
        try:
            print("VERIFIED: {} clauses follow by {} arguments".format(*check(cnf, derived)))
        except (Wrong, KeyError, IndexError, TypeError, ValueError, OSError) as wrong:
            print(f"NOT VERIFIED: {wrong}")
            status = 1
    sys.exit(status)
