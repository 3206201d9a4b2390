// SPDX-License-Identifier: GPL-2.0
/* The machine: kernel, module, rights. Looked at before a namespace is entered. */
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "netlink/genl.h"

/* Not in the headers of older systems. */
#ifndef CAP_BPF
#define CAP_PERFMON	38
#define CAP_BPF		39
#endif

/* Reads the first line of a file; an empty one where it cannot. */
static void first_line(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "re");

	*line = '\0';
	if (!file)
		return;
	if (!fgets(line, size, file))
		*line = '\0';
	line[strcspn(line, "\n")] = '\0';
	fclose(file);
}

long doctor_number(const char *path)
{
	char line[64];

	first_line(path, line, sizeof(line));
	return *line ? strtol(line, NULL, 10) : -1;
}

static void check_kernel_btf(void)
{
	bool there = !access("/sys/kernel/btf/vmlinux", R_OK);
	struct finding finding = { DOCTOR_OK, "kernel-btf", "", NULL };

	if (!there) {
		finding.verdict = DOCTOR_FAIL;
		finding.fix = "use a kernel built with CONFIG_DEBUG_INFO_BTF=y";
	}
	report(&finding, "/sys/kernel/btf/vmlinux is %s", there ? "there" : "missing");
}

static void check_module(const char *module)
{
	struct finding finding = { DOCTOR_OK, "module-btf", module, NULL };
	char path[64], version[64];

	snprintf(path, sizeof(path), "/sys/module/%s/version", module);
	if (access(path, F_OK))
		return;
	first_line(path, version, sizeof(version));
	report(&(struct finding){ DOCTOR_OK, "module", module, NULL }, "is loaded%s%s",
	       *version ? ", version " : "", version);
	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", module);
	if (access(path, R_OK)) {
		finding.verdict = DOCTOR_FAIL;
		finding.fix = "build the modules with pahole installed and the kernel's vmlinux in its headers, and load them again";
		report(&finding, "%s is missing, so no program can call the module", path);
		return;
	}
	report(&finding, "%s is there", path);
}

/* The modules are looked for by netlink later; here their files in /sys are. */
static void check_modules(void)
{
	int i;

	for (i = 0; i < FAMILIES; i++)
		check_module(weir_module(i));
}

/* Secure Boot, as the firmware says: four bytes of attributes, then the value. */
static bool is_secure_boot(void)
{
	static const char path[] =
		"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
	FILE *file = fopen(path, "re");
	unsigned char value[5] = {};
	bool on;

	if (!file)
		return false;
	on = fread(value, sizeof(value), 1, file) == 1 && value[4] == 1;
	fclose(file);
	return on;
}

/* "none [integrity] confidentiality": the one in brackets is in force. */
static bool is_locked_down(char mode[32])
{
	char line[96];

	first_line("/sys/kernel/security/lockdown", line, sizeof(line));
	return sscanf(line, "%*[^[][%31[^]]", mode) == 1 && strcmp(mode, "none");
}

static bool takes_signed_only(void)
{
	char line[8];

	first_line("/sys/module/module/parameters/sig_enforce", line, sizeof(line));
	return *line == 'Y';
}

/* A kernel that takes signed modules alone refuses one that was built here. */
static void check_signature(void)
{
	struct finding finding = { DOCTOR_OK, "signature", "", NULL };
	bool loaded = modules_are_loaded();
	char mode[32], why[96] = "";

	if (is_locked_down(mode))
		snprintf(why, sizeof(why), "it is locked down (%s%s)", mode,
			 is_secure_boot() ? ", by Secure Boot" : "");
	else if (takes_signed_only())
		snprintf(why, sizeof(why), "module.sig_enforce is on%s",
			 is_secure_boot() ? ", with Secure Boot" : "");
	if (!*why) {
		report(&finding, "the kernel takes modules that nobody has signed");
	} else if (loaded) {
		report(&finding, "the kernel takes signed modules alone, as %s, and has weir's",
		       why);
	} else {
		finding.verdict = DOCTOR_FAIL;
		finding.fix = "sign weir_core.ko and the modules that are to be loaded (the kernel's scripts/sign-file) with a key that the machine trusts (`mokutil --import KEY.der`, then reboot), or turn Secure Boot off";
		report(&finding, "the kernel refuses modules without a signature that it knows, as %s",
		       why);
	}
}

static void check_jit(void)
{
	long on = doctor_number("/proc/sys/net/core/bpf_jit_enable");
	struct finding finding = { DOCTOR_OK, "bpf-jit", "", NULL };

	if (!on) {
		finding.verdict = DOCTOR_WARN;
		finding.fix = "run `sysctl net.core.bpf_jit_enable=1`";
	}
	report(&finding, on < 0 ? "cannot be seen from inside a network namespace" :
	       on ? "BPF programs are compiled" : "BPF programs are interpreted, which is slow");
}

static void check_rights(void)
{
	static const struct { int bit; const char *name; } wanted[] = {
		{ CAP_NET_ADMIN, "CAP_NET_ADMIN" }, { CAP_SYS_ADMIN, "CAP_SYS_ADMIN" },
		{ CAP_PERFMON, "CAP_PERFMON" }, { CAP_BPF, "CAP_BPF" },
	};
	struct finding finding = { DOCTOR_OK, "rights", "", NULL };
	unsigned long long effective = 0;
	char line[256], missing[128] = "";
	size_t i;
	FILE *file;

	file = fopen("/proc/self/status", "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "CapEff: %llx", &effective) == 1)
			break;
	}
	if (file)
		fclose(file);
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (effective >> wanted[i].bit & 1)
			continue;
		if (*missing)
			strcat(missing, ", ");
		strcat(missing, wanted[i].name);
	}
	if (!*missing) {
		report(&finding, "enough to change all that weir has");
		return;
	}
	finding.verdict = DOCTOR_WARN;
	finding.fix = "run weir as root to add jobs and attach ports, and to have programs looked at";
	report(&finding, "%s missing: this run can look, but not change", missing);
}

void doctor_host(struct patient *patient)
{
	(void)patient;
	check_kernel_btf();
	check_modules();
	check_signature();
	check_jit();
	check_rights();
}
