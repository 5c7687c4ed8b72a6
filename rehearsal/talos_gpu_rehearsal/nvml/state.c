// The machine as the file says it now. One mutex guards it; callers get copies, so no pointer into it leaves this module.
#define _GNU_SOURCE  // for dladdr
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cards.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int users;
static struct machine machine, next;
static struct stat seen;
static int is_known;  // whether `machine` is from a file

static void complain(const char *path, int line, const char *why) {
    fprintf(stderr, "mock libnvidia-ml: %s:%d: %s\n", path, line, why);
}

// $TALOS_GPU_CARDS, else a file beside this library, else /proc/driver/nvidia-mock/cards.conf.
static const char *path_of_cards(char *buffer, size_t size) {
    const char *named = getenv("TALOS_GPU_CARDS");
    if (named != NULL && *named != '\0') return named;
    Dl_info self;
    if (dladdr(&lock, &self) != 0 && self.dli_fname != NULL) {
        const char *slash = strrchr(self.dli_fname, '/');
        if (slash != NULL) {
            snprintf(buffer, size, "%.*s/cards.conf", (int)(slash - self.dli_fname), self.dli_fname);
            if (access(buffer, R_OK) == 0) return buffer;
        }
    }
    return "/proc/driver/nvidia-mock/cards.conf";
}

static void read_again(void) {
    char buffer[4096];
    struct stat now;
    const char *path = path_of_cards(buffer, sizeof buffer);
    if (stat(path, &now) != 0) {
        is_known = 0;
        return;
    }
    if (is_known && now.st_ino == seen.st_ino && now.st_dev == seen.st_dev && now.st_size == seen.st_size &&
        now.st_mtim.tv_sec == seen.st_mtim.tv_sec && now.st_mtim.tv_nsec == seen.st_mtim.tv_nsec)
        return;
    if (machine_read(path, &next, complain) != 0) return;
    machine = next;
    seen = now;
    is_known = 1;
}

// Whether a process may open a file of /dev. A file of a driver that is not there (ENXIO) is enough.
static int can_open(const char *path) {
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file >= 0) close(file);
    return file >= 0 || errno == ENXIO || errno == ENODEV;
}

static int is_visible(const struct card *card) {
    char path[64];
    snprintf(path, sizeof path, "/dev/nvidia%u", card->minor);
    return !machine.device_nodes || can_open(path);
}

// Whether a process may open the capability of a GPU instance, whose number /proc/driver/nvidia/capabilities has.
static int is_instance_visible(const struct card *card, const struct instance *instance) {
    char path[128], text[256] = "";
    unsigned int minor;
    snprintf(path, sizeof path, "/proc/driver/nvidia/capabilities/gpu%u/mig/gi%u/access", card->minor, instance->gi);
    FILE *file = machine.device_nodes ? fopen(path, "r") : NULL;
    if (file == NULL) return 1;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    if (sscanf(text, "DeviceFileMinor: %u", &minor) != 1) return 1;
    snprintf(path, sizeof path, "/dev/nvidia-caps/nvidia-cap%u", minor);
    return can_open(path);
}

static const struct card *visible(unsigned int index) {
    for (unsigned int i = 0; i < machine.card_count; i++)
        if (is_visible(&machine.cards[i]) && index-- == 0) return &machine.cards[i];
    return NULL;
}

static nvmlReturn_t enter(void) {
    pthread_mutex_lock(&lock);
    if (users == 0) return NVML_ERROR_UNINITIALIZED;
    read_again();
    return is_known ? NVML_SUCCESS : NVML_ERROR_DRIVER_NOT_LOADED;
}

static nvmlReturn_t leave(nvmlReturn_t result) {
    pthread_mutex_unlock(&lock);
    return result;
}

// The driver's answer to a program that starts: what the file says, and what the files in /dev allow.
static nvmlReturn_t start(void) {
    if (!is_known) return NVML_ERROR_DRIVER_NOT_LOADED;
    if (machine.init != NVML_SUCCESS || !machine.device_nodes) return machine.init;
    if (can_open("/dev/nvidiactl")) return NVML_SUCCESS;
    return errno == EPERM || errno == EACCES ? NVML_ERROR_UNKNOWN : NVML_ERROR_DRIVER_NOT_LOADED;
}

nvmlReturn_t state_init(void) {
    pthread_mutex_lock(&lock);
    read_again();
    nvmlReturn_t result = start();
    if (result == NVML_SUCCESS) users++;
    return leave(result);
}

nvmlReturn_t state_shutdown(void) {
    pthread_mutex_lock(&lock);
    if (users == 0) return leave(NVML_ERROR_UNINITIALIZED);
    users--;
    return leave(NVML_SUCCESS);
}

nvmlReturn_t state_driver(char *version, unsigned int length, unsigned int *cuda) {
    nvmlReturn_t result = enter();
    if (result == NVML_SUCCESS && version != NULL) {
        if (strlen(machine.version) >= length) result = NVML_ERROR_INSUFFICIENT_SIZE;
        else strcpy(version, machine.version);
    }
    if (result == NVML_SUCCESS && cuda != NULL) *cuda = machine.cuda;
    return leave(result);
}

nvmlReturn_t state_count(unsigned int *count) {
    nvmlReturn_t result = enter();
    if (result == NVML_SUCCESS)
        for (*count = 0; visible(*count) != NULL;) ++*count;
    return leave(result);
}

static nvmlReturn_t answer(const struct card *from, struct card *card, nvmlReturn_t otherwise) {
    if (from == NULL) return otherwise;
    *card = *from;
    return card->lost ? NVML_ERROR_GPU_IS_LOST : NVML_SUCCESS;
}

nvmlReturn_t state_by_index(unsigned int index, struct card *card) {
    nvmlReturn_t result = enter();
    if (result == NVML_SUCCESS) result = answer(visible(index), card, NVML_ERROR_INVALID_ARGUMENT);
    return leave(result);
}

// 0000:07:00.0 and 00000000:07:00.0 are one address.
static int is_same_pci(const char *one, const char *other) {
    unsigned int a[4], b[4];
    return sscanf(one, "%x:%x:%x.%x", &a[0], &a[1], &a[2], &a[3]) == 4 && sscanf(other, "%x:%x:%x.%x", &b[0], &b[1], &b[2], &b[3]) == 4 &&
           memcmp(a, b, sizeof a) == 0;
}

nvmlReturn_t state_by_pci(const char *pci, struct card *card) {
    nvmlReturn_t result = enter();
    const struct card *found = NULL;
    for (unsigned int i = 0; result == NVML_SUCCESS && i < machine.card_count; i++)
        if (is_same_pci(machine.cards[i].pci, pci) && is_visible(&machine.cards[i])) found = &machine.cards[i];
    if (result == NVML_SUCCESS) result = answer(found, card, NVML_ERROR_NOT_FOUND);
    return leave(result);
}

static const struct card *owner(const char *uuid, unsigned int *number) {
    for (unsigned int i = 0; i < machine.card_count; i++) {
        const struct card *card = &machine.cards[i];
        for (*number = 0; card->mig && *number < card->instance_count; ++*number)
            if (strcasecmp(card->instances[*number].uuid, uuid) == 0) return card;
        *number = MAX_INSTANCES;
        if (strcasecmp(card->uuid, uuid) == 0) return card;
    }
    return NULL;
}

// The fault that the file names for a function: `DeviceGetName` for nvmlDeviceGetName and its later versions.
static nvmlReturn_t fault_of(const struct card *card, const char *function) {
    for (unsigned int i = 0; i < card->fault_count; i++) {
        size_t length = strlen(card->faults[i].function);
        const char *rest = function + strlen("nvml") + length;
        if (strncmp(function + strlen("nvml"), card->faults[i].function, length) == 0 && (*rest == '\0' || strncmp(rest, "_v", 2) == 0))
            return card->faults[i].result;
    }
    return NVML_SUCCESS;
}

nvmlReturn_t state_by_uuid(const char *uuid, struct card *card, const struct instance **mig, const char *function) {
    nvmlReturn_t result = enter();
    unsigned int number = MAX_INSTANCES;
    const struct card *found = result == NVML_SUCCESS ? owner(uuid, &number) : NULL;
    if (found != NULL && !is_visible(found)) found = NULL;
    if (result == NVML_SUCCESS) result = answer(found, card, NVML_ERROR_NOT_FOUND);
    if (result == NVML_SUCCESS) result = fault_of(card, function);
    if (result == NVML_SUCCESS && number < MAX_INSTANCES) *mig = &card->instances[number];
    return leave(result);
}

nvmlReturn_t state_mig_by_index(const struct card *card, unsigned int index, const struct instance **mig) {
    nvmlReturn_t result = enter();
    *mig = NULL;
    for (unsigned int i = 0; result == NVML_SUCCESS && *mig == NULL && i < card->instance_count; i++)
        if (is_instance_visible(card, &card->instances[i]) && index-- == 0) *mig = &card->instances[i];
    if (result == NVML_SUCCESS && *mig == NULL) result = NVML_ERROR_NOT_FOUND;
    return leave(result);
}

nvmlReturn_t state_index(const char *uuid, unsigned int *index) {
    nvmlReturn_t result = enter();
    unsigned int number;
    const struct card *card = result == NVML_SUCCESS ? owner(uuid, &number) : NULL;
    if (card == NULL) return leave(result == NVML_SUCCESS ? NVML_ERROR_NOT_FOUND : result);
    for (*index = 0; visible(*index) != NULL && visible(*index) != card;) ++*index;
    return leave(NVML_SUCCESS);
}

// What a program set: one line in `<file of cards>.set`, for tests and people to read.
void state_set(const char *uuid, const char *key, unsigned int value) {
    char buffer[4096], log[4110];
    pthread_mutex_lock(&lock);
    snprintf(log, sizeof log, "%s.set", path_of_cards(buffer, sizeof buffer));
    FILE *file = fopen(log, "ae");
    if (file != NULL) {
        fprintf(file, "%s %s %u\n", uuid, key, value);
        fclose(file);
    }
    pthread_mutex_unlock(&lock);
}

// For the stand-in of nvidia-smi: NVML has no entry point for a time slice.
__attribute__((visibility("default"))) void mock_set(const char *uuid, const char *key, unsigned int value);
void mock_set(const char *uuid, const char *key, unsigned int value) { state_set(uuid, key, value); }
