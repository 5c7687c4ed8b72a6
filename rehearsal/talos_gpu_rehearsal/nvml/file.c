// Reads the file of cards: sections, and in each of them lines of `key = value`.
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cards.h"

static const struct { const char *name, *words; nvmlReturn_t result; } ERRORS[] = {
    {"SUCCESS", "Success", NVML_SUCCESS},
    {"ERROR_UNINITIALIZED", "Uninitialized", NVML_ERROR_UNINITIALIZED},
    {"ERROR_INVALID_ARGUMENT", "Invalid Argument", NVML_ERROR_INVALID_ARGUMENT},
    {"ERROR_NOT_SUPPORTED", "Not Supported", NVML_ERROR_NOT_SUPPORTED},
    {"ERROR_NO_PERMISSION", "Insufficient Permissions", NVML_ERROR_NO_PERMISSION},
    {"ERROR_NOT_FOUND", "Not Found", NVML_ERROR_NOT_FOUND},
    {"ERROR_INSUFFICIENT_SIZE", "Insufficient Size", NVML_ERROR_INSUFFICIENT_SIZE},
    {"ERROR_INSUFFICIENT_POWER", "Insufficient External Power", NVML_ERROR_INSUFFICIENT_POWER},
    {"ERROR_DRIVER_NOT_LOADED", "Driver Not Loaded", NVML_ERROR_DRIVER_NOT_LOADED},
    {"ERROR_TIMEOUT", "Timeout", NVML_ERROR_TIMEOUT},
    {"ERROR_IRQ_ISSUE", "Interrupt Request Issue", NVML_ERROR_IRQ_ISSUE},
    {"ERROR_LIBRARY_NOT_FOUND", "NVML Shared Library Not Found", NVML_ERROR_LIBRARY_NOT_FOUND},
    {"ERROR_FUNCTION_NOT_FOUND", "Function Not Found", NVML_ERROR_FUNCTION_NOT_FOUND},
    {"ERROR_CORRUPTED_INFOROM", "Corrupted infoROM", NVML_ERROR_CORRUPTED_INFOROM},
    {"ERROR_GPU_IS_LOST", "GPU is lost", NVML_ERROR_GPU_IS_LOST},
    {"ERROR_RESET_REQUIRED", "GPU requires reset", NVML_ERROR_RESET_REQUIRED},
    {"ERROR_OPERATING_SYSTEM", "GPU access blocked by the operating system", NVML_ERROR_OPERATING_SYSTEM},
    {"ERROR_LIB_RM_VERSION_MISMATCH", "Driver/library version mismatch", NVML_ERROR_LIB_RM_VERSION_MISMATCH},
    {"ERROR_IN_USE", "In use by another client", NVML_ERROR_IN_USE},
    {"ERROR_MEMORY", "Insufficient Memory", NVML_ERROR_MEMORY},
    {"ERROR_NO_DATA", "No data", NVML_ERROR_NO_DATA},
    {"ERROR_INSUFFICIENT_RESOURCES", "Insufficient Resources", NVML_ERROR_INSUFFICIENT_RESOURCES},
    {"ERROR_ARGUMENT_VERSION_MISMATCH", "Argument version mismatch", NVML_ERROR_ARGUMENT_VERSION_MISMATCH},
    {"ERROR_UNKNOWN", "Unknown Error", NVML_ERROR_UNKNOWN},
};

nvmlReturn_t error_by_name(const char *name, nvmlReturn_t otherwise) {
    for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++)
        if (strcmp(ERRORS[i].name, name) == 0) return ERRORS[i].result;
    return otherwise;
}

const char *error_words(nvmlReturn_t result) {
    for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++)
        if (ERRORS[i].result == result) return ERRORS[i].words;
    return "Unknown Error";
}

// A key with one value: where it stands in the struct of its section, and how it is read.
struct key {
    const char *name;
    size_t offset, size;
    enum { TEXT, NUMBER, LONG } kind;
};
#define TEXT_KEY(section, name, field) {name, offsetof(struct section, field), sizeof ((struct section *)NULL)->field, TEXT}
#define NUMBER_KEY(section, name, field) {name, offsetof(struct section, field), 0, NUMBER}
#define LONG_KEY(section, name, field) {name, offsetof(struct section, field), 0, LONG}

static const struct key DRIVER_KEYS[] = {
    TEXT_KEY(machine, "version", version), NUMBER_KEY(machine, "cuda", cuda), NUMBER_KEY(machine, "device-nodes", device_nodes), {0},
};
static const struct key CARD_KEYS[] = {
    TEXT_KEY(card, "uuid", uuid), TEXT_KEY(card, "name", name), TEXT_KEY(card, "serial", serial), TEXT_KEY(card, "pci", pci),
    TEXT_KEY(card, "fabric-cluster", cluster), NUMBER_KEY(card, "fabric-clique", clique), NUMBER_KEY(card, "architecture", architecture),
    NUMBER_KEY(card, "brand", brand), NUMBER_KEY(card, "capability-major", major), NUMBER_KEY(card, "capability-minor", minor_capability),
    NUMBER_KEY(card, "minor", minor), NUMBER_KEY(card, "pci-device", pci_device), NUMBER_KEY(card, "pci-subsystem", pci_subsystem),
    NUMBER_KEY(card, "numa", numa), NUMBER_KEY(card, "lost", lost), NUMBER_KEY(card, "mig-capable", mig_capable), NUMBER_KEY(card, "mig", mig),
    NUMBER_KEY(card, "ecc-capable", ecc_capable), NUMBER_KEY(card, "ecc", ecc), NUMBER_KEY(card, "persistence", persistence),
    NUMBER_KEY(card, "virtualization", virtualization), NUMBER_KEY(card, "addressing", addressing), NUMBER_KEY(card, "compute-mode", compute_mode),
    NUMBER_KEY(card, "multiprocessors", multiprocessors), NUMBER_KEY(card, "temperature", temperature), NUMBER_KEY(card, "power-mw", power_mw),
    NUMBER_KEY(card, "power-limit-mw", power_limit_mw), NUMBER_KEY(card, "utilization", utilization), LONG_KEY(card, "memory-mib", memory_mib),
    LONG_KEY(card, "memory-used-mib", memory_used_mib), {0},
};
static const struct key PROFILE_KEYS[] = {
    TEXT_KEY(profile, "name", name), NUMBER_KEY(profile, "nvml", nvml), NUMBER_KEY(profile, "id", id), NUMBER_KEY(profile, "slices", slices),
    NUMBER_KEY(profile, "size", size), NUMBER_KEY(profile, "count", count), NUMBER_KEY(profile, "multiprocessors", multiprocessors),
    NUMBER_KEY(profile, "copy-engines", copy_engines), NUMBER_KEY(profile, "decoders", decoders), NUMBER_KEY(profile, "encoders", encoders),
    NUMBER_KEY(profile, "jpegs", jpegs), NUMBER_KEY(profile, "ofas", ofas), LONG_KEY(profile, "memory-mib", memory_mib), {0},
};
static const struct key INSTANCE_KEYS[] = {
    TEXT_KEY(instance, "profile", profile), TEXT_KEY(instance, "uuid", uuid), NUMBER_KEY(instance, "gi", gi), NUMBER_KEY(instance, "ci", ci),
    NUMBER_KEY(instance, "start", start), NUMBER_KEY(instance, "compute-start", compute_start),
    NUMBER_KEY(instance, "compute-slices", compute_slices), {0},
};

static const char *set_key(const struct key *keys, void *record, const char *name, const char *value) {
    for (; keys->name != NULL; keys++) {
        if (strcmp(keys->name, name) != 0) continue;
        char *field = (char *)record + keys->offset, *end = NULL;
        if (keys->kind == TEXT) {
            if (strlen(value) >= keys->size) return "the value is too long";
            strcpy(field, value);
            return NULL;
        }
        unsigned long long number = strtoull(value, &end, 0);
        if (end == value || *end != '\0') return "the value is no number";
        if (keys->kind == LONG) *(unsigned long long *)(void *)field = number;
        else *(unsigned int *)(void *)field = (unsigned int)number;
        return NULL;
    }
    return "no such key in this section";
}

// `event = 7 xid 79`, `event = 8 xid 48 gi=7 ci=0`, `event = 9 ecc-double`.
static const char *add_event(struct card *card, const char *value) {
    static const struct { const char *name; unsigned long long type; } TYPES[] = {
        {"xid", nvmlEventTypeXidCriticalError}, {"ecc-single", nvmlEventTypeSingleBitEccError}, {"ecc-double", nvmlEventTypeDoubleBitEccError},
    };
    char kind[WORD] = "";
    struct event event = {.gi = 0xFFFFFFFF, .ci = 0xFFFFFFFF};
    if (card->event_count == MAX_EVENTS) return "too many events";
    if (sscanf(value, "%u %95s %llu gi=%u ci=%u", &event.number, kind, &event.data, &event.gi, &event.ci) < 2) return "an event is `NUMBER TYPE DATA`";
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (strcmp(TYPES[i].name, kind) == 0) event.type = TYPES[i].type;
    if (event.type == 0) return "no such type of event";
    card->events[card->event_count++] = event;
    return NULL;
}

static const char *add_fault(struct card *card, const char *value) {
    char error[WORD] = "";
    struct fault fault;
    if (card->fault_count == MAX_FAULTS) return "too many faults";
    if (sscanf(value, "%95s %95s", fault.function, error) != 2) return "a fault is `FUNCTION ERROR_…`";
    fault.result = error_by_name(error, NVML_SUCCESS);
    if (fault.result == NVML_SUCCESS) return "no such error";
    card->faults[card->fault_count++] = fault;
    return NULL;
}

static const char *add_peer(struct card *card, const char *value) {
    if (card->peer_count == MAX_PEERS) return "too many links";
    if (sscanf(value, "%31s", card->peers[card->peer_count]) != 1) return "a link needs the PCI address of its other end";
    card->peer_count++;
    return NULL;
}

static const char *set_card(struct card *card, const char *name, const char *value) {
    if (strcmp(name, "event") == 0) return add_event(card, value);
    if (strcmp(name, "fault") == 0) return add_fault(card, value);
    if (strcmp(name, "nvlink") == 0) return add_peer(card, value);
    return set_key(CARD_KEYS, card, name, value);
}

static const char *set_profile(struct profile *profile, const char *name, const char *value) {
    if (strcmp(name, "starts") != 0) return set_key(PROFILE_KEYS, profile, name, value);
    char *end = NULL;
    while (profile->start_count < 8) {
        unsigned long start = strtoul(value, &end, 10);
        if (end == value) break;
        profile->starts[profile->start_count++] = (unsigned int)start;
        value = end;
    }
    return NULL;
}

static const char *set_driver(struct machine *machine, const char *name, const char *value) {
    if (strcmp(name, "init") != 0) return set_key(DRIVER_KEYS, machine, name, value);
    machine->init = error_by_name(value, NVML_ERROR_UNKNOWN);
    return NULL;
}

static char *trimmed(char *text) {
    while (isspace((unsigned char)*text)) text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) end--;
    *end = '\0';
    return text;
}

// Where the lines of the section go that was opened last.
struct place {
    enum { NOWHERE, DRIVER, CARD, PROFILE, INSTANCE } section;
    struct card *card;
};

static const char *open_section(struct machine *machine, struct place *place, const char *name) {
    if (strcmp(name, "[driver]") == 0) {
        place->section = DRIVER;
        return NULL;
    }
    if (strcmp(name, "[card]") == 0) {
        if (machine->card_count == MAX_CARDS) return "too many cards";
        place->section = CARD;
        place->card = &machine->cards[machine->card_count++];
        return NULL;
    }
    place->section = NOWHERE;
    if (place->card == NULL) return "a profile or an instance follows its card";
    if (strcmp(name, "[profile]") == 0) {
        if (place->card->profile_count == MAX_PROFILES) return "too many profiles";
        place->card->profile_count++;
        place->section = PROFILE;
    } else if (strcmp(name, "[instance]") == 0) {
        if (place->card->instance_count == MAX_INSTANCES) return "too many instances";
        place->card->instance_count++;
        place->section = INSTANCE;
    } else {
        return "no such section";
    }
    return NULL;
}

static const char *read_line(struct machine *machine, struct place *place, char *line) {
    if (*line == '\0' || *line == '#') return NULL;
    if (*line == '[') return open_section(machine, place, line);
    char *equals = strchr(line, '=');
    if (equals == NULL) return "a line is `key = value`";
    *equals = '\0';
    const char *name = trimmed(line), *value = trimmed(equals + 1);
    switch (place->section) {
    case DRIVER: return set_driver(machine, name, value);
    case CARD: return set_card(place->card, name, value);
    case PROFILE: return set_profile(&place->card->profiles[place->card->profile_count - 1], name, value);
    case INSTANCE: return set_key(INSTANCE_KEYS, &place->card->instances[place->card->instance_count - 1], name, value);
    case NOWHERE: break;
    }
    return "the line is in no section";
}

int machine_read(const char *path, struct machine *machine, void (*complain)(const char *path, int line, const char *why)) {
    FILE *file = fopen(path, "re");
    if (file == NULL) return -1;
    char line[1024];
    struct place place = {NOWHERE, NULL};
    memset(machine, 0, sizeof *machine);
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        const char *why = read_line(machine, &place, trimmed(line));
        if (why != NULL) complain(path, number, why);
    }
    fclose(file);
    return 0;
}
