// SPDX-License-Identifier: GPL-2.0
#include "trim/notify.h"

const struct weir_trim_notify *weir_trim_notify;
