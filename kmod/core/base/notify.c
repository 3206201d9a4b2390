// SPDX-License-Identifier: GPL-2.0
#include "core/base/notify.h"

const struct weir_notify *weir_notify;
