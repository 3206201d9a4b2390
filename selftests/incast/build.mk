# SPDX-License-Identifier: GPL-2.0
# Programs to measure trimming with: a simulated switch, senders, a receiver.
incast_dir := selftests/incast

$(eval $(call program,trim-sim,$(incast_dir)/sim.c $(incast_dir)/switch.c kmod/trim/bands.c,-I. -Ibpf/lib -Ikmod \
	-I$(incast_dir) -I$(incast_dir)/include -include $(incast_dir)/include/linux/compiler.h,-lm))
$(eval $(call program,trim-incast,$(incast_dir)/incast.c))
$(eval $(call program,trim-sink,$(incast_dir)/sink.c))
$(eval $(call program,trim-ndp,$(incast_dir)/ndp.c))
