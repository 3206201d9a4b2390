# SPDX-License-Identifier: GPL-2.0
"""Files of the project as the kernel's tree has them: in other places, and without differences between kernels."""
import os
import re
import subprocess

from plan import INCLUDE, ROOT, Failure, read

# A directory of the project and its place in the tree.
PLACES = (
    ("kmod/core/", "net/weir/core/"),
    ("kmod/agg/", "net/weir/agg/"),
    ("kmod/xdp/", "net/weir/xdp/"),
    ("kmod/trim/", "net/sched/weir/"),
    ("bpf/lib/", "net/weir/lib/"),
    ("uapi/", "include/uapi/linux/"),
    ("packaging/series/tree/", ""),
)
SPECS = "Documentation/netlink/specs/"
COMPAT = "kmod/core/base/compat.h"
# Lines of a module outside of the tree.
OUTSIDE = re.compile(r"^MODULE_VERSION\(WEIR_VERSION\);\n", re.M)
LINE = 80


def place(path):
    """Return where a file of the project is in the tree."""
    if path.startswith("uapi/") and path.endswith(".yaml"):
        return SPECS + path[len("uapi/"):]
    for here, there in PLACES:
        if path.startswith(here):
            return there + path[len(here):]
    raise Failure(f"{path} has no place in the tree")


def home(path):
    """Return the file of the project that is at this place in the tree, as place() has it."""
    for here, there in PLACES:
        if path.startswith(there):
            return here + path[len(there):]
    return path


class Kernel:
    """What one kernel's tree has of the interfaces that compat.h makes up for."""

    def __init__(self, linux):
        self.linux = linux
        self.flags = ["-DCONFIG_64BIT", "-UCONFIG_CPU_BIG_ENDIAN"]
        tests = dict(re.findall(r"^subdir-ccflags-\$\(call (weir-has,\S+)\) \+= -D(WEIR_HAVE_\w+)$", read("Kbuild"), re.M))
        names = {name: self.has(*test.split(",", 2)[1:]) for test, name in tests.items()}
        names["WEIR_HAVE_NS_STRING"] = not self.has("linux/export.h", "ns.*__stringify.ns")
        for name in re.findall(r"^#if(?:n?def| .*defined\() ?\(?(\w+)", read(COMPAT), re.M):
            if not name.startswith(("WEIR_HAVE", "CONFIG", "_WEIR", "__has")):
                names[name] = self.defines(name)
        missing = set(re.findall(r"WEIR_HAVE_\w+", read(COMPAT))) - set(names)
        if missing:
            raise Failure(f"Kbuild does not test for {' '.join(sorted(missing))}")
        self.flags += [("-D" if there else "-U") + name for name, there in sorted(names.items())]
        self.macros = self.read_macros()
        self.allocates_objects = self.defines("kzalloc_obj")

    def has(self, header, pattern):
        return subprocess.run(["grep", "-qsw", pattern, os.path.join(self.linux, "include", header)], check=False).returncode == 0

    def defines(self, name):
        return subprocess.run(["grep", "-rqsE", rf"^# *define {name}\b", os.path.join(self.linux, "include/linux")],
                              check=False).returncode == 0

    def reduce(self, text):
        """Return the text without what other kernels need."""
        done = subprocess.run(["unifdef", "-k", *self.flags], input=text, text=True, capture_output=True, check=False)
        if done.returncode > 1:
            raise Failure("unifdef: " + done.stderr)
        return done.stdout

    def read_macros(self):
        """Return the macros of compat.h by name, (arguments, body). There must be nothing else left in it."""
        text = re.sub(r"/\*.*?\*/", "", self.reduce(read(COMPAT)), flags=re.S)
        found = {}

        def take(match):
            found[match[1]] = (match[2], re.sub(r"\s*\\\n\s*", " ", match[3]).strip())
            return ""
        text = re.sub(r"^#define ((?:weir|WEIR)_\w+)(\(\w+(?:, \w+)*\))?[ \t]+((?:.*\\\n)*.*\n)", take, text, flags=re.M)
        text = INCLUDE.sub("", re.sub(r"^#(ifndef|define) _WEIR_COMPAT_H\n|^#endif\s*$", "", text, flags=re.M))
        if text.strip():
            raise Failure(f"{COMPAT}: this kernel still needs\n{text.strip()}")
        return found

    def expand(self, text):
        """Return the text with the macros of compat.h expanded."""
        for name, (arguments, body) in self.macros.items():
            if arguments:
                parameters = arguments.strip("()").split(", ")
                for call in reversed(list(re.finditer(rf"\b{name}\(([^()]*)\)", text))):
                    values, expansion = call[1].split(", "), body
                    for parameter, value in zip(parameters, values):
                        expansion = re.sub(rf"\({parameter}\)|\b{parameter}\b", value, expansion)
                    if expansion[0] == "(" and expansion[-1] == ")" and expansion[1] != "(":
                        expansion = expansion[1:-1]
                    text = text[:call.start()] + expansion + text[call.end():]
            else:
                text = re.sub(rf"^(.*)\b{name}\b(.*)$", lambda line, body=body: wrapped(line[1] + body + line[2]), text, flags=re.M)
        return text

    def allocations(self, text):
        """Return the text with allocations of one object by its type, where the kernel has that."""
        if not self.allocates_objects:
            return text
        return re.sub(r"\b(kv?[mz]alloc)\(sizeof\((\*?[\w>.-]+|struct \w+)\), (\w*GFP\w*)\)", r"\1_obj(\2, \3)", text)


def wrapped(line):
    """Return a declaration in lines that are aligned behind its opening parenthesis."""
    indent = line.index("(") + 1
    lines, words = [], line.split(", ")
    for number, word in enumerate(words):
        word += "," if number < len(words) - 1 else ""
        if lines and len(lines[-1]) + 1 + len(word) <= LINE:
            lines[-1] += " " + word
        else:
            lines.append(word if not lines else "\t" * (indent // 8) + " " * (indent % 8) + word)
    return "\n".join(lines)


def includes(path, text):
    """Return the text with the paths of the tree in its #include lines."""
    def line(match):
        quote, name = match[1], match[2]
        if name == "core/base/compat.h":
            return ""
        header = os.path.basename(name)
        if os.path.isfile(os.path.join(ROOT, "uapi", header)) and name in (header, "uapi/" + header):
            return f"#include <{'' if path.startswith('uapi/') else 'uapi/'}linux/{header}>\n"
        if quote == '"' and name.startswith("trim/") and path.startswith("kmod/"):
            return f'#include "weir/{name[len("trim/"):]}"\n'
        return match[0]
    text = INCLUDE.sub(line, text)
    return text.replace("TRACE_INCLUDE_FILE trim/", "TRACE_INCLUDE_FILE weir/")


def mentions(text):
    """Return the text with the paths of the tree where a comment names a file."""
    text = re.sub(r"\buapi/(weir\w*\.h)", r"linux/\1", text)
    return re.sub(r"\bkmod/(?:core|agg|trim|xdp)/", lambda match: dict(PLACES)[match[0]], text)


def adapted(path, text, kernel):
    """Return the text of a file of the project as the tree has it."""
    if not path.endswith((".c", ".h")):
        return text
    if "WEIR_HAVE_" in text:
        text = kernel.reduce(text)
    text = mentions(includes(path, kernel.allocations(kernel.expand(OUTSIDE.sub("", text)))))
    return re.sub(r"\n{3,}", "\n\n", text)
