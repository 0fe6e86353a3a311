/* quota.h: how much of the machine a container may use. */
#ifndef MMS_QUOTA_H
#define MMS_QUOTA_H

/* CPUs' worth of time that the control group of this process is allowed, rounded up. 0: no limit is known, or
 * OMP_NUM_THREADS is set, which outranks it. Read once. */
int mms_quota_cpus(void);

/* The same, read now from the files of /proc and /sys under `root` ("": those of this system), whatever
 * OMP_NUM_THREADS is. */
int mms_quota_cpus_under(const char *root);

#endif
