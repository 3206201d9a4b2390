# SPDX-License-Identifier: GPL-2.0
# The meters of bpf/lib/trim/weir_meter.h on the simulated switch, as figures 6 to 9 of the
# trimming paper. Set: dir (with what trim-sim has printed), to.
set terminal svg size 900,1000 font "sans,12" background "white"
set output to
set multiplot layout 3,2
set grid ytics lt 1 lc rgb "#cccccc"
set border 3
set tics nomirror
file(name) = sprintf("%s/%s", dir, name)

set title "Whole frames, to 16 ports (figure 6.a)"
set xlabel "senders"
set ylabel "of what the links carry"
set yrange [0.8:1.02]
set key bottom left
plot file("senders") using 1:3 with lines lw 2 lc rgb "#555555" title "ideal queue", \
	file("senders") using 1:2 with lines lw 2 lc rgb "#2471a3" title "per-CPU meters"

set title "Trimmed beyond the ideal (figure 6.b)"
set ylabel "%"
set yrange [-2:12]
plot file("senders") using 1:($5 > 0 ? 100 * ($4 / $5 - 1) : 0) with lines lw 2 lc rgb "#2471a3" notitle

set title "Pessimistic ports, 32 senders (figure 7.b)"
set xlabel "time, us"
set ylabel "port"
set xrange [0:200]
set yrange [0:17]
plot file("timeline") using 1:2 with lines lw 3 lc rgb "#c0392b" notitle

set title "Waiting for the slow path (figure 8.c)"
set xlabel "t0, us"
set ylabel "at most"
set xrange [0:30]
set yrange [1:*]
set logscale y
set key top right
plot file("response") index 0 using 1:6 with linespoints pt 7 lw 2 lc rgb "#c0392b" title "64 senders", \
	file("response") index 1 using 1:6 with linespoints pt 5 lw 2 lc rgb "#2471a3" title "32", \
	file("response") index 2 using 1:6 with linespoints pt 9 lw 2 lc rgb "#555555" title "18"
unset logscale y

set title "Whole frames, answers to an overflow (figure 9)"
set ylabel "of what the links carry"
set yrange [0:1]
set key at graph 0.99,0.42
plot file("modes") index 0 using 1:2 with linespoints pt 7 lw 2 lc rgb "#2471a3" title "quarter, then half", \
	file("modes") index 1 using 1:2 with linespoints pt 5 lw 2 lc rgb "#c0392b" title "quarter alone", \
	file("modes") index 2 using 1:2 with linespoints pt 9 lw 2 lc rgb "#555555" title "all trimmed"

set ylabel "at most"
set title "Waiting for the slow path, one CPU told or all"
set ylabel "at most"
set yrange [1:*]
set logscale y
set key top right
plot file("response") index 0 using 1:6 with linespoints pt 7 lw 2 lc rgb "#2471a3" title "64 senders, all told", \
	file("modes") index 4 using 1:6 with linespoints pt 5 lw 2 lc rgb "#c0392b" title "64 senders, one told", \
	file("response") index 1 using 1:6 with linespoints pt 6 lw 2 lc rgb "#2471a3" title "32, all", \
	file("modes") index 3 using 1:6 with linespoints pt 4 lw 2 lc rgb "#c0392b" title "32, one"
