// The stand-in's list and tables.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nvidia_smi.h"

// Calls `each` for the MIG devices of a card, in their order.
static unsigned int each_mig(nvmlDevice_t device, void (*each)(nvmlDevice_t mig, unsigned int number)) {
    unsigned int most = 0, found = 0;
    if (NVML(nvmlDeviceGetMaxMigDeviceCount)(device, &most) != NVML_SUCCESS) return 0;
    for (unsigned int i = 0; i < most; i++) {
        nvmlDevice_t mig;
        if (NVML(nvmlDeviceGetMigDeviceHandleByIndex)(device, i, &mig) != NVML_SUCCESS) continue;
        if (each != NULL) each(mig, i);
        found++;
    }
    return found;
}

// `3g.20gb` of "NVIDIA A100-SXM4-40GB MIG 3g.20gb".
static const char *profile_in(const char *name) {
    const char *found = strstr(name, " MIG ");
    return found != NULL ? found + strlen(" MIG ") : name;
}

static void print_mig_line(nvmlDevice_t mig, unsigned int number) {
    char name[TEXT] = "", uuid[TEXT] = "";
    NVML(nvmlDeviceGetName)(mig, name, sizeof name);
    NVML(nvmlDeviceGetUUID)(mig, uuid, sizeof uuid);
    printf("  MIG %-12sDevice %2u: (UUID: %s)\n", profile_in(name), number, uuid);
}

int print_list(const struct chosen *chosen) {
    for (unsigned int i = 0; i < chosen->count; i++) {
        char name[TEXT] = "", uuid[TEXT] = "";
        NVML(nvmlDeviceGetName)(chosen->device[i], name, sizeof name);
        NVML(nvmlDeviceGetUUID)(chosen->device[i], uuid, sizeof uuid);
        printf("GPU %u: %s (UUID: %s)\n", chosen->index[i], name, uuid);
        each_mig(chosen->device[i], print_mig_line);
    }
    return 0;
}

static const char *value(const char *field, const struct chosen *chosen, unsigned int at, char *text) {
    const char *unit = "";
    field_value(field, chosen->device[at], chosen->index[at], text, &unit);
    return strcmp(text, "[N/A]") == 0 ? "N/A" : strcat(text, strcmp(unit, " MiB") == 0 ? "MiB" : "");
}

enum { WIDTH = 84 };

static void print_rule(void) {
    putchar('+');
    for (int i = 0; i < WIDTH; i++) putchar('-');
    printf("+\n");
}

__attribute__((format(printf, 1, 2))) static void print_row(const char *format, ...) {
    char row[2 * WIDTH];
    va_list values;
    va_start(values, format);
    vsnprintf(row, sizeof row, format, values);
    va_end(values);
    printf("| %-*.*s |\n", WIDTH - 2, WIDTH - 2, row);
}

static void print_mig_row(nvmlDevice_t mig, unsigned int number) {
    (void)number;
    unsigned int gi = 0, ci = 0;
    char name[TEXT] = "";
    nvmlMemory_t memory = {0};
    NVML(nvmlDeviceGetGpuInstanceId)(mig, &gi);
    NVML(nvmlDeviceGetComputeInstanceId)(mig, &ci);
    NVML(nvmlDeviceGetName)(mig, name, sizeof name);
    NVML(nvmlDeviceGetMemoryInfo)(mig, &memory);
    print_row("     MIG %-22.22s  GI %3u  CI %3u       %14s / %6lluMiB", profile_in(name), gi, ci, "0MiB", memory.total >> 20);
}

int print_table(const struct chosen *chosen) {
    char driver[TEXT] = "", a[TEXT], b[TEXT], c[TEXT], d[TEXT], e[TEXT];
    int cuda = 0;
    NVML(nvmlSystemGetDriverVersion)(driver, sizeof driver);
    NVML(nvmlSystemGetCudaDriverVersion_v2)(&cuda);
    print_rule();
    print_row("NVIDIA-SMI (stand-in, mock card)  Driver Version: %-13.13s CUDA Version: %d.%d", driver, cuda / 1000, cuda % 1000 / 10);
    print_rule();
    print_row("GPU  %-28s  %-16s  %19s  %s", "Name", "Bus-Id", "Memory-Usage", "MIG");
    print_rule();
    for (unsigned int i = 0; i < chosen->count; i++) {
        print_row("%3u  %-28.28s  %-16.16s  %8s / %8s  %s", chosen->index[i], value("name", chosen, i, a), value("pci.bus_id", chosen, i, b),
               value("memory.used", chosen, i, c), value("memory.total", chosen, i, d), value("mig.mode.current", chosen, i, e));
        each_mig(chosen->device[i], print_mig_row);
    }
    print_rule();
    print_row("%s", "No running processes found");
    print_rule();
    return 0;
}

static int links_between(nvmlDevice_t one, nvmlDevice_t other) {
    nvmlPciInfo_t far, pci;
    int links = 0;
    if (NVML(nvmlDeviceGetPciInfo_v3)(other, &pci) != NVML_SUCCESS) return 0;
    for (unsigned int link = 0; link < NVML_NVLINK_MAX_LINKS; link++)
        links += NVML(nvmlDeviceGetNvLinkRemotePciInfo_v2)(one, link, &far) == NVML_SUCCESS && strcmp(far.busId, pci.busId) == 0;
    return links;
}

int print_topology(const struct chosen *chosen) {
    for (unsigned int i = 0; i < chosen->count; i++) printf("\tGPU%u", chosen->index[i]);
    printf("\n");
    for (unsigned int i = 0; i < chosen->count; i++) {
        printf("GPU%u", chosen->index[i]);
        for (unsigned int j = 0; j < chosen->count; j++) {
            nvmlGpuTopologyLevel_t level = NVML_TOPOLOGY_SYSTEM;
            int links = i == j ? 0 : links_between(chosen->device[i], chosen->device[j]);
            if (i != j) NVML(nvmlDeviceGetTopologyCommonAncestor)(chosen->device[i], chosen->device[j], &level);
            if (i == j) printf("\t X ");
            else if (links > 0) printf("\tNV%d", links);
            else printf("\t%s", level == NVML_TOPOLOGY_NODE ? "NODE" : "SYS");
        }
        printf("\n");
    }
    printf("\nLegend:\n\n  X    = Self\n  SYS  = between NUMA nodes\n  NODE = within a NUMA node\n  NV#  = a bond of # NVLinks\n");
    return 0;
}

static unsigned int current_card;

static void print_instance(nvmlDevice_t mig, unsigned int number) {
    unsigned int gi = 0;
    char name[TEXT] = "";
    nvmlDevice_t parent;
    nvmlGpuInstance_t instance;
    nvmlGpuInstanceInfo_t info;
    (void)number;
    NVML(nvmlDeviceGetGpuInstanceId)(mig, &gi);
    NVML(nvmlDeviceGetName)(mig, name, sizeof name);
    if (NVML(nvmlDeviceGetDeviceHandleFromMigDeviceHandle)(mig, &parent) != NVML_SUCCESS) return;
    if (NVML(nvmlDeviceGetGpuInstanceById)(parent, gi, &instance) != NVML_SUCCESS) return;
    if (NVML(nvmlGpuInstanceGetInfo)(instance, &info) != NVML_SUCCESS) return;
    printf("|  %2u  MIG %-13s %5u      %4u        %u:%u     |\n", current_card, profile_in(name), info.profileId, gi, info.placement.start, info.placement.size);
}

int print_instances(const struct chosen *chosen) {
    const char *const rule = "+-------------------------------------------------------+\n";
    unsigned int found = 0;
    for (unsigned int i = 0; i < chosen->count; i++) found += each_mig(chosen->device[i], NULL);
    if (found == 0) {
        printf("No GPU instances found: Not Found\n");
        return NVML_ERROR_NOT_FOUND;
    }
    printf("%s| GPU instances:                                        |\n", rule);
    printf("| GPU   Name             Profile  Instance   Placement  |\n|                          ID       ID       Start:Size |\n");
    printf("|=======================================================|\n");
    for (unsigned int i = 0; i < chosen->count; i++) {
        current_card = chosen->index[i];
        each_mig(chosen->device[i], print_instance);
    }
    printf("%s", rule);
    return 0;
}

int print_profiles(const struct chosen *chosen) {
    printf("GPU  Name             ID  Instances   Memory     SM\n                          Free/Total   MiB\n");
    for (unsigned int i = 0; i < chosen->count; i++)
        for (unsigned int number = 0; number < NVML_GPU_INSTANCE_PROFILE_COUNT; number++) {
            nvmlGpuInstanceProfileInfo_v2_t info = {.version = nvmlGpuInstanceProfileInfo_v2};
            unsigned int left = 0;
            if (NVML(nvmlDeviceGetGpuInstanceProfileInfoV)(chosen->device[i], number, &info) != NVML_SUCCESS) continue;
            NVML(nvmlDeviceGetGpuInstanceRemainingCapacity)(chosen->device[i], info.id, &left);
            printf("%3u  %-15s %3u     %u/%u    %8llu   %4u\n", chosen->index[i], info.name, info.id, left, info.instanceCount, info.memorySizeMB, info.multiprocessorCount);
        }
    return 0;
}
