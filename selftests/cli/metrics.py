#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The pages of `weir metrics`, read by Prometheus' own parsers. A stand-in answers for the module."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import ktap  # noqa: E402
from metric_pages import NAMES, page, read  # noqa: E402

try:
    from prometheus_client.openmetrics import parser as openmetrics
    from prometheus_client import parser as prometheus
except ImportError:
    ktap.skip_all("no python3-prometheus-client")


def check(style, parser):
    samples, kinds = read(page(style), parser)
    ports = {dict(labels)["port"] for name, labels in samples if name == "weir_port_contributions_total"}
    assert len(ports) == len(NAMES), ports
    assert {"eth0", "#c", 'a"b', "a\\b", "$(id)", "b\u00fcro", "$'\\xff'", "$'\\xfe'"} < ports, ports
    assert samples["weir_source_contributions_total", (("job", "3"), ("source", "1"))] == 70000000000
    totals = [samples["weir_%s_packets_total" % name, ()] for name in ("trim", "tx_trim", "dropped_trim")]
    assert totals == [21, 17, 4], totals
    assert samples["weir_trim_pool_used_bytes", (("pool", 'a"b'),)] == 40
    assert samples["weir_port_trim_packets_total", (("port", "eth0"),)] == 11
    late = (("job", "3"), ("le", "+Inf"), ("source", "1"))
    assert samples["weir_source_lateness_seconds_bucket", late] == 12
    assert kinds["weir_source_lateness_seconds"] == "histogram"
    return samples


def openmetrics_takes_the_page():
    samples = check("openmetrics", openmetrics)
    assert not any(name.endswith("_count") for name, _ in samples)


def prometheus_takes_the_page():
    check("prometheus", prometheus)


failed = ktap.run([openmetrics_takes_the_page, prometheus_takes_the_page])
print("# figure openmetrics_errors %d" % failed)
sys.exit(failed)
