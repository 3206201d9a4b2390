// SPDX-License-Identifier: GPL-2.0
#include "xdp/base/notify.h"

const struct weir_xdp_notify *weir_xdp_notify;
