-- SPDX-License-Identifier: GPL-2.0
-- Packets of weir's jobs in Wireshark and tshark: all of the formats of uapi/weir_wire.h, and what
-- is left of packets that a queue on the way has trimmed.

-- generated: dtypes
local dtypes = {
	[1] = "int32", [2] = "float32", [3] = "bfloat16", [4] = "float16", [5] = "int64",
	[6] = "float64",
}
-- generated: end
-- generated: ops
local ops = {
	[1] = "sum", [2] = "min", [3] = "max",
}
-- generated: end
-- generated: formats
local formats = {
	[1] = "trio", [2] = "lab", [3] = "lab-ethernet", [4] = "switchml", [5] = "panama",
	[6] = "kv",
}
-- generated: end
local sizes = { [1] = 4, [2] = 4, [3] = 2, [4] = 2, [5] = 8, [6] = 8 }
local ect = { [0] = "not ECN-capable", [1] = "ECT(1)", [2] = "ECT(0)", [3] = "CE" }

-- Releases of Wireshark have different versions of Lua, not all of which have bits.
local function has(value, bit)
	return math.floor(value / bit) % 2 == 1
end

-- As many of the bytes as make whole 32-bit words.
local function words(length)
	return math.floor(length / 4) * 4
end

local trio = Proto("weir", "weir (Trio-ML)")
local lab = Proto("weir_lab", "weir, format lab")
local switchml = Proto("weir_switchml", "weir, format SwitchML")
local panama = Proto("weir_panama", "weir, format PANAMA")
local kv = Proto("weir_kv", "weir, key-value stream")

trio.prefs.ports = Pref.range("UDP ports", "12000", "of jobs of format trio", 65535)
trio.prefs.dtype = Pref.enum("Gradients", 0, "where no join has shown their type",
	{ { 0, "as their length tells", 0 }, { 1, "int32", 1 }, { 2, "float32", 2 },
	  { 3, "bfloat16", 3 }, { 4, "float16", 4 }, { 5, "int64", 5 }, { 6, "float64", 6 } }, false)
lab.prefs.ports = Pref.range("UDP ports", "8000", "of jobs of format lab", 65535)
switchml.prefs.ports = Pref.range("UDP ports", "48864", "of jobs of format switchml", 65535)
panama.prefs.ports = Pref.range("UDP ports", "12056", "of jobs of format panama", 65535)
kv.prefs.ports = Pref.range("UDP ports", "12064", "of jobs of format kv", 65535)

-- What all formats have: the gradients, and how many of them are missing.
local common = {
	kind = ProtoField.string("weir.kind", "Packet"),
	gradients = ProtoField.bytes("weir.gradients", "Gradients"),
	present = ProtoField.uint32("weir.gradients.present", "Gradients in the packet"),
	trimmed = ProtoField.bool("weir.trimmed", "Trimmed"),
	dscp = ProtoField.uint8("weir.trimmed.dscp", "DSCP of the trimmed packet"),
	ecn = ProtoField.uint8("weir.ecn", "ECN", base.DEC, ect),
}

local t = {
	job = ProtoField.uint8("weir.job", "Job"),
	block = ProtoField.uint32("weir.block", "Block"),
	flags = ProtoField.uint8("weir.flags", "Flags", base.HEX),
	age = ProtoField.uint8("weir.flags.age_op", "Age operation", base.HEX, nil, 0xf0),
	aged = ProtoField.bool("weir.flags.aged", "Aged out", 8, nil, 0x10),
	unlike = ProtoField.bool("weir.flags.unlike", "Contributions were unlike", 8, nil, 0x20),
	wanted = ProtoField.bool("weir.flags.wanted", "Contribution wanted", 8, nil, 0x10),
	final = ProtoField.bool("weir.flags.final", "Final", 8, nil, 0x08),
	degraded = ProtoField.bool("weir.flags.degraded", "Degraded", 8, nil, 0x04),
	overflow = ProtoField.bool("weir.flags.overflow", "Overflow", 8, nil, 0x02),
	control = ProtoField.bool("weir.flags.control", "Control", 8, nil, 0x01),
	source = ProtoField.uint8("weir.source", "Source"),
	sources = ProtoField.uint8("weir.sources", "Sources in it (modulo 256)"),
	generation = ProtoField.uint16("weir.generation", "Generation"),
	joined = ProtoField.bool("weir.joined", "Joined", 16, nil, 0x8000),
	down = ProtoField.bool("weir.down", "From a box to its workers", 16, nil, 0x4000),
	has_exponent = ProtoField.bool("weir.has_exponent", "Exponent follows", 16, nil, 0x2000),
	up = ProtoField.bool("weir.up", "From a box to its parent", 16, nil, 0x1000),
	count = ProtoField.uint16("weir.count", "Gradients", base.DEC, nil, 0x0fff),
	exponent = ProtoField.int32("weir.exponent", "Exponent"),
	members = ProtoField.string("weir.members", "Ranks in it"),
	below = ProtoField.string("weir.below", "Ranks below the box"),
	nonce = ProtoField.uint32("weir.join.nonce", "Nonce", base.HEX),
	ranks = ProtoField.uint32("weir.join.ranks", "Ranks"),
	blocks = ProtoField.uint32("weir.join.blocks", "Blocks"),
	grads = ProtoField.uint32("weir.join.grads", "Gradients a block"),
	cookie = ProtoField.uint64("weir.join.cookie", "Cookie", base.HEX),
	timeout = ProtoField.uint64("weir.join.timeout", "The box's timeout, in nanoseconds"),
	dtype = ProtoField.uint8("weir.join.dtype", "Type of gradients", base.DEC, dtypes),
	op = ProtoField.uint8("weir.join.op", "Operation", base.DEC, ops),
	format = ProtoField.uint8("weir.join.format", "Format", base.DEC, formats),
	member = ProtoField.uint16("weir.join.member", "1 + rank among all"),
	cwnd_cap = ProtoField.uint16("weir.join.cwnd_cap", "Blocks that may be under way"),
	dead = ProtoField.string("weir.notice.dead", "Dead"),
	excluded = ProtoField.string("weir.notice.excluded", "Excluded"),
	waiting = ProtoField.string("weir.notice.waiting", "Waiting for others"),
	oldest = ProtoField.uint32("weir.behind.oldest", "Oldest block that can be continued at"),
	next = ProtoField.uint32("weir.behind.next", "Block after the last one sent"),
	brief = ProtoField.bool("weir.flags.brief", "Gradients of the result are not needed", 8, nil, 0x10),
	empty = ProtoField.bool("weir.flags.empty", "Without its gradients", 8, nil, 0x40),
	ack = ProtoField.bool("weir.flags.ack", "Acknowledgment", 8, nil, 0x40),
	little = ProtoField.bool("weir.flags.little", "Gradients are little-endian", 8, nil, 0x80),
	takes_little = ProtoField.bool("weir.join.little", "Little-endian gradients", 8, nil, 0x02),
	takes_shares = ProtoField.bool("weir.join.shares", "Contributions and results without gradients", 8, nil, 0x04),
}

local l = {
	workers = ProtoField.uint32("weir_lab.workers", "Workers"),
	chunk_size = ProtoField.uint32("weir_lab.chunk_size", "Values"),
	variant = ProtoField.string("weir_lab.variant", "Variant"),
	rank = ProtoField.uint32("weir_lab.rank", "Rank"),
	chunk = ProtoField.uint32("weir_lab.chunk", "Chunk"),
	total = ProtoField.uint32("weir_lab.chunks", "Chunks of the iteration"),
	slot = ProtoField.uint8("weir_lab.slot", "Slot"),
	scale = ProtoField.int32("weir_lab.m_val", "Scale (m_val)"),
}

local s = {
	kind = ProtoField.uint8("weir_switchml.kind", "Type and size", base.HEX),
	job = ProtoField.uint8("weir_switchml.tensor", "Tensor (modulo 256)"),
	packet = ProtoField.uint32("weir_switchml.packet", "Packet of the thread"),
	second = ProtoField.bool("weir_switchml.second", "Second set", 16, nil, 0x8000),
	slot = ProtoField.uint16("weir_switchml.slot", "Slot", base.DEC, nil, 0x7fff),
	exponent0 = ProtoField.int8("weir_switchml.exponent", "Exponent"),
	exponent1 = ProtoField.int8("weir_switchml.exponent2", "Second exponent"),
}

local p = {
	kind = ProtoField.uint8("weir_panama.kind", "Version and direction", base.HEX,
		{ [0x11] = "from a worker", [0x12] = "from a box" }),
	fin = ProtoField.bool("weir_panama.fin", "Last packet of the round", 8, nil, 0x01),
	box = ProtoField.bool("weir_panama.box", "Sum of a box", 8, nil, 0x02),
	job = ProtoField.uint16("weir_panama.job", "Job (JID)"),
	tree = ProtoField.uint8("weir_panama.tree", "Tree (TID)"),
	worker = ProtoField.uint8("weir_panama.worker", "Worker"),
	cwnd_cap = ProtoField.uint16("weir_panama.cwnd_cap", "Packets that may be under way"),
	vid = ProtoField.uint32("weir_panama.vid", "Packet of the round (VID)"),
	round = ProtoField.uint16("weir_panama.round", "Round"),
	sources = ProtoField.uint16("weir_panama.sources", "Workers in it"),
}

local statuses = { [0] = "OK", [1] = "bring the cookie", [2] = "opened", [3] = "unknown session",
		   [4] = "the number is taken", [5] = "another operation or type" }

local k = {
	kind = ProtoField.uint8("weir_kv.kind", "Version and direction", base.HEX,
		{ [0x11] = "towards the reducer", [0x12] = "back" }),
	flags = ProtoField.uint8("weir_kv.flags", "Flags", base.HEX),
	cpa = ProtoField.bool("weir_kv.flags.cpa", "Valid (CPA)", 8, nil, 0x80),
	cpk = ProtoField.bool("weir_kv.flags.cpk", "Acknowledgement (CPK)", 8, nil, 0x40),
	cpd = ProtoField.bool("weir_kv.flags.cpd", "Of a box's table (CPD)", 8, nil, 0x20),
	packed = ProtoField.bool("weir_kv.flags.packed", "Packed", 8, nil, 0x10),
	open = ProtoField.bool("weir_kv.flags.open", "Opens a session", 8, nil, 0x08),
	collect = ProtoField.bool("weir_kv.flags.collect", "Collects the table", 8, nil, 0x04),
	fin = ProtoField.bool("weir_kv.flags.fin", "Last packet", 8, nil, 0x02),
	silent = ProtoField.bool("weir_kv.flags.silent", "The box's own receiver is silent", 8, nil, 0x01),
	op = ProtoField.uint8("weir_kv.op", "Operation", base.DEC, ops),
	dtype = ProtoField.uint8("weir_kv.dtype", "Type of values", base.DEC, dtypes),
	job = ProtoField.uint16("weir_kv.job", "Job"),
	source = ProtoField.uint16("weir_kv.source", "Source"),
	pairs = ProtoField.uint16("weir_kv.pairs", "Pairs"),
	status = ProtoField.uint16("weir_kv.status", "Status", base.DEC, statuses),
	window = ProtoField.uint16("weir_kv.window", "Window, packets"),
	seq = ProtoField.uint32("weir_kv.seq", "Packet"),
	session = ProtoField.uint32("weir_kv.session", "Session", base.HEX),
	more = ProtoField.uint64("weir_kv.more", "Further packets, or the cookie", base.HEX),
	key = ProtoField.string("weir_kv.key", "Key"),
	value = ProtoField.bytes("weir_kv.value", "Value"),
}

local short = ProtoExpert.new("weir.short", "The packet is shorter than it says, as one that was trimmed",
	expert.group.SEQUENCE, expert.severity.NOTE)
local longer = ProtoExpert.new("weir.longer", "The packet is longer than its fields",
	expert.group.MALFORMED, expert.severity.WARN)

local function listed(...)
	local list = {}
	for _, fields in ipairs({ ... }) do
		for _, field in pairs(fields) do
			list[#list + 1] = field
		end
	end
	return list
end
trio.fields = listed(common, t)
trio.experts = { short, longer }
lab.fields, switchml.fields, panama.fields, kv.fields = listed(l), listed(s), listed(p), listed(k)

local ip_dsfield = Field.new("ip.dsfield")
local ipv6_tclass = Field.new("ipv6.tclass")
local udp_header = Field.new("udp")
local udp_ports = Field.new("udp.port")

local function traffic_class()
	local class = ip_dsfield() or ipv6_tclass()
	return class and class.value
end

-- Marks a packet that lacks a part, and says the DSCP that the queue gave it.
local function cut_off(tree, pinfo)
	local class = traffic_class()
	tree:add(common.trimmed, true):set_generated()
	if class then
		tree:add(common.dscp, math.floor(class / 4)):set_generated()
	end
	tree:add_proto_expert_info(short)
	pinfo.cols.info:append(", trimmed")
end

local function ecn(tree)
	local class = traffic_class()
	if class then
		tree:add(common.ecn, class % 4):set_generated()
	end
end

-- Adds count gradients of size bytes from offset on, as far as they are there. Returns where
-- they end, or nil where they do not.
local function gradients(tree, pinfo, tvb, offset, count, size)
	local there = math.min(count * size, tvb:len() - offset)
	if there > 0 then
		tree:add(common.gradients, tvb(offset, there))
	end
	tree:add(common.present, math.floor(there / size)):set_generated()
	if there < count * size then
		cut_off(tree, pinfo)
		return nil
	end
	return offset + there
end

-- The numbers of the bits that are set in a bitmap of 32-bit words: "0-3 7".
local function ranks(range)
	local said, first, last = {}, nil, nil
	local function say()
		if first then
			said[#said + 1] = first == last and tostring(first) or (first .. "-" .. last)
		end
	end
	for word = 0, math.floor(range:len() / 4) - 1 do
		local bits = range(4 * word, 4):uint()
		for bit = 0, 31 do
			if has(bits, 2 ^ bit) then
				local rank = 32 * word + bit
				if last ~= rank - 1 then
					say()
					first = rank
				end
				last = rank
			end
		end
	end
	say()
	return #said > 0 and table.concat(said, " ") or "none"
end

local function bitmap(tree, field, tvb, offset, length)
	tree:add(field, tvb(offset, length), ranks(tvb(offset, length)))
end

-- Types of gradients, by box and job, as the boxes' answers to joins have said them.
local known = {}
function trio.init()
	known = {}
end

local function key(box, job)
	return tostring(box) .. "/" .. job
end

local function size_of(pinfo, head, room)
	local dtype = known[key(head.down and pinfo.src or pinfo.dst, head.job)] or trio.prefs.dtype
	if sizes[dtype] then
		return sizes[dtype]
	end
	-- What a trimmed packet has left tells nothing; most jobs have gradients of 4 bytes.
	return room == 2 * head.count and 2 or room == 8 * head.count and 8 or 4
end

local function trio_kind(head)
	local flags = head.flags
	if has(flags, 0x01) then
		if has(flags, 0x10) and (head.down or head.up) then
			return head.up and "notice of a box" or "notice"
		elseif not head.down then
			return head.up and "join of a box" or "join"
		end
		if has(flags, 0x40) then
			return "behind"
		end
		return has(flags, 0x20) and "cookie" or has(flags, 0x04) and "refused join" or "answer to a join"
	elseif head.count == 0 then
		return head.down and "reply" or has(flags, 0x40) and "acknowledgment" or "query"
	end
	return head.down and "result" or head.up and "contribution of a box" or "contribution"
end

-- Return true for contributions of workers and results, which may lack their gradients.
local function may_be_empty(head)
	return head.count > 0 and not head.up
end

local function trio_flags(tree, tvb, head)
	local flags = tree:add(t.flags, tvb(5, 1))
	local is_result = head.down and head.count > 0
	if head.count > 0 then
		flags:add(t.little, tvb(5, 1))
	end
	for _, field in ipairs({ t.age, t.final, t.degraded, t.overflow, t.control }) do
		flags:add(field, tvb(5, 1))
	end
	if is_result or head.up then
		flags:add(t.aged, tvb(5, 1))
		flags:add(t.unlike, tvb(5, 1))
	elseif head.down and not has(head.flags, 0x01) then
		flags:add(t.wanted, tvb(5, 1))
	elseif not head.down then
		flags:add(head.count > 0 and t.brief or t.ack, tvb(5, 1))
	end
	if may_be_empty(head) then
		flags:add(t.empty, tvb(5, 1))
	end
end

local function trio_join(tree, pinfo, tvb, head)
	if tvb:len() < 44 then
		return cut_off(tree, pinfo)
	end
	local join = tree:add(tvb(12, 32), "Join")
	for i, field in ipairs({ t.nonce, t.ranks, t.blocks, t.grads }) do
		join:add(field, tvb(8 + 4 * i, 4))
	end
	join:add(head.down and not has(head.flags, 0x20) and t.timeout or t.cookie, tvb(28, 8))
	for i, field in ipairs({ t.dtype, t.op, t.format }) do
		join:add(field, tvb(35 + i, 1))
	end
	join:add(t.takes_little, tvb(39, 1))
	if head.down then
		join:add(t.takes_shares, tvb(39, 1))
	end
	join:add(t.member, tvb(40, 2))
	join:add(t.cwnd_cap, tvb(42, 2))
	if head.down and not (has(head.flags, 0x20) or has(head.flags, 0x04)) then
		known[key(pinfo.src, head.job)] = tvb(36, 1):uint()
	end
	if tvb:len() > 44 then
		bitmap(join, t.below, tvb, 44, words(tvb:len() - 44))
	end
end

local function trio_notice(tree, tvb)
	local room = tvb:len() - 12
	-- To a worker that has not shown that it receives, the header is all.
	if room == 0 then
		return
	end
	local length = words(room / 3)
	local notice = tree:add(tvb(12), "Notice")
	for i, field in ipairs({ t.dead, t.excluded, t.waiting }) do
		bitmap(notice, field, tvb, 12 + (i - 1) * length, length)
	end
end

local function trio_behind(tree, pinfo, tvb)
	if tvb:len() < 20 then
		return cut_off(tree, pinfo)
	end
	tree:add(t.oldest, tvb(12, 4))
	tree:add(t.next, tvb(16, 4))
end

local function trio_gradients(tree, pinfo, tvb, head)
	local offset = 12
	if has(head.count_word, 0x2000) then
		if tvb:len() < 16 then
			return cut_off(tree, pinfo)
		end
		tree:add(t.exponent, tvb(12, 4))
		offset = 16
	end
	if head.count > 0 and not (may_be_empty(head) and has(head.flags, 0x40)) then
		offset = gradients(tree, pinfo, tvb, offset, head.count, size_of(pinfo, head, tvb:len() - offset))
	end
	if offset and offset < tvb:len() then
		if head.down or head.up then
			bitmap(tree, t.members, tvb, offset, words(tvb:len() - offset))
		else
			tree:add_proto_expert_info(longer)
		end
	end
end

function trio.dissector(tvb, pinfo, root)
	if tvb:len() < 12 then
		return 0
	end
	local word = tvb(10, 2):uint()
	local head = {
		job = tvb(0, 1):uint(), flags = tvb(5, 1):uint(), count_word = word, count = word % 0x1000,
		down = has(word, 0x4000), up = has(word, 0x1000),
	}
	local kind = trio_kind(head)
	local tree = root:add(trio, tvb(), "weir, " .. kind)

	pinfo.cols.protocol = "weir"
	pinfo.cols.info = string.format("job %d block %d %s source %d generation %d", head.job,
		tvb(1, 4):uint(), kind, tvb(6, 1):uint(), tvb(8, 2):uint())
	tree:add(common.kind, kind):set_generated()
	tree:add(t.job, tvb(0, 1))
	tree:add(t.block, tvb(1, 4))
	trio_flags(tree, tvb, head)
	tree:add(t.source, tvb(6, 1))
	tree:add(t.sources, tvb(7, 1))
	tree:add(t.generation, tvb(8, 2))
	for _, field in ipairs({ t.joined, t.down, t.has_exponent, t.up, t.count }) do
		tree:add(field, tvb(10, 2))
	end
	ecn(tree)
	if kind == "notice" or kind == "notice of a box" then
		trio_notice(tree, tvb)
	elseif kind == "behind" then
		trio_behind(tree, pinfo, tvb)
	elseif has(head.flags, 0x01) then
		trio_join(tree, pinfo, tvb, head)
	else
		trio_gradients(tree, pinfo, tvb, head)
	end
	return tvb:len()
end

-- Bytes between the first two numbers and the values, by variant. A frame that was filled up to
-- the shortest one is of the basic variant.
local lab_variants = {
	[0] = { "basic" }, [4] = { "basic with a scale", scale = 8 }, [13] = { "reliable", chunk = true },
	[17] = { "reliable with a scale", chunk = true, scale = 21 },
}

-- Of a trimmed packet the variant is not known, as its length tells it.
local function lab_variant(tvb, size, is_frame)
	local between = tvb:len() - 8 - 4 * size
	if between < 0 then
		return nil
	elseif is_frame and tvb:len() <= 46 and (between == 0 or tvb(8 + 4 * size):bytes():tohex():match("^0*$")) then
		return lab_variants[0]
	end
	return lab_variants[between]
end

local function lab_dissect(tvb, pinfo, root, is_frame)
	if tvb:len() < 8 then
		return 0
	end
	local size = tvb(4, 4):uint()
	local variant = lab_variant(tvb, size, is_frame)
	local from_box = variant and variant.chunk and tvb(8, 4):uint() == 0xffffffff
	-- Basic packets have no direction, but for the port or the address that they come from.
	local kind = not (variant and variant.chunk) and "chunk" or from_box and "result" or "contribution"
	local tree = root:add(lab, tvb(), "weir, format lab, " .. kind)

	pinfo.cols.protocol = "weir-lab"
	pinfo.cols.info = string.format("%s of %d workers, %d values", kind, tvb(0, 4):uint(), size)
	tree:add(common.kind, kind):set_generated()
	tree:add(l.workers, tvb(0, 4))
	tree:add(l.chunk_size, tvb(4, 4))
	ecn(tree)
	if not variant then
		if tvb:len() < 8 + 4 * size then
			cut_off(tree, pinfo)
		else
			tree:add_proto_expert_info(longer)
		end
		return tvb:len()
	end
	tree:add(l.variant, variant[1]):set_generated()
	local offset = 8
	if variant.chunk then
		for i, field in ipairs({ l.rank, l.chunk, l.total }) do
			tree:add(field, tvb(4 + 4 * i, 4))
		end
		tree:add(l.slot, tvb(20, 1))
		pinfo.cols.info:append(string.format(", chunk %d of %d", tvb(12, 4):uint(), tvb(16, 4):uint()))
		offset = 21
	end
	if variant.scale then
		tree:add(l.scale, tvb(variant.scale, 4))
		offset = variant.scale + 4
	end
	gradients(tree, pinfo, tvb, offset, size, 4)
	return tvb:len()
end

function lab.dissector(tvb, pinfo, root)
	return lab_dissect(tvb, pinfo, root, false)
end

local lab_ethernet = Proto("weir_lab_ethernet", "weir, format lab-ethernet")
function lab_ethernet.dissector(tvb, pinfo, root)
	return lab_dissect(tvb, pinfo, root, true)
end

function switchml.dissector(tvb, pinfo, root)
	if tvb:len() < 10 then
		return 0
	end
	local code = tvb(0, 1):uint()
	local count = code == 0x11 and 64 or code == 0x13 and 256
	if not count then
		return 0
	end
	-- Nothing in the packet says where it goes; a box's come from its own port.
	local kind = pinfo.src_port == pinfo.match_uint and "result" or "contribution"
	local tree = root:add(switchml, tvb(), "weir, format SwitchML, " .. kind)

	pinfo.cols.protocol = "weir-switchml"
	pinfo.cols.info = string.format("%s, tensor %d packet %d", kind, tvb(1, 1):uint(), tvb(2, 4):le_uint())
	tree:add(common.kind, kind):set_generated()
	tree:add(s.kind, tvb(0, 1))
	tree:add(s.job, tvb(1, 1))
	tree:add_le(s.packet, tvb(2, 4))
	tree:add(s.second, tvb(6, 2))
	tree:add(s.slot, tvb(6, 2))
	tree:add(s.exponent0, tvb(8, 1))
	tree:add(s.exponent1, tvb(9, 1))
	ecn(tree)
	gradients(tree, pinfo, tvb, 10, count, 4)
	return tvb:len()
end

function panama.dissector(tvb, pinfo, root)
	if tvb:len() < 16 then
		return 0
	end
	local code = tvb(0, 1):uint()
	if code ~= 0x11 and code ~= 0x12 then
		return 0
	end
	local kind = code == 0x12 and "result" or "contribution"
	local tree = root:add(panama, tvb(), "weir, format PANAMA, " .. kind)
	local at = { kind = { 0, 1 }, fin = { 1, 1 }, box = { 1, 1 }, job = { 2, 2 }, tree = { 4, 1 }, worker = { 5, 1 },
		     cwnd_cap = { 6, 2 }, vid = { 8, 4 }, round = { 12, 2 }, sources = { 14, 2 } }

	pinfo.cols.protocol = "weir-panama"
	pinfo.cols.info = string.format("%s, job %d tree %d round %d packet %d", kind, tvb(2, 2):uint(),
		tvb(4, 1):uint(), tvb(12, 2):uint(), tvb(8, 4):uint())
	tree:add(common.kind, kind):set_generated()
	for _, name in ipairs({ "kind", "fin", "box", "job", "tree", "worker", "cwnd_cap", "vid", "round", "sources" }) do
		tree:add(p[name], tvb(at[name][1], at[name][2]))
	end
	ecn(tree)
	-- Gradients end where the datagram does: of a trimmed one no field says how many there were.
	gradients(tree, pinfo, tvb, 16, math.floor((tvb:len() - 16) / 4), 4)
	if (tvb:len() - 16) % 4 ~= 0 then
		cut_off(tree, pinfo)
	end
	return tvb:len()
end

-- Adds pairs from the header's end on, as far as they are there.
local function kv_pairs(tree, pinfo, tvb, count, packed)
	local offset, width = 28, tvb(3, 1):uint() == 5 and 8 or 4
	for _ = 1, count do
		local start = packed and 1 or 0
		local length = packed and offset < tvb:len() and tvb(offset, 1):uint() or 64
		if offset + start + length + width > tvb:len() then
			return cut_off(tree, pinfo)
		end
		tree:add(k.key, tvb(offset + start, length))
		tree:add(k.value, tvb(offset + start + length, width))
		offset = offset + start + length + width
	end
	if offset < tvb:len() then
		tree:add_proto_expert_info(longer)
	end
end

local function kv_kind(flags, down, pairs)
	if has(flags, 0x08) then
		return down and "answer to an opening" or "opening"
	elseif down then
		return "acknowledgment"
	end
	return (pairs > 0 or has(flags, 0x04) or has(flags, 0x02)) and "pairs" or "probe"
end

function kv.dissector(tvb, pinfo, root)
	if tvb:len() < 28 then
		return 0
	end
	local code, flags, pairs = tvb(0, 1):uint(), tvb(1, 1):uint(), tvb(8, 2):uint()
	local down = code == 0x12
	if not down and code ~= 0x11 then
		return 0
	end
	local kind = kv_kind(flags, down, pairs)
	local tree = root:add(kv, tvb(), "weir, key-value stream, " .. kind)

	pinfo.cols.protocol = "weir-kv"
	pinfo.cols.info = string.format("%s, job %d source %d packet %d", kind, tvb(4, 2):uint(),
		tvb(6, 2):uint(), tvb(12, 4):uint())
	tree:add(common.kind, kind):set_generated()
	tree:add(k.kind, tvb(0, 1))
	local bits = tree:add(k.flags, tvb(1, 1))
	for _, name in ipairs({ "cpa", "cpk", "cpd", "packed", "open", "collect", "fin", "silent" }) do
		bits:add(k[name], tvb(1, 1))
	end
	tree:add(k.op, tvb(2, 1))
	tree:add(k.dtype, tvb(3, 1))
	tree:add(k.job, tvb(4, 2))
	tree:add(k.source, tvb(6, 2))
	tree:add(down and k.status or k.pairs, tvb(8, 2))
	tree:add(k.window, tvb(10, 2))
	tree:add(k.seq, tvb(12, 4))
	tree:add(k.session, tvb(16, 4))
	tree:add(k.more, tvb(20, 8))
	if not down then
		kv_pairs(tree, pinfo, tvb, pairs, has(flags, 0x10))
	end
	return tvb:len()
end

local udp = DissectorTable.get("udp.port")
local protos = { trio, lab, switchml, panama, kv }
local ports_of = {}
for _, proto in ipairs(protos) do
	function proto.prefs_changed()
		if ports_of[proto] then
			udp:remove(ports_of[proto], proto)
		end
		ports_of[proto] = proto.prefs.ports
		udp:add(proto.prefs.ports, proto)
	end
	ports_of[proto] = proto.prefs.ports
	udp:add(proto.prefs.ports, proto)
end
DissectorTable.get("ethertype"):add(0x8777, lab_ethernet)

-- Where a queue has trimmed packets and kept their lengths, what UDP says is more than there
-- is, and Wireshark shows no payload. It is shown nevertheless.
local kept = Proto("weir_kept", "weir, trimmed with its lengths kept")
local shown = Field.new("weir.kind")
local udp_length = Field.new("udp.length")

local function proto_at(port)
	for _, proto in ipairs(protos) do
		for first, last in tostring(proto.prefs.ports):gmatch("(%d+)-?(%d*)") do
			if port >= tonumber(first) and port <= (tonumber(last) or tonumber(first)) then
				return proto
			end
		end
	end
end

function kept.dissector(tvb, pinfo, root)
	local header, length = udp_header(), udp_length()
	-- A header that is cut has no field of its length.
	if shown() or not header or not length or header.offset + length.value <= tvb:len() or header.offset + 8 >= tvb:len() then
		return
	end
	for _, port in ipairs({ udp_ports() }) do
		local proto = proto_at(port.value)
		if proto then
			proto.dissector(tvb(header.offset + 8):tvb(), pinfo, root)
			return
		end
	end
end
register_postdissector(kept)
