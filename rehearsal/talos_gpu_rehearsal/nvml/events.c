// NVML's events: what a card tells of, in the order of the numbers in the file.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cards.h"

enum { MILLISECONDS_BETWEEN_LOOKS = 50 };

static const unsigned long long TYPES = nvmlEventTypeXidCriticalError | nvmlEventTypeSingleBitEccError | nvmlEventTypeDoubleBitEccError;

// One program waits for one set, so a set needs no lock of its own.
struct registration {
    char uuid[WORD];
    unsigned long long types;
    unsigned int last;  // the number of the newest event that was there, or was handed out
};

struct nvmlEventSet_st {
    unsigned int count;
    struct registration registrations[MAX_CARDS];
};

nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long *types) {
    CARD_OF(device);
    if (mig != NULL) return NVML_ERROR_NOT_SUPPORTED;
    *types = TYPES;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t *set) {
    unsigned int count;
    nvmlReturn_t result = state_count(&count);
    if (result != NVML_SUCCESS) return result;
    *set = calloc(1, sizeof **set);
    return *set == NULL ? NVML_ERROR_MEMORY : NVML_SUCCESS;
}

nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) {
    free(set);
    return NVML_SUCCESS;
}

static unsigned int newest(const struct card *card) {
    unsigned int number = 0;
    for (unsigned int i = 0; i < card->event_count; i++)
        if (card->events[i].number > number) number = card->events[i].number;
    return number;
}

// Two MIG devices of a card register it twice; that is one registration.
nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types, nvmlEventSet_t set) {
    CARD_OF(device);
    if (set == NULL || (types & ~TYPES) != 0) return NVML_ERROR_INVALID_ARGUMENT;
    unsigned int i = 0;
    while (i < set->count && strcmp(set->registrations[i].uuid, card.uuid) != 0) i++;
    if (i == MAX_CARDS) return NVML_ERROR_MEMORY;
    if (i == set->count) {
        set->count++;
        strcpy(set->registrations[i].uuid, card.uuid);
        set->registrations[i].last = newest(&card);
    }
    set->registrations[i].types |= types;
    return NVML_SUCCESS;
}

static void hand_out(const struct card *card, const struct event *event, nvmlEventData_t *data) {
    memset(data, 0, sizeof *data);
    data->device = (nvmlDevice_t)(void *)handle_of(card->uuid, NVML_VALUE_NOT_AVAILABLE, NVML_VALUE_NOT_AVAILABLE);
    data->eventType = event->type;
    data->eventData = event->data;
    data->gpuInstanceId = event->gi;
    data->computeInstanceId = event->ci;
}

// The oldest event of a card that the set has not seen. A lost card still tells why it was lost.
static int look(struct registration *registration, nvmlEventData_t *data) {
    struct card card;
    const struct instance *mig = NULL;
    const struct event *oldest = NULL;
    nvmlReturn_t found = state_by_uuid(registration->uuid, &card, &mig, "nvmlEventSetWait");
    if (found != NVML_SUCCESS && found != NVML_ERROR_GPU_IS_LOST) return 0;
    for (unsigned int i = 0; i < card.event_count; i++) {
        const struct event *event = &card.events[i];
        if (event->number <= registration->last || !(event->type & registration->types)) continue;
        if (oldest == NULL || event->number < oldest->number) oldest = event;
    }
    if (oldest == NULL) return 0;
    registration->last = oldest->number;
    hand_out(&card, oldest, data);
    return 1;
}

nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *data, unsigned int timeout) {
    if (set == NULL) return NVML_ERROR_INVALID_ARGUMENT;
    const struct timespec pause = {0, MILLISECONDS_BETWEEN_LOOKS * 1000000L};
    for (unsigned int waited = 0;; waited += MILLISECONDS_BETWEEN_LOOKS) {
        for (unsigned int i = 0; i < set->count; i++)
            if (look(&set->registrations[i], data)) return NVML_SUCCESS;
        if (waited >= timeout) return NVML_ERROR_TIMEOUT;
        nanosleep(&pause, NULL);
    }
}
