// The cards that the mock library shows, as its file describes them. README.md in this folder says what each key means.
#ifndef TALOS_GPU_CARDS_H
#define TALOS_GPU_CARDS_H

#include "nvml.h"

enum { MAX_CARDS = 16, MAX_PROFILES = 17, MAX_INSTANCES = 8, MAX_EVENTS = 64, MAX_FAULTS = 16, MAX_PEERS = 18, WORD = 96 };

// A profile of a GPU instance: what `nvidia-smi mig -lgip` lists.
struct profile {
    char name[WORD];
    unsigned int nvml;  // NVML_GPU_INSTANCE_PROFILE_…
    unsigned int id, slices, size, count, multiprocessors, copy_engines, decoders, encoders, jpegs, ofas;
    unsigned int starts[8], start_count;
    unsigned long long memory_mib;
};

// A MIG device: a GPU instance with one of its compute instances.
struct instance {
    char profile[WORD], uuid[WORD];
    unsigned int gi, ci, start, compute_start, compute_slices;
};

// An event of a card. Numbers rise through the file; a waiting program gets the events that came after its registration.
struct event {
    unsigned int number, gi, ci;
    unsigned long long type, data;
};

// An entry point that fails for a card.
struct fault {
    char function[WORD];
    nvmlReturn_t result;
};

struct card {
    char uuid[WORD], name[WORD], serial[WORD], pci[32], cluster[WORD], peers[MAX_PEERS][32];
    unsigned int architecture, brand, major, minor_capability, minor, pci_device, pci_subsystem, numa;
    unsigned int lost, mig_capable, mig, ecc, ecc_capable, persistence, virtualization, addressing, compute_mode, clique, peer_count;
    unsigned int multiprocessors, temperature, power_mw, power_limit_mw, utilization;
    unsigned long long memory_mib, memory_used_mib;
    unsigned int profile_count, instance_count, event_count, fault_count;
    struct profile profiles[MAX_PROFILES];
    struct instance instances[MAX_INSTANCES];
    struct event events[MAX_EVENTS];
    struct fault faults[MAX_FAULTS];
};

struct machine {
    char version[WORD];
    unsigned int cuda;  // 13000 for 13.0, as NVML counts
    nvmlReturn_t init;  // what nvmlInit answers
    unsigned int device_nodes;  // whether a card needs its file in /dev
    unsigned int card_count;
    struct card cards[MAX_CARDS];
};

// Only the entry points of NVML are seen from outside.
#pragma GCC visibility push(hidden)

// file.c: reads the text. `complain` gets the number of a line that nobody understands, and why.
int machine_read(const char *path, struct machine *machine, void (*complain)(const char *path, int line, const char *why));
nvmlReturn_t error_by_name(const char *name, nvmlReturn_t otherwise);
const char *error_words(nvmlReturn_t result);

// state.c: the machine as the file says it now. Each call locks, reads the file if it changed, and hands out a copy.
nvmlReturn_t state_init(void);
nvmlReturn_t state_shutdown(void);
nvmlReturn_t state_driver(char *version, unsigned int length, unsigned int *cuda);
nvmlReturn_t state_count(unsigned int *count);
nvmlReturn_t state_by_index(unsigned int index, struct card *card);
nvmlReturn_t state_by_uuid(const char *uuid, struct card *card, const struct instance **mig, const char *function);
nvmlReturn_t state_by_pci(const char *pci, struct card *card);
nvmlReturn_t state_mig_by_index(const struct card *card, unsigned int index, const struct instance **mig);
nvmlReturn_t state_index(const char *uuid, unsigned int *index);
void state_set(const char *uuid, const char *key, unsigned int value);

// handles.c: a handle is a name that is kept for the life of the process, so it stays valid while the file changes.
struct handle {
    char name[WORD];
    unsigned int gi, ci;
    struct handle *next;
};
struct handle *handle_of(const char *name, unsigned int gi, unsigned int ci);

#pragma GCC visibility pop

// The card behind a handle, or the return of the calling function when there is none.
#define CARD_OF(given)                                                                                                 \
    struct card card;                                                                                                  \
    const struct instance *mig = NULL;                                                                                 \
    if ((given) == NULL) return NVML_ERROR_INVALID_ARGUMENT;                                                           \
    nvmlReturn_t found = state_by_uuid(((const struct handle *)(const void *)(given))->name, &card, &mig, __func__);  \
    if (found != NVML_SUCCESS) return found

#endif
