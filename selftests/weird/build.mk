# SPDX-License-Identifier: GPL-2.0
# weird with a stand-in for the module, and with the sanitizers.

weirdtests_dir := selftests/weird
weirdtests_sources := $(filter-out %/box/box.c %/box/hear.c,$(weird_sources)) $(weirdtests_dir)/fake-box.c
weirdtests_wrap := -Wl,--wrap=renameat,--wrap=unlinkat

$(eval $(call program,test-weird,$(weirdtests_sources),$(weird_flags) $(libtests_sanitize),\
	$(libtests_sanitize) $(weirdtests_wrap) $(weird_libs),$(B)/weir/names_gen.h))
