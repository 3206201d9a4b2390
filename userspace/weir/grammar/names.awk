# SPDX-License-Identifier: GPL-2.0
# Makes the tables of names.c from the headers that are made from the specs:
# each enum with its words and what its kernel-doc says of them, and the counters by
# the names of their attributes.
#
#	awk -f names.awk uapi/weir.h uapi/weir_trim_nl.h uapi/weir_xdp_nl.h >names_gen.h

function word(constant, prefix)
{
	sub("^" prefix, "", constant)
	gsub("_", "-", constant)
	return tolower(constant)
}

# "WEIR_REASON_RUNT" of the enum weir_reason
function emit(constant,    prefix)
{
	prefix = toupper(name) "_"
	printf "\t{ %s, \"%s\", %s },\n", constant, word(constant, prefix),
		(constant in doc) ? "\"" doc[constant] "\"" : "NULL"
}

/^ \* @[A-Z_0-9]+:/ {
	last = $2
	sub("^@", "", last)
	sub(":$", "", last)
	text = $0
	sub("^ \\* @[A-Z_0-9]+: *", "", text)
	gsub("[\"\\\\]", "\\\\&", text)
	doc[last] = text
	next
}

# The rest of a long description.
/^ \*   / && last {
	text = $0
	sub("^ \\* +", "", text)
	gsub("[\"\\\\]", "\\\\&", text)
	doc[last] = doc[last] " " text
	next
}

{ last = "" }

/^enum weir_[a-z_]+ \{/ {
	name = $2
	short = name
	private = 0
	sub("^weir_(xdp_)?", "", short)
	printf "static const struct name %ss[] = {\n", short
	next
}

# What counts the members is none.
/private:/ { private = 1 }

name && /^};/ {
	print "};\n"
	name = ""
	next
}

name && /^\tWEIR_[A-Z_0-9]+( = [0-9]+)?,/ {
	constant = $1
	sub(",$", "", constant)
	if (!private)
		emit(constant)
}

# Attributes have no name for their enum: the first of the counters begins theirs, and
# what follows them, a nest or the enum's end, ends it.
function begin(table, attributes)
{
	counters = attributes
	print "static const struct name " table "[] = {"
}
/^\tWEIR_A_STATS_CONTRIBUTIONS = 1,/ { begin("counters", "WEIR_A_STATS_") }
/^\tWEIR_A_TRIM_STATS_WHOLE = 1,/ { begin("trim_counters", "WEIR_A_TRIM_STATS_") }
/^\tWEIR_A_CHAIN_STATS_ABORTED = 1,/ { begin("chain_counters", "WEIR_A_CHAIN_STATS_") }
/^\tWEIR_A_FLOW_STATS_RECORDS = 1,/ { begin("flow_counters", "WEIR_A_FLOW_STATS_") }
/^\tWEIR_A_FILTER_STATS_PACKETS = 1,/ { begin("filter_counters", "WEIR_A_FILTER_STATS_") }
/^\tWEIR_A_ORDER_STATS_PACKETS = 1,/ { begin("order_counters", "WEIR_A_ORDER_STATS_") }
counters && (/^\tWEIR_A_STATS_REFUSAL,/ || /^$/) { counters = ""; print "};\n" }
counters && $1 ~ "^" counters {
	constant = $1
	sub(",$", "", constant)
	printf "\t{ %s, \"%s\", NULL },\n", constant, word(constant, counters)
}
