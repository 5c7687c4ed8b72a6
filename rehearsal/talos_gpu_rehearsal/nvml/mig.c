// NVML's entry points for MIG: the mode, the profiles, GPU instances, compute instances, and MIG devices.
#include <stdio.h>
#include <string.h>

#include "cards.h"

static const unsigned int COMPUTE_SLICES[NVML_COMPUTE_INSTANCE_PROFILE_COUNT] = {1, 2, 3, 4, 7, 8, 6, 0};

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int *current, unsigned int *pending) {
    CARD_OF(device);
    if (!card.mig_capable || mig != NULL) return NVML_ERROR_NOT_SUPPORTED;
    *current = *pending = card.mig ? NVML_DEVICE_MIG_ENABLE : NVML_DEVICE_MIG_DISABLE;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned int *count) {
    CARD_OF(device);
    *count = card.mig_capable && mig == NULL ? 7 : 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned int index, nvmlDevice_t *found_device) {
    CARD_OF(device);
    if (!card.mig_capable || mig != NULL) return NVML_ERROR_NOT_SUPPORTED;
    const struct instance *instance = NULL;
    nvmlReturn_t result = card.mig ? state_mig_by_index(&card, index, &instance) : NVML_ERROR_NOT_FOUND;
    return result == NVML_SUCCESS ? nvmlDeviceGetHandleByUUID(instance->uuid, found_device) : result;
}

nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned int *is_mig) {
    CARD_OF(device);
    *is_mig = mig != NULL;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice_t device, nvmlDevice_t *parent) {
    CARD_OF(device);
    return mig == NULL ? NVML_ERROR_INVALID_ARGUMENT : nvmlDeviceGetHandleByUUID(card.uuid, parent);
}

nvmlReturn_t nvmlDeviceGetGpuInstanceId(nvmlDevice_t device, unsigned int *id) {
    CARD_OF(device);
    if (mig == NULL) return NVML_ERROR_NOT_SUPPORTED;
    *id = mig->gi;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetComputeInstanceId(nvmlDevice_t device, unsigned int *id) {
    CARD_OF(device);
    if (mig == NULL) return NVML_ERROR_NOT_SUPPORTED;
    *id = mig->ci;
    return NVML_SUCCESS;
}

static const struct profile *profile_named(const struct card *card, const char *name) {
    for (unsigned int i = 0; i < card->profile_count; i++)
        if (strcmp(card->profiles[i].name, name) == 0) return &card->profiles[i];
    return NULL;
}

static const struct profile *profile_by_id(const struct card *card, unsigned int id) {
    for (unsigned int i = 0; i < card->profile_count; i++)
        if (card->profiles[i].id == id) return &card->profiles[i];
    return NULL;
}

// A compute instance has the share of the multiprocessors that its slices have of those of the GPU instance.
static unsigned int multiprocessors(const struct profile *profile, unsigned int slices) {
    return profile->multiprocessors * slices / profile->slices;
}

nvmlReturn_t nvmlDeviceGetAttributes_v2(nvmlDevice_t device, nvmlDeviceAttributes_t *attributes) {
    CARD_OF(device);
    const struct profile *profile = mig == NULL ? NULL : profile_named(&card, mig->profile);
    if (profile == NULL) return NVML_ERROR_NOT_SUPPORTED;
    *attributes = (nvmlDeviceAttributes_t){
        .multiprocessorCount = multiprocessors(profile, mig->compute_slices), .sharedCopyEngineCount = profile->copy_engines,
        .sharedDecoderCount = profile->decoders, .sharedEncoderCount = profile->encoders, .sharedJpegCount = profile->jpegs,
        .sharedOfaCount = profile->ofas, .gpuInstanceSliceCount = profile->slices, .computeInstanceSliceCount = mig->compute_slices,
        .memorySizeMB = profile->memory_mib,
    };
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfo(nvmlDevice_t device, unsigned int number, nvmlGpuInstanceProfileInfo_t *info) {
    CARD_OF(device);
    if (!card.mig_capable) return NVML_ERROR_NOT_SUPPORTED;
    if (number >= NVML_GPU_INSTANCE_PROFILE_COUNT) return NVML_ERROR_INVALID_ARGUMENT;
    for (unsigned int i = 0; i < card.profile_count; i++) {
        const struct profile *profile = &card.profiles[i];
        if (profile->nvml != number) continue;
        *info = (nvmlGpuInstanceProfileInfo_t){
            .id = profile->id, .isP2pSupported = 0, .sliceCount = profile->slices, .instanceCount = profile->count,
            .multiprocessorCount = profile->multiprocessors, .copyEngineCount = profile->copy_engines, .decoderCount = profile->decoders,
            .encoderCount = profile->encoders, .jpegCount = profile->jpegs, .ofaCount = profile->ofas, .memorySizeMB = profile->memory_mib,
        };
        return NVML_SUCCESS;
    }
    return NVML_ERROR_NOT_SUPPORTED;
}

// Version 3 has capabilities where version 2 says whether instances reach each other's memory.
nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfoV(nvmlDevice_t device, unsigned int number, nvmlGpuInstanceProfileInfo_v2_t *info) {
    CARD_OF(device);
    nvmlGpuInstanceProfileInfo_t plain;
    if (mig != NULL) return NVML_ERROR_NOT_SUPPORTED;
    if (info->version != nvmlGpuInstanceProfileInfo_v2 && info->version != nvmlGpuInstanceProfileInfo_v3) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    nvmlReturn_t result = nvmlDeviceGetGpuInstanceProfileInfo(device, number, &plain);
    if (result != NVML_SUCCESS) return result;
    const char *name = profile_by_id(&card, plain.id)->name;
    if (info->version == nvmlGpuInstanceProfileInfo_v2) {
        *info = (nvmlGpuInstanceProfileInfo_v2_t){
            nvmlGpuInstanceProfileInfo_v2, plain.id, 0, plain.sliceCount, plain.instanceCount, plain.multiprocessorCount, plain.copyEngineCount,
            plain.decoderCount, plain.encoderCount, plain.jpegCount, plain.ofaCount, plain.memorySizeMB, "",
        };
        snprintf(info->name, sizeof info->name, "MIG %.80s", name);
        return NVML_SUCCESS;
    }
    nvmlGpuInstanceProfileInfo_v3_t *third = (nvmlGpuInstanceProfileInfo_v3_t *)(void *)info;
    *third = (nvmlGpuInstanceProfileInfo_v3_t){
        nvmlGpuInstanceProfileInfo_v3, plain.id, plain.sliceCount, plain.instanceCount, plain.multiprocessorCount, plain.copyEngineCount,
        plain.decoderCount, plain.encoderCount, plain.jpegCount, plain.ofaCount, plain.memorySizeMB, "", 0,
    };
    snprintf(third->name, sizeof third->name, "MIG %.80s", name);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGpuInstancePossiblePlacements_v2(nvmlDevice_t device, unsigned int id, nvmlGpuInstancePlacement_t *placements, unsigned int *count) {
    CARD_OF(device);
    const struct profile *profile = profile_by_id(&card, id);
    if (profile == NULL) return NVML_ERROR_NOT_SUPPORTED;
    if (placements != NULL && *count < profile->start_count) return NVML_ERROR_INSUFFICIENT_SIZE;
    *count = profile->start_count;
    for (unsigned int i = 0; placements != NULL && i < *count; i++) placements[i] = (nvmlGpuInstancePlacement_t){profile->starts[i], profile->size};
    return NVML_SUCCESS;
}

// An instance that overlaps a placement takes it.
static int is_free(const struct card *card, unsigned int start, unsigned int size) {
    for (unsigned int i = 0; i < card->instance_count; i++) {
        const struct profile *profile = profile_named(card, card->instances[i].profile);
        if (profile != NULL && card->instances[i].start < start + size && start < card->instances[i].start + profile->size) return 0;
    }
    return 1;
}

nvmlReturn_t nvmlDeviceGetGpuInstanceRemainingCapacity(nvmlDevice_t device, unsigned int id, unsigned int *count) {
    CARD_OF(device);
    const struct profile *profile = profile_by_id(&card, id);
    if (profile == NULL) return NVML_ERROR_NOT_SUPPORTED;
    *count = 0;
    for (unsigned int i = 0; i < profile->start_count; i++) *count += (unsigned int)is_free(&card, profile->starts[i], profile->size);
    if (*count > profile->count) *count = profile->count;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGpuInstances(nvmlDevice_t device, unsigned int id, nvmlGpuInstance_t *instances, unsigned int *count) {
    CARD_OF(device);
    *count = 0;
    if (!card.mig) return NVML_ERROR_NOT_SUPPORTED;
    for (unsigned int i = 0; i < card.instance_count; i++) {
        const struct profile *profile = profile_named(&card, card.instances[i].profile);
        if (profile == NULL || profile->id != id || card.instances[i].ci != 0) continue;
        instances[(*count)++] = (nvmlGpuInstance_t)(void *)handle_of(card.uuid, card.instances[i].gi, NVML_VALUE_NOT_AVAILABLE);
    }
    return NVML_SUCCESS;
}

static const struct instance *instance_of(const struct card *card, unsigned int gi, unsigned int ci) {
    for (unsigned int i = 0; card->mig && i < card->instance_count; i++)
        if (card->instances[i].gi == gi && (ci == (unsigned int)NVML_VALUE_NOT_AVAILABLE || card->instances[i].ci == ci)) return &card->instances[i];
    return NULL;
}

nvmlReturn_t nvmlDeviceGetGpuInstanceById(nvmlDevice_t device, unsigned int id, nvmlGpuInstance_t *instance) {
    CARD_OF(device);
    if (!card.mig) return NVML_ERROR_NOT_SUPPORTED;
    if (instance_of(&card, id, (unsigned int)NVML_VALUE_NOT_AVAILABLE) == NULL) return NVML_ERROR_NOT_FOUND;
    *instance = (nvmlGpuInstance_t)(void *)handle_of(card.uuid, id, NVML_VALUE_NOT_AVAILABLE);
    return NVML_SUCCESS;
}

// The GPU instance (or compute instance) behind a handle with its profile, or the return of the calling function.
#define INSTANCE_OF(given)                                                                                             \
    CARD_OF(given);                                                                                                    \
    const struct handle *ids = (const struct handle *)(const void *)(given);                                           \
    const struct instance *one = instance_of(&card, ids->gi, ids->ci);                                                 \
    const struct profile *profile = one == NULL ? NULL : profile_named(&card, one->profile);                           \
    if (profile == NULL) return NVML_ERROR_NOT_FOUND

nvmlReturn_t nvmlGpuInstanceGetInfo(nvmlGpuInstance_t instance, nvmlGpuInstanceInfo_t *info) {
    INSTANCE_OF(instance);
    (void)mig;
    *info = (nvmlGpuInstanceInfo_t){.id = one->gi, .profileId = profile->id, .placement = {one->start, profile->size}};
    return nvmlDeviceGetHandleByUUID(card.uuid, &info->device);
}

// The profile's ID among those of compute instances is its number: 0 for one slice, 1 for two, and so on.
nvmlReturn_t nvmlGpuInstanceGetComputeInstanceProfileInfo(nvmlGpuInstance_t instance, unsigned int number, unsigned int engines, nvmlComputeInstanceProfileInfo_t *info) {
    INSTANCE_OF(instance);
    (void)mig;
    if (number >= NVML_COMPUTE_INSTANCE_PROFILE_COUNT || engines >= NVML_COMPUTE_INSTANCE_ENGINE_PROFILE_COUNT) return NVML_ERROR_INVALID_ARGUMENT;
    unsigned int slices = COMPUTE_SLICES[number];
    if (slices == 0 || slices > profile->slices || (slices < profile->slices && 2 * slices > profile->slices + 1)) return NVML_ERROR_NOT_SUPPORTED;
    *info = (nvmlComputeInstanceProfileInfo_t){
        .id = number, .sliceCount = slices, .instanceCount = profile->slices / slices, .multiprocessorCount = multiprocessors(profile, slices),
        .sharedCopyEngineCount = profile->copy_engines, .sharedDecoderCount = profile->decoders, .sharedEncoderCount = profile->encoders,
        .sharedJpegCount = profile->jpegs, .sharedOfaCount = profile->ofas,
    };
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpuInstanceGetComputeInstanceById(nvmlGpuInstance_t instance, unsigned int id, nvmlComputeInstance_t *compute) {
    INSTANCE_OF(instance);
    (void)mig;
    if (instance_of(&card, one->gi, id) == NULL) return NVML_ERROR_NOT_FOUND;
    *compute = (nvmlComputeInstance_t)(void *)handle_of(card.uuid, one->gi, id);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpuInstanceGetComputeInstances(nvmlGpuInstance_t instance, unsigned int id, nvmlComputeInstance_t *computes, unsigned int *count) {
    INSTANCE_OF(instance);
    (void)mig;
    *count = 0;
    for (unsigned int i = 0; i < card.instance_count && id < NVML_COMPUTE_INSTANCE_PROFILE_COUNT; i++) {
        const struct instance *other = &card.instances[i];
        if (other->gi == one->gi && other->compute_slices == COMPUTE_SLICES[id])
            computes[(*count)++] = (nvmlComputeInstance_t)(void *)handle_of(card.uuid, other->gi, other->ci);
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlComputeInstanceGetInfo_v2(nvmlComputeInstance_t compute, nvmlComputeInstanceInfo_t *info) {
    INSTANCE_OF(compute);
    (void)mig;
    unsigned int number = 0;
    while (number < NVML_COMPUTE_INSTANCE_PROFILE_COUNT - 1 && COMPUTE_SLICES[number] != one->compute_slices) number++;
    *info = (nvmlComputeInstanceInfo_t){.id = one->ci, .profileId = number, .placement = {one->compute_start, one->compute_slices}};
    info->gpuInstance = (nvmlGpuInstance_t)(void *)handle_of(card.uuid, one->gi, NVML_VALUE_NOT_AVAILABLE);
    return nvmlDeviceGetHandleByUUID(card.uuid, &info->device);
}
