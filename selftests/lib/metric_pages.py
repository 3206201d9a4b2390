# SPDX-License-Identifier: GPL-2.0
"""Pages of metrics: what `weir metrics` prints when a stand-in answers for the module, and what Prometheus' own
parsers find in a page."""
import json
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
TOOL = os.environ.get("WEIR", os.path.join(ROOT, "build", "bin", "weir"))
STATS = {"contributions": 70000000000, "refusal": [{"reason": 9, "packets": 4}, {"reason": 20, "packets": 1}]}
LATENESS = [1, 2, 0, 4] + [0] * 19 + [5]
# \udcff is the byte 0xff, which is not UTF-8.
NAMES = ["eth0", "#c", 'a"b', "a\\b", "$(id)", "\udcff", "\udcfe", "$'\\xff'", "b\u00fcro"]
ANSWERS = {
    "stats-get": [{"jobs": 1, "ports": 1, "memory": 5, "memory-used": 6, "memory-limit": 7, "stats": {"blocks": 3}}],
    "trim-pool-get": [{"name": "a\"b", "size": 5000, "used": 40, "used-max": 90, "ports": 1}],
    "trim-total-get": [{"trim": 21, "tx-trim": 17, "dropped-trim": 4}],
    "job-get": [{"id": number, "blocks": 4, "stats": STATS} for number in (3, 255)],
    "source-get": [{"job": 3, "id": number, "address": "10.0.0.1", "state": 2, "missing": 8,
                    "lateness": LATENESS, "stats": STATS} for number in (0, 1)],
    "port-get": [{"ifindex": index, "ifname": name, "mode": 1, "stats": STATS} for index, name in enumerate(NAMES, 2)],
    "trim-get": [{"ifindex": index, "ifname": name, "hook": 1, "data-depth": 9, "stats": {"trim": 11}}
                 for index, name in enumerate(NAMES, 2)],
    "chain-get": [{"ifindex": 2, "ifname": name, "prio": 7, "name": "prog", "stats": {"pass": 2}} for name in NAMES],
    "filter-get": [{"ifindex": 2, "ifname": name, "prio": 7, "action": 2, "stats": {"dropped": 2}} for name in NAMES],
    "flow-get": [{"ifindex": 2, "ifname": name, "stats": {"packets": 2}} for name in NAMES],
    "order-get": [{"ifindex": 2, "ifname": name, "prio": 7, "wait": LATENESS, "stats": {"packets": 2}}
                  for name in NAMES],
}


def page(style):
    with tempfile.TemporaryDirectory() as folder:
        for operation, answers in ANSWERS.items():
            subprocess.run([os.path.join(HERE, "..", "cli", "stand-in"), "answer", folder, operation],
                           input=json.dumps(answers).encode(), check=True)
        return subprocess.run(
            [TOOL, "metrics", "format", style], check=True, stdout=subprocess.PIPE,
            env={**os.environ, "WEIR_STAND_IN": folder,
                 "LD_PRELOAD": os.path.join(ROOT, "build", "cli", "stand-in.so")}).stdout.decode()


def read(text, parser):
    """Samples by metric and labels, each of them once; and the types of families."""
    samples, kinds = {}, {}
    for family in parser.text_string_to_metric_families(text):
        kinds[family.name] = family.type
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            assert key not in samples, key
            samples[key] = sample.value
    return samples, kinds
