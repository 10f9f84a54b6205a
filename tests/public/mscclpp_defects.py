#!/usr/bin/env python3
"""Plants defects in the execution plans of MSCCL++ that hold, and tells which are found.

    tests/public/mscclpp_defects.py build/release/schedcc [REPOSITORY] [--gpus 2,4,8] [--sites N] [--details]

The plans are those of mscclpp_plans.py. Each kind of defect is planted by itself in N operations of GPU 0, chosen at random
among those that it applies to. Not every such change is a defect: an operation may be redundant. So a kind that is not found in a plan
at any of its sites is printed, to be judged by hand. A local script: no test depends on it.
"""

import argparse
import copy
import json
import pathlib
import random
import tempfile

import mscclpp_plans

SIGNALS = ("signal", "rlxsignal")
WAITS = ("wait", "rlxwait")
REDUCTIONS = ("re", "res", "rre", "rres", "repkt", "respkt", "recpkt", "recspkt")


def dropped(*names):
    def plant(gpu, ops, at):
        if ops[at]["name"] not in names:
            return False
        del ops[at]
        return True
    return plant


def moved(side, key, chunks):
    """Changes the index or the size of the first operand of a side."""
    def plant(gpu, ops, at):
        operands = ops[at].get(side)
        if not operands or key not in operands[0]:
            return False
        value = operands[0][key] + 1
        if key == "index":
            value %= max(1, chunks(gpu, operands[0]))
        changed = operands[0][key] != value
        operands[0][key] = value
        return changed
    return plant


def length(gpu, operand):
    return gpu.get({"i": "input_chunks", "o": "output_chunks", "s": "scratch_chunks"}.get(operand.get("type"), ""), 1 << 30)


def other_peer(gpu, ops, at):
    """The first remote buffer or channel becomes the next one of the threadblock."""
    for operand in ops[at].get("dst_buff", []) + ops[at].get("src_buff", []):
        if "buffer_id" in operand:
            operand["buffer_id"] += 1
            return True
    return False


def other_channel(gpu, ops, at):
    if ops[at]["name"] not in SIGNALS + WAITS or not ops[at].get("channel_ids"):
        return False
    ops[at]["channel_ids"][0] += 1
    return True


def added_twice(gpu, ops, at):
    """The last operand of a sum is added once more."""
    if ops[at]["name"] not in REDUCTIONS or not ops[at].get("src_buff"):
        return False
    ops[at]["src_buff"].append(copy.deepcopy(ops[at]["src_buff"][-1]))
    return True


KINDS = {
    "missing signal": dropped(*SIGNALS),
    "missing wait": dropped(*WAITS),
    "missing barrier": dropped("barrier"),
    "missing semaphore": dropped("sem_acquire", "sem_release"),
    "missing nop": dropped("nop"),
    "missing data": dropped("put", "pws", "pwsf", "get", "copy", "ppkt", "upkt", "cpkt", "rppkt", "gstore", "gstorepkt", "glres", *REDUCTIONS),
    "wrong source offset": moved("src_buff", "index", length),
    "wrong destination offset": moved("dst_buff", "index", length),
    "wrong count": moved("src_buff", "size", length),
    "wrong peer": other_peer,
    "wrong channel": other_channel,
    "added twice": added_twice,
}


def planted(plan, kind, sites):
    """Plans with this defect, each at another operation of GPU 0."""
    places = []
    for b, block in enumerate(plan["gpus"][0]["threadblocks"]):
        for i in range(len(block["ops"])):
            trial = copy.deepcopy(block["ops"])
            if KINDS[kind](plan["gpus"][0], trial, i):
                places.append((b, i, trial))
    for b, i, ops in random.Random(1).sample(places, min(sites, len(places))):
        damaged = copy.deepcopy(plan)
        damaged["gpus"][0]["threadblocks"][b]["ops"] = ops
        yield f"threadblock {b}, operation {i}", damaged


def circular(plan):
    """In every threadblock, waits come before the signals that they follow."""
    damaged, changed = copy.deepcopy(plan), False
    for gpu in damaged["gpus"]:
        for block in gpu["threadblocks"]:
            names = [op["name"] for op in block["ops"]]
            first = next((i for i, n in enumerate(names) if n in SIGNALS), None)
            wait = next((i for i, n in enumerate(names) if n in WAITS and first is not None and i > first), None)
            if wait is not None:
                block["ops"].insert(first, block["ops"].pop(wait))
                changed = True
    return [("all threadblocks", damaged)] if changed else []


def one_half(plan):
    """Successive invocations use the same half of scratch."""
    if not plan.get("use_double_scratch_buffer"):
        return []
    return [("the plan", {**plan, "use_double_scratch_buffer": False})]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedcc")
    parser.add_argument("repository", nargs="?", default="https://github.com/microsoft/mscclpp")
    parser.add_argument("--gpus", default="2,4,8")
    parser.add_argument("--sites", type=int, default=8)
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args()
    table = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        plans, _ = mscclpp_plans.all_plans(options.repository, folder, options.gpus)
        for label, path in plans:
            if mscclpp_plans.verify(options.schedcc, path)[0][0] != "holds":
                continue
            plan = json.loads(path.read_text())
            cases = {kind: list(planted(plan, kind, options.sites)) for kind in KINDS}
            cases |= {"circular wait": circular(plan), "one half of scratch": one_half(plan)}
            for kind, damaged in cases.items():
                counts = {}
                for where, text in damaged:
                    (folder / "damaged.json").write_text(json.dumps(text, indent=1))
                    verdict = mscclpp_plans.verify(options.schedcc, folder / "damaged.json")[0][0]
                    counts[verdict] = counts.get(verdict, 0) + 1
                    if options.details and verdict != "violated":
                        print(f"{label}: {kind} at {where}: {verdict}", flush=True)
                if damaged and not counts.get("violated") and not counts.get("unreadable"):
                    print(f"{label}: {kind} is not found: {counts}", flush=True)
                total = table.setdefault(kind, {"plans": 0, "found": 0})
                total["plans"] += bool(damaged)
                total["found"] += bool(counts.get("violated") or counts.get("unreadable"))
                for verdict, n in counts.items():
                    total[verdict] = total.get(verdict, 0) + n
    for kind, total in table.items():
        print(f"{kind:26} in {total.pop('plans')} plans, found in {total.pop('found')};", ", ".join(f"{n} {v}" for v, n in sorted(total.items())))


if __name__ == "__main__":
    main()
