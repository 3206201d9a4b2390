# SPDX-License-Identifier: GPL-2.0
# Figures 8 and 9 of PANAMA's paper, by plan-sim. Set: dir (with the tables of selftests/sim/figures), to.
set terminal svg size 900,800 font "sans,12" background "white"
set output to
set multiplot layout 2,2
set grid ytics lt 1 lc rgb "#cccccc"
set border 3
set tics nomirror
file = dir . "/figure8"
other = dir . "/figure9"

set xlabel "load, with jobs as rings"
set xrange [0.18:0.82]
set yrange [0:*]
set key top left

set title "Short flows, 99th percentile (figure 8.a)"
set ylabel "ms"
plot file index 0 using 1:($2/1000) with linespoints pt 7 lw 2 lc rgb "#c0392b" title "ring", \
	file index 1 using 1:($2/1000) with linespoints pt 5 lw 2 lc rgb "#b9770e" title "weir without its rule", \
	file index 2 using 1:($2/1000) with linespoints pt 9 lw 2 lc rgb "#2471a3" title "weir", \
	file index 3 using 1:($2/1000) with linespoints pt 8 lw 2 lc rgb "#2471a3" dt 2 title "weir, one tree", \
	file index 4 using 1:($2/1000) with linespoints pt 11 lw 2 lc rgb "#1e8449" title "quorum 0.88", \
	file index 5 using 1:($2/1000) with linespoints pt 13 lw 2 lc rgb "#7d3c98" title "quorum 0.94", \
	file index 6 using 1:($2/1000) with lines lw 2 lc rgb "#555555" title "without jobs"

unset key
set title "Long flows (figure 8.b)"
set ylabel "Gbit/s"
plot file index 0 using 1:4 with linespoints pt 7 lw 2 lc rgb "#c0392b", \
	file index 1 using 1:4 with linespoints pt 5 lw 2 lc rgb "#b9770e", \
	file index 2 using 1:4 with linespoints pt 9 lw 2 lc rgb "#2471a3", \
	file index 3 using 1:4 with linespoints pt 8 lw 2 lc rgb "#2471a3" dt 2, \
	file index 4 using 1:4 with linespoints pt 11 lw 2 lc rgb "#1e8449", \
	file index 5 using 1:4 with linespoints pt 13 lw 2 lc rgb "#7d3c98", \
	file index 6 using 1:4 with lines lw 2 lc rgb "#555555"

set title "Training (figure 8.c); grey: jobs without others' traffic"
set ylabel "by the time on links of its own"
plot file index 0 using 1:($5 > 0 ? $5 : NaN) with linespoints pt 7 lw 2 lc rgb "#c0392b", \
	file index 1 using 1:($5 > 0 ? $5 : NaN) with linespoints pt 5 lw 2 lc rgb "#b9770e", \
	file index 2 using 1:($5 > 0 ? $5 : NaN) with linespoints pt 9 lw 2 lc rgb "#2471a3", \
	file index 3 using 1:($5 > 0 ? $5 : NaN) with linespoints pt 8 lw 2 lc rgb "#2471a3" dt 2, \
	file index 4 using 1:($5 > 0 ? $5 : NaN) with linespoints pt 11 lw 2 lc rgb "#1e8449", \
	file index 5 using 1:($5 > 0 ? $5 : NaN) with linespoints pt 13 lw 2 lc rgb "#7d3c98", \
	file index 6 using 1:5 with lines lw 2 lc rgb "#555555"

set title "One job of eight workers (figure 9)"
set xlabel "servers that send long flows"
set ylabel "an iteration, ms"
set xrange [-0.2:8.2]
set key top left
plot other index 0 using 1:2 with linespoints pt 9 lw 2 lc rgb "#2471a3" title "weir, four trees", \
	other index 1 using 1:2 with linespoints pt 6 lc rgb "#85c1e9" title "each of them alone", \
	other index 2 using 1:2 with linespoints pt 6 lc rgb "#85c1e9" notitle, \
	other index 3 using 1:2 with linespoints pt 6 lc rgb "#85c1e9" notitle, \
	other index 4 using 1:2 with linespoints pt 6 lc rgb "#85c1e9" notitle, \
	other index 5 using 1:2 with linespoints pt 7 lw 2 lc rgb "#c0392b" title "ring"
