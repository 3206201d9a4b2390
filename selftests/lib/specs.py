# SPDX-License-Identifier: GPL-2.0
"""The specs of the three netlink families as one, for tests that speak to all of them.

Commands are numbered apart, so a number tells its family. In weir_trim.yaml names have no prefix; here they have
"trim-", but for the attribute set of policies, which is "trim".
"""
import json
import os

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SOURCES = [os.path.join(ROOT, "uapi", name) for name in ("weir.yaml", "weir_trim.yaml", "weir_xdp.yaml")]
REFERENCES = ("enum", "nested-attributes", "attribute-set", "notify")


def prefixed(name):
    return "trim" if name == "policy" else "trim-" + name


def trim_names(spec):
    """Gives all names of weir_trim.yaml, and what refers to them, their prefix."""
    own = {part["name"] for key in ("definitions", "attribute-sets") for part in spec[key]}
    own |= {op["name"] for op in spec["operations"]["list"]}
    attributes = [attribute for part in spec["attribute-sets"] for attribute in part["attributes"]]
    for part in spec["definitions"] + spec["attribute-sets"] + spec["operations"]["list"]:
        part["name"] = prefixed(part["name"])
    for part in attributes + spec["operations"]["list"]:
        for key in REFERENCES:
            if part.get(key) in own:
                part[key] = prefixed(part[key])
        checks = part.get("checks", {})
        checks.update({key: prefixed(value) for key, value in checks.items() if value in own})


def number(spec):
    """Gives each operation its number: one more than the last, unless it says."""
    value = 0
    for op in spec["operations"]["list"]:
        value = op["value"] = op.get("value", value + 1)


def read():
    import yaml
    merged = {"definitions": [], "attribute-sets": [], "operations": {"list": []}}
    for source in SOURCES:
        with open(source, encoding="ascii") as text:
            spec = yaml.safe_load(text)
        if spec["name"] == "weir-trim":
            trim_names(spec)
        number(spec)
        known = {part["name"] for part in merged["attribute-sets"]}
        merged["definitions"] += spec["definitions"]
        # An attribute set that two families share is in both.
        merged["attribute-sets"] += [part for part in spec["attribute-sets"] if part["name"] not in known]
        merged["operations"]["list"] += spec["operations"]["list"]
    return merged


def load(kept=os.path.join(ROOT, "build", "specs.json")):
    """As read(), for programs that are started hundreds of times: it is parsed once and kept."""
    newest = max(os.stat(path).st_mtime for path in SOURCES + [__file__])
    if os.path.exists(kept) and os.stat(kept).st_mtime > newest:
        with open(kept, encoding="ascii") as text:
            return json.load(text)
    spec = read()
    os.makedirs(os.path.dirname(kept), exist_ok=True)
    with open(f"{kept}.{os.getpid()}", "w", encoding="ascii") as text:
        json.dump(spec, text)
    os.rename(text.name, kept)
    return spec
