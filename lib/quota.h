/* quota.h: how much of the machine a container is allowed. */
#ifndef MMS_QUOTA_H
#define MMS_QUOTA_H

/* CPUs' worth of time that the control group of this process has, rounded up; 0: no limit is known. Read once. */
int mms_quota_cpus(void);

#endif
