// The stand-in's `--query-gpu` and `-q`: a value of a card by the name of its field.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvidia_smi.h"

static const char *on_or_off(unsigned int state) { return state ? "Enabled" : "Disabled"; }

#define ASK(function, type)                                                                                            \
    type answer;                                                                                                       \
    memset(&answer, 0, sizeof answer);                                                                                 \
    nvmlReturn_t result = NVML(function)(device, &answer);                                                             \
    if (result != NVML_SUCCESS) return result

typedef nvmlReturn_t reader(nvmlDevice_t device, unsigned int index, char *value);

static nvmlReturn_t read_index(nvmlDevice_t device, unsigned int index, char *value) { return (void)device, sprintf(value, "%u", index), NVML_SUCCESS; }
static nvmlReturn_t read_name(nvmlDevice_t device, unsigned int index, char *value) { return (void)index, NVML(nvmlDeviceGetName)(device, value, TEXT); }
static nvmlReturn_t read_uuid(nvmlDevice_t device, unsigned int index, char *value) { return (void)index, NVML(nvmlDeviceGetUUID)(device, value, TEXT); }
static nvmlReturn_t read_serial(nvmlDevice_t device, unsigned int index, char *value) { return (void)index, NVML(nvmlDeviceGetSerial)(device, value, TEXT); }
static nvmlReturn_t read_driver(nvmlDevice_t device, unsigned int index, char *value) {
    return (void)device, (void)index, NVML(nvmlSystemGetDriverVersion)(value, TEXT);
}

static nvmlReturn_t read_count(nvmlDevice_t device, unsigned int index, char *value) {
    unsigned int count = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetCount_v2)(&count);
    return (void)device, (void)index, sprintf(value, "%u", count), result;
}

static nvmlReturn_t read_total(nvmlDevice_t device, unsigned int index, char *value) {
    ASK(nvmlDeviceGetMemoryInfo, nvmlMemory_t);
    return (void)index, sprintf(value, "%llu", answer.total >> 20), NVML_SUCCESS;
}

static nvmlReturn_t read_used(nvmlDevice_t device, unsigned int index, char *value) {
    ASK(nvmlDeviceGetMemoryInfo, nvmlMemory_t);
    return (void)index, sprintf(value, "%llu", answer.used >> 20), NVML_SUCCESS;
}

static nvmlReturn_t read_free(nvmlDevice_t device, unsigned int index, char *value) {
    ASK(nvmlDeviceGetMemoryInfo, nvmlMemory_t);
    return (void)index, sprintf(value, "%llu", answer.free >> 20), NVML_SUCCESS;
}

static nvmlReturn_t read_bus(nvmlDevice_t device, unsigned int index, char *value) {
    ASK(nvmlDeviceGetPciInfo_v3, nvmlPciInfo_t);
    return (void)index, sprintf(value, "%s", answer.busId), NVML_SUCCESS;
}

static nvmlReturn_t read_pci_device(nvmlDevice_t device, unsigned int index, char *value) {
    ASK(nvmlDeviceGetPciInfo_v3, nvmlPciInfo_t);
    return (void)index, sprintf(value, "0x%08X", answer.pciDeviceId), NVML_SUCCESS;
}

static nvmlReturn_t read_capability(nvmlDevice_t device, unsigned int index, char *value) {
    int major = 0, minor = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetCudaComputeCapability)(device, &major, &minor);
    return (void)index, sprintf(value, "%d.%d", major, minor), result;
}

static nvmlReturn_t read_mig(nvmlDevice_t device, unsigned int index, char *value) {
    unsigned int current = 0, pending = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetMigMode)(device, &current, &pending);
    return (void)index, sprintf(value, "%s", on_or_off(current)), result;
}

static nvmlReturn_t read_ecc(nvmlDevice_t device, unsigned int index, char *value) {
    nvmlEnableState_t current = NVML_FEATURE_DISABLED, pending = NVML_FEATURE_DISABLED;
    nvmlReturn_t result = NVML(nvmlDeviceGetEccMode)(device, &current, &pending);
    return (void)index, sprintf(value, "%s", on_or_off(current)), result;
}

static nvmlReturn_t read_persistence(nvmlDevice_t device, unsigned int index, char *value) {
    ASK(nvmlDeviceGetPersistenceMode, nvmlEnableState_t);
    return (void)index, sprintf(value, "%s", on_or_off(answer)), NVML_SUCCESS;
}

static nvmlReturn_t read_compute_mode(nvmlDevice_t device, unsigned int index, char *value) {
    static const char *const NAMES[] = {"Default", "Exclusive_Thread", "Prohibited", "Exclusive_Process"};
    ASK(nvmlDeviceGetComputeMode, nvmlComputeMode_t);
    return (void)index, sprintf(value, "%s", NAMES[answer & 3]), NVML_SUCCESS;
}

static nvmlReturn_t read_temperature(nvmlDevice_t device, unsigned int index, char *value) {
    unsigned int celsius = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetTemperature)(device, NVML_TEMPERATURE_GPU, &celsius);
    return (void)index, sprintf(value, "%u", celsius), result;
}

static nvmlReturn_t read_utilization(nvmlDevice_t device, unsigned int index, char *value) {
    ASK(nvmlDeviceGetUtilizationRates, nvmlUtilization_t);
    return (void)index, sprintf(value, "%u", answer.gpu), NVML_SUCCESS;
}

static nvmlReturn_t read_memory_utilization(nvmlDevice_t device, unsigned int index, char *value) {
    ASK(nvmlDeviceGetUtilizationRates, nvmlUtilization_t);
    return (void)index, sprintf(value, "%u", answer.memory), NVML_SUCCESS;
}

static nvmlReturn_t read_power(nvmlDevice_t device, unsigned int index, char *value) {
    ASK(nvmlDeviceGetPowerUsage, unsigned int);
    return (void)index, sprintf(value, "%u.%02u", answer / 1000, answer % 1000 / 10), NVML_SUCCESS;
}

static nvmlReturn_t read_power_limit(nvmlDevice_t device, unsigned int index, char *value) {
    ASK(nvmlDeviceGetEnforcedPowerLimit, unsigned int);
    return (void)index, sprintf(value, "%u.%02u", answer / 1000, answer % 1000 / 10), NVML_SUCCESS;
}

// Its names, its unit, and its name in `-q` (none for what `-q` says elsewhere).
static const struct { const char *name, *other, *unit, *title; reader *read; } FIELDS[] = {
    {"index", "index", "", NULL, read_index},
    {"count", "count", "", NULL, read_count},
    {"driver_version", "driver_version", "", NULL, read_driver},
    {"name", "gpu_name", "", "Product Name", read_name},
    {"uuid", "gpu_uuid", "", "GPU UUID", read_uuid},
    {"serial", "gpu_serial", "", "Serial Number", read_serial},
    {"pci.bus_id", "gpu_bus_id", "", "Bus Id", read_bus},
    {"pci.device_id", "pci.device_id", "", "Device Id", read_pci_device},
    {"persistence_mode", "persistence_mode", "", "Persistence Mode", read_persistence},
    {"mig.mode.current", "mig.mode.current", "", "MIG Mode Current", read_mig},
    {"mig.mode.pending", "mig.mode.pending", "", "MIG Mode Pending", read_mig},
    {"ecc.mode.current", "ecc.mode.current", "", "ECC Mode Current", read_ecc},
    {"compute_mode", "compute_mode", "", "Compute Mode", read_compute_mode},
    {"compute_cap", "compute_cap", "", "CUDA Capability", read_capability},
    {"memory.total", "memory.total", " MiB", "FB Memory Total", read_total},
    {"memory.used", "memory.used", " MiB", "FB Memory Used", read_used},
    {"memory.free", "memory.free", " MiB", "FB Memory Free", read_free},
    {"utilization.gpu", "utilization.gpu", " %", "GPU Utilization", read_utilization},
    {"utilization.memory", "utilization.memory", " %", NULL, read_memory_utilization},
    {"temperature.gpu", "temperature.gpu", "", "GPU Current Temp", read_temperature},
    {"power.draw", "power.draw", " W", "Power Draw", read_power},
    {"power.limit", "enforced.power.limit", " W", "Current Power Limit", read_power_limit},
};
enum { FIELD_COUNT = sizeof FIELDS / sizeof *FIELDS };

int field_value(const char *field, nvmlDevice_t device, unsigned int index, char *value, const char **unit) {
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (strcmp(FIELDS[i].name, field) != 0 && strcmp(FIELDS[i].other, field) != 0) continue;
        *unit = FIELDS[i].unit;
        if (device == NULL || FIELDS[i].read(device, index, value) == NVML_SUCCESS) return 1;
        strcpy(value, "[N/A]");
        *unit = "";
        return 1;
    }
    return 0;
}

// One line: the names of the fields if there is no card, else its values.
static int print_line(char *const *fields, unsigned int count, const struct chosen *chosen, unsigned int at, int has_units) {
    for (unsigned int i = 0; i < count; i++) {
        char value[TEXT] = "";
        const char *unit = "", *comma = i == 0 ? "" : ", ";
        nvmlDevice_t device = at < chosen->count ? chosen->device[at] : NULL;
        if (!field_value(fields[i], device, device != NULL ? chosen->index[at] : 0, value, &unit)) {
            printf("Field \"%s\" is not a valid field to query.\n\n", fields[i]);
            return USAGE;
        }
        if (device != NULL) printf("%s%s%s", comma, value, has_units ? unit : "");
        else if (*unit != '\0') printf("%s%s [%s]", comma, fields[i], unit + 1);
        else printf("%s%s", comma, fields[i]);
    }
    putchar('\n');
    return 0;
}

int print_query(const struct chosen *chosen, char *text, const char *format) {
    char *fields[MOST];
    unsigned int count = 0;
    if (strncmp(format, "csv", 3) != 0) {
        printf("\"--query-gpu=\" needs \"--format=csv\" (optionally with noheader and nounits).\n");
        return USAGE;
    }
    for (char *word = strtok(text, ", "); word != NULL && count < MOST; word = strtok(NULL, ", ")) fields[count++] = word;
    const int has_header = strstr(format, "noheader") == NULL, has_units = strstr(format, "nounits") == NULL;
    for (unsigned int i = 0; i < count; i++) {
        char value[TEXT];
        const char *unit;
        if (field_value(fields[i], NULL, 0, value, &unit)) continue;
        printf("Field \"%s\" is not a valid field to query.\n\n", fields[i]);
        return USAGE;
    }
    if (has_header) print_line(fields, count, chosen, chosen->count, has_units);
    for (unsigned int at = 0; at < chosen->count; at++) print_line(fields, count, chosen, at, has_units);
    return 0;
}

void print_all(const struct chosen *chosen) {
    char driver[TEXT] = "";
    int cuda = 0;
    NVML(nvmlSystemGetDriverVersion)(driver, sizeof driver);
    NVML(nvmlSystemGetCudaDriverVersion_v2)(&cuda);
    printf("\n==============NVSMI LOG============== (a stand-in over a mock library)\n\n");
    printf("%-42s: %s\n%-42s: %d.%d\n\n%-42s: %u\n", "Driver Version", driver, "CUDA Version", cuda / 1000, cuda % 1000 / 10, "Attached GPUs", chosen->count);
    for (unsigned int at = 0; at < chosen->count; at++) {
        char bus[TEXT] = "";
        const char *unit;
        field_value("pci.bus_id", chosen->device[at], chosen->index[at], bus, &unit);
        printf("GPU %s\n", bus);
        for (size_t i = 0; i < FIELD_COUNT; i++) {
            char value[TEXT] = "";
            if (FIELDS[i].title == NULL) continue;
            field_value(FIELDS[i].name, chosen->device[at], chosen->index[at], value, &unit);
            printf("    %-38s: %s%s\n", FIELDS[i].title, strcmp(value, "[N/A]") == 0 ? "N/A" : value, unit);
        }
        printf("\n");
    }
}
