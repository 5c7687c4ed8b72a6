// NVML's entry points for a card.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cards.h"

static nvmlReturn_t write_text(const char *from, char *to, unsigned int length) {
    if (strlen(from) >= length) return NVML_ERROR_INSUFFICIENT_SIZE;
    strcpy(to, from);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length) {
    CARD_OF(device);
    return write_text(mig != NULL ? mig->uuid : card.uuid, uuid, length);
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length) {
    CARD_OF(device);
    char whole[2 * WORD + 5];
    snprintf(whole, sizeof whole, mig != NULL ? "%s MIG %s" : "%s", card.name, mig != NULL ? mig->profile : "");
    return write_text(whole, name, length);
}

nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t device, char *serial, unsigned int length) {
    CARD_OF(device);
    return *card.serial == '\0' ? NVML_ERROR_NOT_SUPPORTED : write_text(card.serial, serial, length);
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index) {
    CARD_OF(device);
    if (mig == NULL) return state_index(card.uuid, index);
    *index = (unsigned int)(mig - card.instances);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int *minor) {
    CARD_OF(device);
    if (mig != NULL) return NVML_ERROR_NOT_SUPPORTED;
    *minor = card.minor;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetBrand(nvmlDevice_t device, nvmlBrandType_t *brand) {
    CARD_OF(device);
    *brand = (nvmlBrandType_t)card.brand;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, nvmlDeviceArchitecture_t *architecture) {
    CARD_OF(device);
    *architecture = card.architecture;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor) {
    CARD_OF(device);
    *major = (int)card.major;
    *minor = (int)card.minor_capability;
    return NVML_SUCCESS;
}

static unsigned long long total_mib(const struct card *card, const struct instance *mig) {
    for (unsigned int i = 0; mig != NULL && i < card->profile_count; i++)
        if (strcmp(card->profiles[i].name, mig->profile) == 0) return card->profiles[i].memory_mib;
    return card->memory_mib;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
    CARD_OF(device);
    if (card.memory_mib == 0) return NVML_ERROR_NOT_SUPPORTED;
    memory->total = total_mib(&card, mig) << 20;
    memory->used = mig == NULL ? card.memory_used_mib << 20 : 0;
    memory->free = memory->total - memory->used;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory) {
    if (memory->version != nvmlMemory_v2) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    nvmlMemory_t plain;
    nvmlReturn_t result = nvmlDeviceGetMemoryInfo(device, &plain);
    if (result != NVML_SUCCESS) return result;
    memory->total = plain.total;
    memory->reserved = 0;
    memory->free = plain.free;
    memory->used = plain.used;
    return NVML_SUCCESS;
}

static void describe_pci(const char *address, nvmlPciInfo_t *pci) {
    unsigned int function = 0;
    memset(pci, 0, sizeof *pci);
    sscanf(address, "%x:%x:%x.%x", &pci->domain, &pci->bus, &pci->device, &function);
    snprintf(pci->busId, sizeof pci->busId, "%08X:%02X:%02X.%X", pci->domain, pci->bus & 0xFF, pci->device & 0xFF, function & 0xF);
    snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "%04X:%02X:%02X.%X", pci->domain & 0xFFFF, pci->bus & 0xFF, pci->device & 0xFF, function & 0xF);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci) {
    CARD_OF(device);
    describe_pci(card.pci, pci);
    pci->pciDeviceId = card.pci_device;
    pci->pciSubSystemId = card.pci_subsystem;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNumaNodeId(nvmlDevice_t device, unsigned int *node) {
    CARD_OF(device);
    *node = card.numa;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t *mode) {
    CARD_OF(device);
    *mode = card.persistence ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceSetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t mode) {
    CARD_OF(device);
    state_set(card.uuid, "persistence", mode);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t *mode) {
    CARD_OF(device);
    *mode = (nvmlComputeMode_t)card.compute_mode;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceSetComputeMode(nvmlDevice_t device, nvmlComputeMode_t mode) {
    CARD_OF(device);
    state_set(card.uuid, "compute-mode", mode);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t *current, nvmlEnableState_t *pending) {
    CARD_OF(device);
    if (!card.ecc_capable) return NVML_ERROR_NOT_SUPPORTED;
    *current = *pending = card.ecc ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetAddressingMode(nvmlDevice_t device, nvmlDeviceAddressingMode_t *mode) {
    CARD_OF(device);
    if (card.addressing == 0) return NVML_ERROR_NOT_SUPPORTED;
    mode->value = card.addressing;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetVirtualizationMode(nvmlDevice_t device, nvmlGpuVirtualizationMode_t *mode) {
    CARD_OF(device);
    *mode = (nvmlGpuVirtualizationMode_t)card.virtualization;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned int *celsius) {
    CARD_OF(device);
    if (sensor != NVML_TEMPERATURE_GPU) return NVML_ERROR_INVALID_ARGUMENT;
    *celsius = card.temperature;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned int *milliwatts) {
    CARD_OF(device);
    *milliwatts = card.power_mw;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned int *milliwatts) {
    CARD_OF(device);
    *milliwatts = card.power_limit_mw;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *utilization) {
    CARD_OF(device);
    if (card.mig) return NVML_ERROR_NOT_SUPPORTED;
    utilization->gpu = card.utilization;
    utilization->memory = 0;
    return NVML_SUCCESS;
}

// No program computes on a mock card.
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *processes) {
    CARD_OF(device);
    (void)processes;
    *count = 0;
    return NVML_SUCCESS;
}
