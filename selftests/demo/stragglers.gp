# SPDX-License-Identifier: GPL-2.0
# Iteration time and accuracy by how often a worker is slowed down (Trio paper, figure
# 13), from what selftests/demo/stragglers.sh has printed. Set: from, to.
points(policy) = sprintf("< sed -n 's/^# point %s //p' %s", policy, from)

set terminal svg size 760,360 font "sans,12" background "white"
set output to
set multiplot layout 1,2
set key top left
set grid ytics lt 1 lc rgb "#cccccc"
set border 3
set tics nomirror
set xrange [-1:17]
set xtics 0,4,16
set xlabel "straggling probability, %"

set title "Time of an iteration"
set ylabel "by that without stragglers"
set yrange [0.9:1.8]
plot points("wait") using 1:3 with linespoints lw 2 pt 7 lc rgb "#c0392b" title "wait", \
	points("partial") using 1:3 with linespoints lw 2 pt 5 lc rgb "#2471a3" title "partial"

set title "Accuracy after 12 epochs"
set ylabel "of the test's digits, %"
set yrange [90:100]
set key bottom left samplen 2
plot points("wait") using 1:(100*$4) with linespoints lw 2 pt 7 lc rgb "#c0392b" title "wait", \
	points("partial") using 1:(100*$4) with linespoints lw 2 pt 5 lc rgb "#2471a3" title "partial", \
	points("partial-drop") using 1:(100*$4) with points pt 6 ps 1.4 lw 2 lc rgb "#555555" \
	title "late ones dropped"
