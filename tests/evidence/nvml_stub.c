/* A stand-in for the driver's library with one H200-like card: enough of NVML for the tests of its binding. */
#include <stdio.h>
#include <string.h>

typedef struct { unsigned long long total, free, used; } memory_t;
typedef struct { unsigned int pid; unsigned long long used; unsigned int gpu_instance, compute_instance; } process_t;

enum { OK = 0, NOT_SUPPORTED = 3, TOO_SMALL = 7 };

int nvmlInit_v2(void) { return OK; }
int nvmlShutdown(void) { return OK; }
const char *nvmlErrorString(int code) { return code == NOT_SUPPORTED ? "Not Supported" : "Unknown Error"; }
int nvmlSystemGetDriverVersion(char *text, unsigned int size) { snprintf(text, size, "580.159.04"); return OK; }
int nvmlSystemGetCudaDriverVersion_v2(int *version) { *version = 13000; return OK; }
int nvmlDeviceGetCount_v2(unsigned int *count) { *count = 1; return OK; }
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **device) { *device = (void *)0x1234567812345678ul; return index ? NOT_SUPPORTED : OK; }
static int known(void *device) { return device == (void *)0x1234567812345678ul; }
int nvmlDeviceGetName(void *d, char *text, unsigned int size) { snprintf(text, size, known(d) ? "NVIDIA H200" : "wrong handle"); return OK; }
int nvmlDeviceGetUUID(void *d, char *text, unsigned int size) { snprintf(text, size, "GPU-00000000-1111-2222-3333-444444444444"); return OK; }
int nvmlDeviceGetCudaComputeCapability(void *d, int *major, int *minor) { *major = 9; *minor = 0; return OK; }
int nvmlDeviceGetMemoryInfo(void *d, memory_t *m) { m->total = 150754820096ull; m->used = 540016640ull; m->free = m->total - m->used; return OK; }
int nvmlDeviceGetVbiosVersion(void *d, char *text, unsigned int size) { return NOT_SUPPORTED; }
int nvmlDeviceGetEnforcedPowerLimit(void *d, unsigned int *milliwatts) { *milliwatts = 700000; return OK; }
int nvmlDeviceGetCurrPcieLinkGeneration(void *d, unsigned int *v) { *v = 5; return OK; }
int nvmlDeviceGetMaxPcieLinkGeneration(void *d, unsigned int *v) { *v = 5; return OK; }
int nvmlDeviceGetCurrPcieLinkWidth(void *d, unsigned int *v) { *v = 16; return OK; }
int nvmlDeviceGetMaxPcieLinkWidth(void *d, unsigned int *v) { *v = 16; return OK; }
int nvmlDeviceGetEccMode(void *d, int *current, int *pending) { *current = *pending = 1; return OK; }
int nvmlDeviceGetMigMode(void *d, unsigned int *current, unsigned int *pending) { *current = *pending = 0; return OK; }
int nvmlDeviceGetPersistenceMode(void *d, int *mode) { *mode = 1; return OK; }
int nvmlDeviceGetMaxClockInfo(void *d, int type, unsigned int *mhz) { *mhz = type == 1 ? 1980 : 3201; return OK; }
int nvmlDeviceGetClockInfo(void *d, int type, unsigned int *mhz) { *mhz = type == 1 ? 345 : 3201; return OK; }
int nvmlDeviceGetTemperature(void *d, int sensor, unsigned int *celsius) { *celsius = sensor ? 0 : 31; return OK; }
int nvmlDeviceGetPowerUsage(void *d, unsigned int *milliwatts) { *milliwatts = 76543; return OK; }
int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *mask) { *mask = 0x1 | 0x4; return OK; }
/* 70 processes: more than a first guess holds, so that the caller has to ask again. */
int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned int *count, process_t *found) {
    unsigned int room = *count, i;
    *count = 70;
    if (room < 70) return TOO_SMALL;
    for (i = 0; i < 70; i++) { memset(&found[i], 0, sizeof found[i]); found[i].pid = 4000 + i; }
    return OK;
}
