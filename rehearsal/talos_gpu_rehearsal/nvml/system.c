// NVML's entry points for the library, the driver, and the way to a card.
#include <stdio.h>
#include <string.h>

#include "cards.h"

static nvmlReturn_t hand_out(nvmlReturn_t found, const char *uuid, nvmlDevice_t *device) {
    if (found == NVML_SUCCESS) *device = (nvmlDevice_t)(void *)handle_of(uuid, NVML_VALUE_NOT_AVAILABLE, NVML_VALUE_NOT_AVAILABLE);
    return found == NVML_SUCCESS && *device == NULL ? NVML_ERROR_MEMORY : found;
}

nvmlReturn_t nvmlInit_v2(void) { return state_init(); }

// A machine without cards is no error here, with either flag.
nvmlReturn_t nvmlInitWithFlags(unsigned int flags) { return (void)flags, state_init(); }

nvmlReturn_t nvmlShutdown(void) { return state_shutdown(); }

const char *nvmlErrorString(nvmlReturn_t result) { return error_words(result); }

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length) { return state_driver(version, length, NULL); }

// NVML's version is CUDA's major version with the version of the driver.
nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length) {
    char driver[WORD];
    unsigned int cuda = 0;
    nvmlReturn_t result = state_driver(driver, sizeof driver, &cuda);
    if (result != NVML_SUCCESS) return result;
    int written = snprintf(version, length, "%u.%s", cuda / 1000, driver);
    return written < 0 || (unsigned int)written >= length ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *cuda) {
    unsigned int number = 0;
    nvmlReturn_t result = state_driver(NULL, 0, &number);
    if (result == NVML_SUCCESS) *cuda = (int)number;
    return result;
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *cuda) { return nvmlSystemGetCudaDriverVersion(cuda); }

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count) { return state_count(count); }

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device) {
    struct card card;
    nvmlReturn_t found = state_by_index(index, &card);
    return hand_out(found, card.uuid, device);
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
    struct card card;
    const struct instance *mig = NULL;
    nvmlReturn_t found = state_by_uuid(uuid, &card, &mig, __func__);
    return hand_out(found, mig != NULL ? mig->uuid : card.uuid, device);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *pci, nvmlDevice_t *device) {
    struct card card;
    nvmlReturn_t found = state_by_pci(pci, &card);
    return hand_out(found, card.uuid, device);
}
