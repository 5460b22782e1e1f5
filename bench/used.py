"""Run a command, and print in the last line of standard error what it used: processor seconds and megabytes.

This program imports nothing large, since a process begins with the size of the one that starts it.
"""

import os
import sys

pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(pid, 0)
print(f"{used.ru_utime + used.ru_stime}\t{used.ru_maxrss / 1024}", file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
