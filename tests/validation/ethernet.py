"""An Ethernet of network namespaces: hosts on one machine between which nothing passes but through a shaped network.

A host is a network namespace with a host name and a folder for temporary files of its own. A veth pair joins it to a
bridge, the switch; token buckets on both of its ends are the cable, one for each direction. `Ethernet` makes them and
`mpirun` starts ranks there, one on each host, over TCP.

All lives in namespaces for networks, mounts and processes that `enter_sandbox` makes first: when the program ends, in
whatever way (also by kill -9), the kernel ends its processes and takes network, mounts and temporary files away. Nothing
of the machine's own network is touched.
"""

import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys

SANDBOX = "SIMTRAIN_VALIDATION_SANDBOX"  # set inside
NAMESPACES = pathlib.Path("/run/netns")  # where ip-netns(8) keeps them: a file system of our own inside
FRONT_END = "10.9.0.254"
AGENT = pathlib.Path(__file__).with_name("on_host.sh")
# Jumbo frames: a frame costs the machine as much as a small one, and two cores carry the frames of all hosts. A bucket of
# one frame lets nothing pass faster than the cable.
FRAME_BYTES = 9000
BURST_BYTES = FRAME_BYTES + 200
QUEUE = "100ms"
# Of a connection, no more than this waits in its host's queue. The token bucket is one queue for all, where a host on a real
# cable has a queue for each connection (fq_codel) and a card with room for a few frames: an answer to one host does not wait
# there for all that is sent to another.
QUEUED_BYTES = 2 * FRAME_BYTES
PROGRAMS = {"ip": "iproute2", "tc": "iproute2", "unshare": "util-linux", "mpirun": "openmpi-bin", "cc": "gcc"}


@dataclasses.dataclass(frozen=True)
class Network:
    """hosts: on one switch, or on two (the first half on the first) with a trunk of `trunk_mbit` between them."""
    hosts: int
    rate_mbit: int
    trunk_mbit: int = 0
    slow_host: int = -1  # its cable has half the rate

    def rate_of(self, host):
        return self.rate_mbit / 2 if host == self.slow_host else self.rate_mbit


def missing():
    """Why no sandbox can be made here, in words; None where it can."""
    if os.geteuid() != 0:
        return "this needs to be root, who may make network namespaces"
    for program, package in PROGRAMS.items():
        if not shutil.which(program):
            return f"no program '{program}' (Debian package {package})"
    tried = subprocess.run([*sandbox_command(), "sh", "-c",
                            f"mkdir -p {NAMESPACES} && mount -t tmpfs none {NAMESPACES} && ip netns add host && "
                            "ip link add switch0 type bridge && "
                            "ip link add port0 type veth peer name eth0 netns host && "
                            "tc qdisc add dev port0 root tbf rate 1mbit burst 3200 latency 1ms"],
                           capture_output=True, text=True, check=False)
    if tried.returncode == 0:
        return None
    return f"this machine lets even root make no network namespaces, bridges and token buckets: {tried.stderr.strip()}"


def sandbox_command():
    return ["unshare", "--net", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc"]


def enter_sandbox():
    """Starts this program again inside; returns there only."""
    if os.environ.get(SANDBOX):
        return
    NAMESPACES.mkdir(exist_ok=True)
    os.execvpe("unshare", [*sandbox_command(), sys.executable, *sys.argv], {**os.environ, SANDBOX: "1"})


def call(*command):
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"validate: error: {' '.join(words)}: {done.stderr.strip()}")


class Ethernet:
    """Between enter and exit the hosts h0, h1, ... exist. One at a time."""

    def __init__(self, network, mpi_settings=None):
        """mpi_settings: more MCA parameters of Open MPI, by name."""
        self.network = network
        self.mpi_settings = mpi_settings or {}
        self.names = [f"h{number}" for number in range(network.hosts)]

    def __enter__(self):
        call("mount", "-t", "tmpfs", "none", NAMESPACES)
        call("ip", "link", "set", "lo", "up")
        switches = ["switch0", "switch1"] if self.network.trunk_mbit else ["switch0"]
        for switch in switches:
            call("ip", "link", "add", switch, "type", "bridge")
            call("ip", "link", "set", switch, "up")
        self.idle = NAMESPACES / "sleep_when_idle.so"
        call("cc", "-O2", "-shared", "-fPIC", "-o", self.idle, pathlib.Path(__file__).with_name("sleep_when_idle.c"))
        call("ip", "address", "add", f"{FRONT_END}/24", "dev", "switch0")  # mpirun's own
        if self.network.trunk_mbit:
            call("ip", "link", "add", "trunk0", "type", "veth", "peer", "name", "trunk1")
            for end, switch in zip(("trunk0", "trunk1"), switches):
                call("ip", "link", "set", end, "mtu", FRAME_BYTES)
                call("ip", "link", "set", end, "master", switch, "up")
                self.shape(["tc"], end, self.network.trunk_mbit)
        for number, name in enumerate(self.names):
            self.add_host(number, name, switches[number * len(switches) // len(self.names)])
        return self

    def add_host(self, number, name, switch):
        port, rate = f"port{number}", self.network.rate_of(number)
        call("ip", "netns", "add", name)
        (NAMESPACES / f"{name}.tmp").mkdir()
        call("ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name)
        call("ip", "link", "set", port, "master", switch, "up")
        inside = ["ip", "-netns", name]
        call(*inside, "address", "add", f"10.9.0.{number + 1}/24", "dev", "eth0")
        # Frames of the cable's size: the queue of a network card holds a few of them, where the token bucket would hold
        # segments of 64 KiB, behind which every answer had to wait.
        call(*inside, "link", "set", "eth0", "gso_max_segs", "1")
        call("ip", "link", "set", port, "mtu", FRAME_BYTES)
        call(*inside, "link", "set", "eth0", "mtu", FRAME_BYTES)
        call("ip", "netns", "exec", name, "sh", "-c", f"echo {QUEUED_BYTES} >/proc/sys/net/ipv4/tcp_limit_output_bytes")
        for device in ("lo", "eth0"):
            call(*inside, "link", "set", device, "up")
        self.shape(["tc"], port, rate)
        self.shape(["ip", "netns", "exec", name, "tc"], "eth0", rate)

    @staticmethod
    def shape(tc, device, rate_mbit):
        rate = f"{round(1000 * rate_mbit)}kbit"
        call(*tc, "qdisc", "add", "dev", device, "root", "tbf", "rate", rate, "burst", BURST_BYTES, "latency", QUEUE)

    def __exit__(self, *_):
        for name in self.names:
            call("ip", "netns", "delete", name)
        links = ["switch0"] + (["switch1", "trunk0"] if self.network.trunk_mbit else [])
        for link in links:
            call("ip", "link", "delete", link)
        call("umount", NAMESPACES)

    def mpirun(self, ranks, command, timeout_s=900):
        """Runs one rank on each of the first hosts. Returns what it printed; ends the program where it fails."""
        subnet = "10.9.0.0/24"
        settings = {"plm_rsh_agent": str(AGENT), "plm_rsh_no_tree_spawn": "1", "orte_tmpdir_base": str(NAMESPACES),
                    "pml": "ob1", "btl": "tcp,self", "btl_tcp_if_include": subnet, "oob_tcp_if_include": subnet,
                    "mpi_yield_when_idle": "1", **self.mpi_settings}
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       **{f"OMPI_MCA_{name}": value for name, value in settings.items()}}
        words = ["mpirun", "--bind-to", "none", "-n", ranks, "--host", ",".join(self.names[:ranks]), "-x",
                 f"LD_PRELOAD={self.idle}", *command]
        return subprocess.run([str(word) for word in words], env=environment, capture_output=True, text=True, check=False,
                              timeout=timeout_s)
