#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of `profile` and `bench` with given samples and times. Nothing is booted."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import ktap  # noqa: E402

KALLSYMS = """\
0000000008001000 T udp_sendmsg
0000000008002000 T memcpy_orig
0000000008003000 T veth_xmit
0000000008004000 T handle_syscall
0000000009001000 t weir_rx	[weir]
0000000009002000 t bpf_prog_1	[bpf]
"""

# When, where, and how often: of a kernel, a module, a program of BPF, and UML itself
SAMPLES = [(1.2, "8001004", 4), (1.3, "8002004", 2), (1.4, "8003004", 1), (1.5, "8004004", 10),
           (1.6, "9001004", 3), (1.7, "9002004", 1), (2.5, "8001004", 50), (3.5, "8001004", 20)]


def attributed(output):
    """Return status and text of attribute.py with the output of a command."""
    with tempfile.TemporaryDirectory() as work:
        for name, text in (("kallsyms", KALLSYMS), ("maps", ""), ("output", output), ("um", "handle_syscall\n"),
                           ("times", "begin 1.0 100\nend 4.0 400\n")):
            with open(os.path.join(work, name), "w") as file:
                file.write(text)
        samples = "".join(f"linux 7 {when:.9f}: {address} symbol\n" * times for when, address, times in SAMPLES)
        done = subprocess.run([os.path.join(HERE, "attribute.py"), work, os.path.join(work, "um")], input=samples,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout


def samples_belong_to_the_run_between_whose_marks_they_are():
    status, text = attributed("profile: mark 1.0 1000 10\nnot a mark\nprofile: mark 2.0 5000 50\nprofile: run tc 1000\n"
                              "profile: mark 3.0 0 60\nprofile: mark 4.0 1000 70\nprofile: run ring 500\n")
    assert status == 0, text
    # 11 samples of work at 2,500 a second in 4 iterations; 20 in 2 iterations. Those at 2.5 are of no run.
    assert "round tc 1.100 ms 10.0 syscalls\n" in text, text
    assert "round ring 4.000 ms 5.0 syscalls\n" in text, text


def time_is_attributed_to_parts():
    status, text = attributed("profile: mark 1.0 0 10\nprofile: mark 2.0 1 50\nprofile: run tc 1\n")
    assert status == 0, text
    parts = {line[22:]: float(line.split()[1]) for line in text.splitlines() if line.startswith("#  ") and "  " in line}
    per_sample = 1000 / 2500
    wanted = {"kernel: stack and rest": 4, "kernel: copies": 2, "kernel: driver": 1, "module weir": 3, "bpf": 1,
              "UML: kernel side": 10}
    for part, samples in wanted.items():
        found = [value for name, value in parts.items() if name.endswith(part)]
        assert len(found) == 1 and abs(found[0] - samples * per_sample) < 0.001, (part, text)


def a_command_without_marks_is_one_run():
    status, text = attributed("hello\n")
    assert status == 0 and "round command 32.400 ms 300.0 syscalls\n" in text, text


def a_run_with_one_mark_is_refused():
    status, text = attributed("profile: mark 1.0 0 10\nprofile: run tc 1\n")
    assert status and "too short" in text, (status, text)


def ratios(lines, *words):
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(lines)
        file.flush()
        return subprocess.run([os.path.join(HERE, "ratios.py"), file.name, *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)


def a_ratio_is_the_median_of_rounds():
    done = ratios("tc 10\nring 20\ntc 10.2\nring 20\ntc 9.9\nring 20\n", "over", "tc", "ring")
    assert done.returncode == 0 and done.stdout == "over 0.500\n", done
    assert "(0.495 to 0.510 of 3)\n" in done.stderr, done.stderr


def rounds_that_differ_by_more_than_a_tenth_are_unstable():
    done = ratios("a 10\nb 10\na 12\nb 10\n", "over", "a", "b")
    assert done.stdout == "over 1.100\n" and done.stderr.endswith("unstable\n"), done


def a_round_that_is_missing_is_an_error():
    done = ratios("a 10\nb 10\na 12\n", "over", "a", "b")
    assert done.returncode == 1 and not done.stdout and "2 rounds" in done.stderr, done


sys.exit(ktap.run([
    samples_belong_to_the_run_between_whose_marks_they_are, time_is_attributed_to_parts,
    a_command_without_marks_is_one_run, a_run_with_one_mark_is_refused, a_ratio_is_the_median_of_rounds,
    rounds_that_differ_by_more_than_a_tenth_are_unstable, a_round_that_is_missing_is_an_error,
]))
