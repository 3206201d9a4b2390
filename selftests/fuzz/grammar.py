#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The requests, replies and attributes of weir's families as tables in C, for a fuzzer.

usage: grammar.py >grammar_gen.h

The tables are those of live/grammar.h.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import specs  # pylint: disable=wrong-import-position

KINDS = {"u32": "GRAMMAR_U32", "uint": "GRAMMAR_UINT", "binary": "GRAMMAR_BINARY",
         "string": "GRAMMAR_STRING", "nest": "GRAMMAR_NEST", "flag": "GRAMMAR_FLAG"}
HIGHEST = {"u32": 2 ** 32 - 1, "uint": 2 ** 64 - 1}
LONGEST = 2 ** 16 - 1


def numbered(items):
    """Pairs of a number and an item; each is one higher than the last, unless it says."""
    number = 0
    for item in items:
        number = item.get("value", number + 1)
        yield number, item


def identifier(name):
    return "set_" + name.replace("-", "_")


class Spec:
    def __init__(self, spec):
        self.consts = {d["name"]: d["value"] for d in spec["definitions"] if d["type"] == "const"}
        self.enums = {d["name"]: d for d in spec["definitions"] if d["type"] == "enum"}
        self.sets = {s["name"]: s for s in spec["attribute-sets"]}
        self.ops = {o["name"]: o for o in spec["operations"]["list"]}

    def value(self, what):
        return self.consts.get(what, what)

    def range(self, attr):
        checks = attr.get("checks", {})
        low, high = 0, HIGHEST.get(attr["type"], 0)
        if "enum" in attr:
            enum = self.enums[attr["enum"]]
            low = enum.get("value-start", 0)
            high = low + len(enum["entries"]) - 1
        return self.value(checks.get("min", low)), self.value(checks.get("max", high))

    def lengths(self, attr):
        checks = attr.get("checks", {})
        exact = checks.get("exact-len")
        low, high = checks.get("min-len", 0), checks.get("max-len", LONGEST)
        return (exact, exact) if exact is not None else (self.value(low), self.value(high))

    def attribute(self, number, attr):
        nest = attr.get("nested-attributes")
        return "\t[%d] = { \"%s\", %s, %s, %dULL, %dULL, %d, %d, %s },\n" % (
            (number, attr["name"], KINDS[attr["type"]],
             "true" if attr.get("multi-attr") else "false") +
            self.range(attr) + self.lengths(attr) +
            ("&" + identifier(nest) if nest else "NULL",))

    def attribute_set(self, name, attrs):
        items = list(numbered(attrs["attributes"]))
        table = "".join(self.attribute(number, attr) for number, attr in items)
        return ("static const struct grammar_attr %s_attrs[] = {\n%s};\n\n"
                "static const struct grammar_set %s = { \"%s\", %s_attrs, %d };\n\n" % (
                    identifier(name), table, identifier(name), name, identifier(name),
                    items[-1][0]))

    def mask(self, op, part):
        """The attributes of a request or reply, a bit each."""
        numbers = {a["name"]: n for n, a in numbered(self.sets[op["attribute-set"]]["attributes"])}
        return sum(1 << numbers[name] for name in (part or {}).get("attributes", []))

    def operation(self, number, op):
        do, dump = op.get("do"), op.get("dump")
        said = op.get("event")
        if "notify" in op:
            op = dict(self.ops[op["notify"]], name=op["name"])
            do, dump, said = None, None, op["do"]["reply"]
        flag = {True: "true", False: "false"}
        return ("\t{ \"%s\", %d, &%s, %s, %s, %s, %#xULL, %#xULL, %#xULL, %#xULL, %#xULL },\n" % (
            op["name"], number, identifier(op["attribute-set"]),
            flag["admin-perm" in op.get("flags", [])], flag[do is not None],
            flag[dump is not None],
            self.mask(op, (do or {}).get("request")), self.mask(op, (do or {}).get("reply")),
            self.mask(op, (dump or {}).get("request")), self.mask(op, (dump or {}).get("reply")),
            self.mask(op, said)))


def main():
    spec = Spec(specs.read())
    print("/* Made from the specs in uapi/ by selftests/fuzz/grammar.py */\n")
    # Those that others hold come first.
    held = [a["nested-attributes"] for s in spec.sets.values() for a in s["attributes"]
            if "nested-attributes" in a]
    for name in sorted(spec.sets, key=lambda name: (name not in held, held.index(name)
                                                    if name in held else 0)):
        print(spec.attribute_set(name, spec.sets[name]), end="")
    print("static const struct grammar_op grammar_table[] = {")
    for number, op in numbered(spec.ops.values()):
        print(spec.operation(number, op), end="")
    print("};")


main()
