# SPDX-License-Identifier: BSD-2-Clause
# The binding and the plug-ins for torch and Dask: a package, which is not compiled.

python_dir := userspace/python

# Debian's interpreters look below /usr/lib/python3 and /usr/local/lib/python3.X.
PYTHON_LIB ?= $(if $(filter /usr,$(PREFIX)),/usr/lib/python3,$(PREFIX)/lib/$(shell \
	$(PYTHON) -c 'import sys; print("python%d.%d" % sys.version_info[:2])'))/dist-packages

INSTALL_PYTHON := $(wildcard $(python_dir)/weir/*.py) $(python_dir)/weir/py.typed
INSTALL_PYTHON_DASK := $(wildcard $(python_dir)/weir/dask/*.py)
INSTALL_PYTHON_TORCH := $(wildcard $(python_dir)/weir/torch/*.py)

# Without a network, and with nothing written beside the sources.
WHEEL ?= $(B)/wheel
wheel:
	$(Q)rm -rf '$(WHEEL)/source' && mkdir -p '$(WHEEL)/source'
	$(Q)cp -rL $(python_dir)/{pyproject.toml,VERSION,weir} '$(WHEEL)/source'
	$(Q)$(PYTHON) -m pip -q wheel --no-index --no-deps --no-build-isolation -w '$(WHEEL)' '$(WHEEL)/source'
	$(Q)rm -rf '$(WHEEL)/source'
