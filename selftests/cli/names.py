#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Names with any bytes in saved files, JSON and metrics, and saved files that have lost their end.

Runs on the host: the module is not needed.
"""
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import ktap  # noqa: E402

TOOL = os.environ.get("WEIR", os.path.join(ROOT, "build", "bin", "weir"))
QUOTING = os.path.join(ROOT, "build", "bin", "quoting")

ODD = [b"#c", b"$(id>x)", b"`id`", b"a'b", b'a"b', b"a\\", b"\\x41", b"$'x'", b"'$'\\''x'", b"$'\\xff'", b"\xff",
       b"\xfe", b"a,b", b"~", b"*", b"-n", b"a b", b"\n", b"\x1b[2J", b"\xc2\x9b2J", b"\xc3\xa9", b"\xe2\x82\xac",
       b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"{{7*7}}", b"weir", b"a#b", b"x\\", b"!", b"x=y"]


def random_names(count):
    """Device names and paths: any bytes but zero, in which those that mean something are frequent."""
    dice = random.Random(12)
    special = b"'\"\\$`#!*?[]{}()<>|&;~ \t\n,=%\xff\xc3\xa9\x80x7"
    names = list(ODD)
    while len(names) < count:
        length = dice.choice((1, 2, 3, 8, 15, 15, 60, 4000))
        names.append(bytes(dice.choice(special) if dice.random() < 0.5 else dice.randrange(1, 256)
                           for _ in range(length)))
    return names


NAMES = random_names(1000)


def run(mode, data):
    return subprocess.run([QUOTING, mode], input=data, stdout=subprocess.PIPE, check=True).stdout


def quoted(mode, names):
    """Return what each of the names becomes."""
    out = run(mode, b"".join(name + b"\0" for name in names))
    return out.split(b"\0")[:-1]


def words_are_read_as_they_were_written():
    words = quoted("word", NAMES)
    back = run("split", b" ".join(words) + b"\0").split(b"\0")[:-1]
    failed = sum(got != name for got, name in zip(back, NAMES)) + abs(len(back) - len(NAMES))
    print("# figure names_round_trip_failed %d" % failed)
    assert len(NAMES) == 1000 and not failed
    assert all(word.isascii() and b"\n" not in word for word in words)


def a_shell_reads_the_same_words():
    words = quoted("word", NAMES)
    script = b"".join(b"printf '%s\\0' " + word + b"\n" for word in words)
    out = subprocess.run(["bash", "--norc"], input=script, stdout=subprocess.PIPE, check=True).stdout
    assert out.split(b"\0")[:-1] == NAMES


def text_is_utf8_and_no_two_names_are_the_same():
    names = sorted(set(NAMES))
    for mode in "text", "label":
        texts = quoted(mode, names)
        assert len(set(texts)) == len(names)
        for text in texts:
            assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in text.decode())
    for text, label in zip(quoted("text", names), quoted("label", names)):
        assert label.replace(b"\\\\", b"\0").replace(b'\\"', b'"').replace(b"\0", b"\\") == text
    for sentence in quoted("sentence", names):
        sentence.decode()


def mistakes_of_quoting_are_found():
    for line in b"'a", b'"a', b"$'a", b"$'\\q'", b"$'\\x0'", b"$'\\x00'", b"a'", b"$'\\":
        assert subprocess.run([QUOTING, "split"], input=line + b"\0", stdout=subprocess.DEVNULL,
                              check=False).returncode == 1, line
    for line, words in ((b" a  b # c", [b"a", b"b"]), (b"a#b '#c' #", [b"a#b", b"#c"]), (b"''", [b""]),
                        (b'"a b"c\\ d', [b"a bc d"]), (b"", []), (b"#", [])):
        assert run("split", line + b"\0").split(b"\0")[:-1] == words, line


SAVED = b"""# weir save: the last line counts the commands
weir job add id 7 sources 2 blocks 64 grads 256 address 10.0.1.254 policy partial timeout 5ms
weir source add job 7 id 0 address 10.0.1.1 dev '#c' rate packets 1000 burst 100
weir source add job 7 id 1 address 10.0.1.12
weir port attach dev $'\\xff\\x80' mode tc udp 12000
weir chain add dev eth0 prio 7 program '/a b/prog.o' section xdp mode xdp
weir trim set dev eth0 hook qdisc rule 'dscp=af11,from=a\\,b' limit 18kb
# end of 6 commands
"""


def restored(data):
    """Exit status and what it says: 2 where the file is refused, else 0: without a module all is to be made."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        done = subprocess.run([TOOL, "restore", "--diff", file.name], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stderr.decode()


def a_file_that_has_lost_its_end_is_refused():
    status, said = restored(SAVED)
    assert status == 0, said
    taken = 0
    for length in range(len(SAVED)):
        status, said = restored(SAVED[:length])
        if status != 2:
            taken += 1
            print("# the first %d bytes: status %d, %s" % (length, status, said.strip()))
    print("# figure restore_truncated_taken %d" % taken)
    assert not taken


def damaged_files_are_refused():
    lines = SAVED.splitlines(keepends=True)
    for data, why in ((b"".join(lines[:3] + lines[4:]), "has 5 commands, but line 7 says 6"),
                      (SAVED + lines[1], "has 7 commands, but line 8 says 6"),
                      (SAVED[:100] + bytes(20) + SAVED[120:], "line 2: a byte is zero"),
                      (bytes(4096), "line 1: a byte is zero"),
                      (b"", "has no commands"), (b"# by hand\n\n", "has no commands"),
                      (lines[1][:-1], "ends within the line"),
                      (b"job add id 7 'x\n", "line 1: a quotation mark is not closed")):
        status, said = restored(data)
        assert status == 2 and why in said, (why, said)
    # By hand there are no marks; of a namespace with nothing both are saved.
    assert restored(lines[1])[0] == 0
    assert restored(lines[0] + b"# end of 0 commands\n")[0] == 0


def long_commands_are_read_whole():
    status, said = restored(b"weir job add id 7 sources 1 blocks 1 grads 1 address 10.0.0.1 " + b" " * 5000 +
                            b"qarent 10.0.0.2\n")
    assert status == 2 and "qarent" in said, said


def save_replaces_a_file_or_leaves_it():
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "weir.conf")
        with open(name, "wb") as file:
            file.write(SAVED)
        done = subprocess.run([TOOL, "save", "-o", name], capture_output=True, check=False)
        assert done.returncode == 1 and b"no module of weir is loaded" in done.stderr
        with open(name, "rb") as file:
            assert file.read() == SAVED
        assert os.listdir(folder) == ["weir.conf"]
        assert subprocess.run([TOOL, "save", "-o"], capture_output=True, check=False).returncode == 2
        assert subprocess.run([TOOL, "save", "-f", name], capture_output=True, check=False).returncode == 2


if not os.access(QUOTING, os.X_OK):
    ktap.skip_all("build/bin/quoting is not built")
sys.exit(ktap.run([words_are_read_as_they_were_written, a_shell_reads_the_same_words,
                   text_is_utf8_and_no_two_names_are_the_same, mistakes_of_quoting_are_found,
                   a_file_that_has_lost_its_end_is_refused, damaged_files_are_refused,
                   long_commands_are_read_whole, save_replaces_a_file_or_leaves_it]))
