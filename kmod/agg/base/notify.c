// SPDX-License-Identifier: GPL-2.0
#include "agg/base/notify.h"

const struct weir_notify *weir_notify;
