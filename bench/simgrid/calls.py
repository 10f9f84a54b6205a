#!/usr/bin/env python3
"""How many blocks of an allgather a rank can have after some time, if all ranks make the same calls.

    calls.py [--slots N]

Each call, a send or a receive, takes 0.5 us, and a message is under way for 1 us between them, as on the platform
"overhead". A message brings all blocks that its sender had when it sent, none of which its receiver has: no order of calls
brings more. Tries all sequences of calls and pauses, and all orders of receives.
"""

import argparse
import functools

SLOT = 0.5  # us
LATENCY = 2  # slots


def most_blocks(slots):
    """The most blocks after so many slots, and the calls: S, R, or - for a pause."""

    @functools.lru_cache(maxsize=None)
    def best(slot, blocks, sent):
        """`sent`: for each message that is not received, the slot in which it was sent, and its blocks."""
        if slot == slots:
            return blocks, ""
        found = [("-", best(slot + 1, blocks, sent))]
        if slot + 1 + LATENCY < slots:  # in time to be received
            found.append(("S", best(slot + 1, blocks, (*sent, (slot, blocks)))))
        for i, (when, brought) in enumerate(sent):
            if when + 1 + LATENCY <= slot:
                found.append(("R", best(slot + 1, blocks + brought, sent[:i] + sent[i + 1:])))
        return max((count, call + rest) for call, (count, rest) in found)

    return best(0, 1, ())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slots", type=int, default=12, metavar="N")
    for slots in range(4, parser.parse_args().slots + 1):
        blocks, calls = most_blocks(slots)
        print(f"{slots * SLOT:4.1f} us: {blocks:3} blocks, {calls}")


main()
