/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_NETNS_H
#define _WEIR_NETNS_H

int weir_netns_init(void);
void weir_netns_uninit(void);

#endif /* _WEIR_NETNS_H */
