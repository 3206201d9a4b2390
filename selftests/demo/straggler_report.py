#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The results of the straggling workers' runs.

usage: straggler_report.py RESULT...

Prints a line a run for the plot, "# point POLICY SHARE MILLISECONDS RATIO ACCURACY", and
the figures, "NAME VALUE". The first run is the one without stragglers that all others are
compared with. Fails where ranks of one run have come to different models.
"""

import json
import sys

POLICIES = {"7": "wait", "8": "partial"}


def read(path):
    with open(path, encoding="ascii") as file:
        return [json.loads(line) for line in file]


def mean(rows, what):
    return sum(row[what] for row in rows) / len(rows)


def main():
    ranks = [read(path) for path in sys.argv[1:]]
    ideal = mean([rows[0] for rows in ranks], "iteration")
    for rows in zip(*ranks):
        job, share, carries = rows[0]["run"].split(":")
        policy = POLICIES[job] + ("" if carries == "carry" else "-drop")
        if len({row["digest"] for row in rows}) != 1:
            sys.exit(f"{policy}, {share} %: the models differ")
        ratio, accuracy = mean(rows, "iteration") / ideal, rows[0]["accuracy"]
        print(f"# point {policy} {share} {1000 * mean(rows, 'iteration'):.1f} {ratio:.3f} "
              f"{accuracy:.4f}")
        print(f"# {policy}, {share} %: slowed down {sum(r['slow'] for r in rows)} times, "
              f"{sum(r['late'] for r in rows)} gradients came late, "
              f"{sum(r['followed'] for r in rows)} were left out, accuracy {accuracy:.1%}")
        if share == "16":
            name = policy.replace("-", "_")
            print(f"iteration_over_ideal_p16_{name} {ratio:.3f}")
            print(f"accuracy_p16_{name} {accuracy:.4f}")


main()
