// NVML's entry points for what lies between cards: PCIe, NVLink and the fabric of a rack.
#include <stdio.h>
#include <string.h>

#include "cards.h"

nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t device, nvmlDevice_t other, nvmlGpuTopologyLevel_t *level) {
    unsigned int node = 0;
    nvmlReturn_t result = nvmlDeviceGetNumaNodeId(other, &node);
    if (result != NVML_SUCCESS) return result;
    CARD_OF(device);
    *level = card.numa == node ? NVML_TOPOLOGY_NODE : NVML_TOPOLOGY_SYSTEM;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned int link, nvmlEnableState_t *state) {
    CARD_OF(device);
    if (card.peer_count == 0) return NVML_ERROR_NOT_SUPPORTED;
    if (link >= NVML_NVLINK_MAX_LINKS) return NVML_ERROR_INVALID_ARGUMENT;
    *state = link < card.peer_count ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned int link, nvmlPciInfo_t *pci) {
    CARD_OF(device);
    if (card.peer_count == 0) return NVML_ERROR_NOT_SUPPORTED;
    if (link >= card.peer_count) return NVML_ERROR_INVALID_ARGUMENT;
    unsigned int function = 0;
    memset(pci, 0, sizeof *pci);
    sscanf(card.peers[link], "%x:%x:%x.%x", &pci->domain, &pci->bus, &pci->device, &function);
    snprintf(pci->busId, sizeof pci->busId, "%08X:%02X:%02X.%X", pci->domain, pci->bus & 0xFF, pci->device & 0xFF, function & 0xF);
    return NVML_SUCCESS;
}

// `fabric-cluster` is a UUID: 32 hexadecimal digits, and hyphens anywhere.
static void read_cluster(const char *text, unsigned char *bytes, size_t length) {
    unsigned int byte;
    for (size_t i = 0; i < length; i++) {
        while (*text == '-') text++;
        if (sscanf(text, "%2x", &byte) != 1) return;
        bytes[i] = (unsigned char)byte;
        text += 2;
    }
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, nvmlGpuFabricInfo_t *fabric) {
    CARD_OF(device);
    if (*card.cluster == '\0') return NVML_ERROR_NOT_SUPPORTED;
    memset(fabric, 0, sizeof *fabric);
    read_cluster(card.cluster, fabric->clusterUuid, sizeof fabric->clusterUuid);
    fabric->cliqueId = card.clique;
    fabric->state = NVML_GPU_FABRIC_STATE_COMPLETED;
    fabric->status = NVML_SUCCESS;
    return NVML_SUCCESS;
}

// Versions 2 and 3 begin alike; version 3 has a summary behind.
nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, nvmlGpuFabricInfoV_t *fabric) {
    CARD_OF(device);
    if (*card.cluster == '\0') return NVML_ERROR_NOT_SUPPORTED;
    if (fabric->version != nvmlGpuFabricInfo_v2 && fabric->version != nvmlGpuFabricInfo_v3) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    memset(fabric->clusterUuid, 0, sizeof fabric->clusterUuid);
    read_cluster(card.cluster, fabric->clusterUuid, sizeof fabric->clusterUuid);
    fabric->cliqueId = card.clique;
    fabric->state = NVML_GPU_FABRIC_STATE_COMPLETED;
    fabric->status = NVML_SUCCESS;
    fabric->healthMask = 0;
    return NVML_SUCCESS;
}
