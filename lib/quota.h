/* quota.h: how much of the machine a container is allowed. */
#ifndef MMS_QUOTA_H
#define MMS_QUOTA_H

/* CPUs' worth of time that the control group of this process has, rounded up; 0: no limit is known, or OMP_NUM_THREADS
 * is set, which outranks it. Read once. */
int mms_quota_cpus(void);

/* What the files of /proc and /sys say of it, read now, in the folder that is the root ("": this system's). */
int mms_quota_cpus_under(const char *root);

#endif
