#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# After `make install`: programs must find libmoraine.so. Where the system's loader looks (/usr/local/lib, as root) its list
# is made anew; elsewhere a line tells what a program needs.
#   tools/tell-loader.sh PREFIX [DESTDIR]     DESTDIR: a package is being made, nothing is told
prefix=$1 destdir=${2:-}
[ -z "$destdir" ] || exit 0
PATH=$PATH:/usr/sbin:/sbin
library=$(find "$prefix"/lib* -maxdepth 2 -name 'libmoraine.so.*.*' ! -name '*.*.*.*.*' 2>/dev/null | head -n 1)
{ [ -n "$library" ] && command -v ldconfig; } >/dev/null || exit 0
folder=$(dirname "$library")
case $folder in
/usr/*) [ "$(id -u)" -ne 0 ] || ldconfig ;;
esac
ldconfig -p | grep -qF "=> $folder/" ||
    echo "programs find libmoraine.so with LD_LIBRARY_PATH=$folder, or linked with -Wl,-rpath,$folder"
exit 0
