// SPDX-License-Identifier: GPL-2.0
#include "base/net.h"

unsigned int weir_net_id __read_mostly;
u64 weir_dev_secret __read_mostly;
