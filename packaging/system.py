# SPDX-License-Identifier: GPL-2.0
"""A machine that boots a release of Debian from a disk of its own, as an installed one does, and whose
QEMU guest agent runs commands."""
import base64
import json
import os
import re
import shlex
import socket
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VM = os.path.join(ROOT, "selftests", "vm")
PATIENCE = 1200
AGENT = "org.qemu.guest_agent.0"


class Failed(AssertionError):
    """A command that ended with another status than was expected."""


def make_disk(tree, path, size="5G"):
    """An ext4 file system of all that is in a directory, as a file."""
    if os.path.exists(path):
        os.unlink(path)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-E", "root_owner=0:0", "-d", tree, path, size], check=True,
                   stdout=subprocess.DEVNULL,
                   env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"})


def words_of_machine(name, accel):
    """Return QEMU's arguments for such a machine, as of selftests/vm/run, and its kernel's command line."""
    script = (". %s/machine.sh; work=/nowhere; machine %s %s no; "
              "printf '%%s\\0' \"$console\" \"$words\" \"${machine[@]}\"" % (shlex.quote(VM), name, accel))
    done = subprocess.run(["bash", "-c", script], check=True, stdout=subprocess.PIPE)
    console, words, *machine = done.stdout.decode().split("\0")[:-1]
    # The distribution's own security module stays: it may stand in the way of a service.
    return machine, f"console={console} " + words.replace("lsm=lockdown", "")


class System:
    """@tree has the kernel and its initial ramdisk in boot/; @disks are files, the root's first."""

    def __init__(self, work, tree, disks, accel="tcg"):
        self.work, self.agent, self.process, self.said = work, None, None, ""
        self.console = os.path.join(work, "console")
        kernel = [name for name in os.listdir(os.path.join(tree, "boot")) if name.startswith("vmlinuz-")]
        assert len(kernel) == 1, f"{tree} has not one kernel, but {kernel}"
        self.release = kernel[0].split("-", 1)[1]
        boot = os.path.join(tree, "boot", "%s-" + self.release)
        arch = "aarch64" if self.release.endswith("-arm64") else "x86_64"
        machine, words = words_of_machine(arch, accel)
        self.command = [
            "qemu-system-" + arch, "-nodefaults", "-no-user-config", "-display", "none", *machine, "-accel",
            accel if accel == "kvm" else "tcg,thread=single", "-smp", "2", "-m", "2G",
            "-kernel", boot % "vmlinuz", "-initrd", boot % "initrd.img",
            "-append", f"root=/dev/vda rw loglevel=5 panic=-1 oops=panic systemd.show_status=0 {words}",
            "-serial", "file:" + self.console, "-device", "virtio-serial-pci",
            "-chardev", f"socket,path={work}/agent,server=on,wait=off,id=agent",
            "-device", f"virtserialport,chardev=agent,name={AGENT}"]
        for disk in disks:
            self.command += ["-drive", f"file={disk},format=raw,if=virtio,cache=unsafe"]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL)
        self.connect()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def connect(self, but_not=None):
        """Wait until the system has booted, and its agent answers; another boot than that one."""
        end = time.monotonic() + PATIENCE
        while True:
            assert time.monotonic() < end, "no agent: see " + self.console
            assert self.process.poll() is None, "QEMU ended"
            try:
                self.synchronize()
                boot = self.boot()
                if boot != but_not:
                    break
            except (OSError, ValueError, KeyError, AssertionError):
                pass
            time.sleep(0.5)
        self.agent.settimeout(PATIENCE)
        self.until("systemctl is-system-running | grep -qE 'running|degraded'", "the system runs")

    def synchronize(self):
        if self.agent:
            self.agent.close()
        self.agent = socket.socket(socket.AF_UNIX)
        self.agent.settimeout(10)
        self.agent.connect(self.work + "/agent")
        self.file = self.agent.makefile("rwb")
        # This byte ends what an earlier boot's agent had still to say.
        self.file.write(b"\xff")
        number = time.monotonic_ns()
        self.send("guest-sync-delimited", id=number)
        while self.file.read(1) not in (b"\xff", b""):
            pass
        if json.loads(self.file.readline())["return"] != number:
            raise ValueError("an answer to something else")

    def boot(self):
        return self.run("cat /proc/sys/kernel/random/boot_id")

    def send(self, what, **arguments):
        self.file.write(json.dumps({"execute": what, "arguments": arguments}).encode() + b"\n")
        self.file.flush()

    def ask(self, what, **arguments):
        self.send(what, **arguments)
        answer = json.loads(self.file.readline())
        assert "return" in answer, answer
        return answer["return"]

    def start(self, command, text=b""):
        """Begin a command of bash; returns the agent's number for it."""
        return self.ask("guest-exec", path="/bin/bash", arg=["-c", command], **{
            "capture-output": True, "input-data": base64.b64encode(text).decode()})["pid"]

    def status(self, pid):
        """The status of a command and what it said, or None while it runs."""
        answer = self.ask("guest-exec-status", pid=pid)
        if not answer["exited"]:
            return None
        said = b"".join(base64.b64decode(answer.get(name, "")) for name in ("out-data", "err-data"))
        return answer.get("exitcode", 128 + answer.get("signal", 0)), said.decode(errors="replace")

    def end(self, pid):
        began = time.monotonic()
        while not (done := self.status(pid)):
            took = time.monotonic() - began
            assert took < PATIENCE, "a command does not end"
            # To ask costs the guest, too.
            time.sleep(min(0.1 + took / 10, 2))
        self.said = done[1]
        return done

    def tried(self, command, text=b""):
        return self.end(self.start(command, text))

    def run(self, command, text=b"", status=0):
        """Return what a command prints. Its exit status must be @status."""
        got, said = self.tried(command, text)
        if got != status:
            raise Failed(f"status {got} instead of {status}: {command}\n{said}")
        return said

    def put(self, path, text, mode="644"):
        self.run("mkdir -p %s && cat >%s && chmod %s %s" % (
            *(shlex.quote(word) for word in (os.path.dirname(path), path)), mode, shlex.quote(path)), text.encode())

    def wait(self, condition, what):
        """Wait until a function returns true. Failing that, show what its last command has said."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, f"not within {PATIENCE} s: {what}\n{self.said}"
            time.sleep(0.5)

    def until(self, command, what):
        """Wait until a command succeeds."""
        self.wait(lambda: not self.tried(command)[0], f"{what}: {command}")

    def reboot(self):
        before = self.boot()
        self.send("guest-shutdown", mode="reboot")
        self.connect(but_not=before)

    def complaints(self):
        """Lines of the kernel's that selftests/vm/splats knows as faults."""
        with open(os.path.join(VM, "splats"), encoding="ascii") as file:
            patterns = re.compile("|".join(line.rstrip("\n") for line in file if line.strip() and line[0] != "#"))
        with open(self.console, encoding="utf-8", errors="replace") as file:
            return [line.rstrip() for line in file if patterns.search(line)]
