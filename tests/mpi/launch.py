#!/usr/bin/env python3
"""Starts an MPI program whose processes communicate only within this machine.

    tests/mpi/launch.py MPIRUN NP PROGRAM...

MPIRUN is Open MPI's or MPICH's. Both may start more processes than there are processors, as root as
well. Where the kernel allows it they run in a network of their own, with only the loopback device, since
both launchers listen on all devices. The library that the environment names as SCHEDCC_MPI_IDLE (idle.cpp) is preloaded, so that
processes sleep while they wait, beside what is preloaded already.
"""

import ctypes
import fcntl
import os
import socket
import struct
import subprocess
import sys

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def leave_the_network():
    """Into a network namespace that has only the loopback device. Does nothing if that is denied."""
    user = os.getuid()
    flags = CLONE_NEWNET | (CLONE_NEWUSER if user != 0 else 0)
    if ctypes.CDLL(None, use_errno=True).unshare(flags) != 0:
        return
    if user != 0:
        with open("/proc/self/uid_map", "w") as uid_map:
            uid_map.write(f"{user} {user} 1")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        request = struct.pack("16sh14x", b"lo", 0)
        up = struct.unpack("16sh14x", fcntl.ioctl(s, SIOCGIFFLAGS, request))[1] | IFF_UP
        fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", up))


def main():
    mpirun, np, program = sys.argv[1], sys.argv[2], sys.argv[3:]
    version = subprocess.run([mpirun, "--version"], capture_output=True, text=True).stdout
    if "Open MPI" in version or "OpenRTE" in version:
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        options = "--oversubscribe --mca btl self,vader --mca oob_tcp_if_include lo --mca mpi_yield_when_idle 1".split()
    else:
        os.environ.update(UCX_TLS="self,sysv,posix")
        options = "-launcher fork -iface lo".split()
    if idle := os.environ.get("SCHEDCC_MPI_IDLE"):
        os.environ["LD_PRELOAD"] = ":".join([*os.environ.get("LD_PRELOAD", "").split(":"), idle]).lstrip(":")
    leave_the_network()
    os.execvp(mpirun, [mpirun, *options, "-np", np, *program])


if __name__ == "__main__":
    main()
