# SPDX-License-Identifier: GPL-2.0
# Figures 8 and 9 of PANAMA's paper, by plan-sim. Set: dir (with the tables of selftests/sim/figures), to.
set terminal svg size 900,900 font "sans,12" background "white"
set output to
set multiplot layout 2,2
set grid ytics lt 1 lc rgb "#cccccc"
set border 3
set tics nomirror
file = dir . "/figure8"
other = dir . "/figure9"

# The schemes, in the order of the table.
array names[8] = ["ring, DCTCP", "ring, TCP without marks", "weir without its rule", "weir", \
	"weir, one tree", "quorum 0.88", "quorum 0.94", "weir, marks of the worst source"]
array colours[8] = [0xc0392b, 0x922b21, 0xb9770e, 0x2471a3, 0x2471a3, 0x1e8449, 0x7d3c98, 0x17a589]
array points[8] = [7, 6, 5, 9, 8, 11, 13, 4]
array dashes[8] = [1, 2, 1, 1, 2, 1, 1, 1]

set xlabel "load, with jobs as rings"
set xrange [0.18:0.82]

set title "Short flows, 99th percentile (figure 8.a)"
set ylabel "ms"
set yrange [1:500]
set logscale y
set key top left
plot for [i=1:8] file index i-1 using 1:($2/1000) with linespoints pt points[i] dt dashes[i] \
		lw 2 lc rgb colours[i] title names[i], \
	file index 8 using 1:($2/1000) with lines lw 2 lc rgb 0x555555 title "without jobs"
unset logscale y

unset key
set yrange [0:*]
set title "Long flows, mean (figure 8.b)"
set ylabel "Gbit/s"
plot for [i=1:8] file index i-1 using 1:4 with linespoints pt points[i] dt dashes[i] \
		lw 2 lc rgb colours[i], \
	file index 8 using 1:4 with lines lw 2 lc rgb 0x555555

set title "Training (figure 8.c); grey: weir without others' traffic"
set ylabel "by the time on links of its own"
plot for [i=1:8] file index i-1 using 1:($5 > 0 ? $5 : NaN) with linespoints pt points[i] \
		dt dashes[i] lw 2 lc rgb colours[i], \
	file index 8 using 1:5 with lines lw 2 lc rgb 0x555555

set title "One job of eight workers (figure 9)"
set xlabel "servers that send long flows"
set ylabel "an iteration, ms"
set xrange [-0.2:8.2]
set key top left
plot other index 0 using 1:2 with linespoints pt 9 lw 2 lc rgb 0x2471a3 title "weir, four trees", \
	for [i=1:4] other index i using 1:2 with points pt 6 lc rgb 0x85c1e9 \
		title i == 1 ? "each of them alone" : "", \
	other index 5 using 1:2 with linespoints pt 7 lw 2 lc rgb 0xc0392b title "ring"
