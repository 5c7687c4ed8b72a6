// A stand-in for nvidia-smi: its options, and how it fails. What it does not know it refuses. README.md says which words are real.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvidia_smi.h"

static void *library;

void *entry_point(const char *name) {
    void *found = dlsym(library, name);
    if (found == NULL) {
        printf("Failed to find %s in libnvidia-ml.so.1\n", name);
        exit(NVML_ERROR_FUNCTION_NOT_FOUND);
    }
    return found;
}

struct options {
    const char *id, *format, *word, *action, *compute_mode, *time_slice, *persistence;
    char *fields;
    int is_list, is_all, is_version;
};

static int refuse(const char *what) {
    printf("Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n");
    printf("(This is a stand-in for nvidia-smi over a mock libnvidia-ml.so.1; it does not know \"%s\".)\n", what);
    return USAGE;
}

static int help(void) {
    printf("A stand-in for nvidia-smi over a mock libnvidia-ml.so.1. It knows: no option, -L, -q, --version, -i ID,\n"
           "--query-gpu=FIELDS --format=csv[,noheader][,nounits], topo -m, mig -lgi, mig -lgip, -c MODE, -pm MODE,\n"
           "compute-policy -i ID --set-timeslice N.\n");
    return 0;
}

// `--key=value`, or `--key value`, or `-k value`.
static const char *value_of(char **arguments, int *at, const char *name) {
    size_t length = strlen(name);
    if (strncmp(arguments[*at], name, length) != 0) return NULL;
    if (name[1] == '-' && arguments[*at][length] == '=') return arguments[*at] + length + 1;
    return arguments[*at][length] == '\0' && arguments[*at + 1] != NULL ? arguments[++*at] : NULL;
}

static int read_value(struct options *options, char **arguments, int *at) {
    const struct { const char *name; const char **value; } VALUES[] = {
        {"-i", &options->id}, {"--id", &options->id}, {"--format", &options->format}, {"-c", &options->compute_mode},
        {"--compute-mode", &options->compute_mode}, {"--set-timeslice", &options->time_slice}, {"-pm", &options->persistence},
        {"--persistence-mode", &options->persistence},
    };
    const char *fields = value_of(arguments, at, "--query-gpu");
    if (fields != NULL) {
        options->fields = strdup(fields);
        return 1;
    }
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
        const char *value = value_of(arguments, at, VALUES[i].name);
        if (value == NULL) continue;
        *VALUES[i].value = value;
        return 1;
    }
    return 0;
}

static int read_options(struct options *options, char **arguments) {
    for (int at = 1; arguments[at] != NULL; at++) {
        const char *word = arguments[at];
        if (read_value(options, arguments, &at)) continue;
        if (strcmp(word, "-L") == 0 || strcmp(word, "--list-gpus") == 0) options->is_list = 1;
        else if (strcmp(word, "-q") == 0 || strcmp(word, "--query") == 0) options->is_all = 1;
        else if (strcmp(word, "--version") == 0) options->is_version = 1;
        else if (strcmp(word, "topo") == 0 || strcmp(word, "mig") == 0 || strcmp(word, "compute-policy") == 0) options->word = word;
        else if (options->word != NULL && options->action == NULL) options->action = word;
        else return refuse(word);
    }
    return 0;
}

// The exit status is NVML's error.
static int failed_to_start(nvmlReturn_t result) {
    if (result == NVML_ERROR_DRIVER_NOT_LOADED) {
        printf("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is "
               "installed and running.\n\n");
        return NVML_ERROR_DRIVER_NOT_LOADED;
    }
    printf("Failed to initialize NVML: %s\n", NVML(nvmlErrorString)(result));
    return (int)(result & 0xFF);
}

static int is_named(const char *id, nvmlDevice_t device, unsigned int index) {
    char number[16], uuid[TEXT] = "";
    nvmlPciInfo_t pci;
    snprintf(number, sizeof number, "%u", index);
    if (id == NULL || strcmp(id, number) == 0) return 1;
    if (NVML(nvmlDeviceGetUUID)(device, uuid, sizeof uuid) == NVML_SUCCESS && strcmp(id, uuid) == 0) return 1;
    return NVML(nvmlDeviceGetPciInfo_v3)(device, &pci) == NVML_SUCCESS && (strcasecmp(id, pci.busId) == 0 || strcasecmp(id, pci.busIdLegacy) == 0);
}

static int choose(const char *id, struct chosen *chosen) {
    unsigned int count = 0;
    chosen->count = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetCount_v2)(&count);
    if (result != NVML_SUCCESS) return failed_to_start(result);
    for (unsigned int index = 0; index < count && chosen->count < MOST; index++) {
        nvmlDevice_t device;
        result = NVML(nvmlDeviceGetHandleByIndex_v2)(index, &device);
        if (result != NVML_SUCCESS) {
            printf("Unable to determine the device handle for GPU%u: %s%s\n", index, NVML(nvmlErrorString)(result),
                   result == NVML_ERROR_GPU_IS_LOST ? ".  Reboot the system to recover this GPU" : "");
            return (int)(result & 0xFF);
        }
        if (!is_named(id, device, index)) continue;
        chosen->index[chosen->count] = index;
        chosen->device[chosen->count++] = device;
    }
    if (chosen->count != 0) return 0;
    printf("No devices were found\n");
    return NVML_ERROR_NOT_FOUND;
}

static int set_compute_mode(const struct chosen *chosen, const char *mode) {
    static const char *const NAMES[] = {"DEFAULT", "EXCLUSIVE_THREAD", "PROHIBITED", "EXCLUSIVE_PROCESS"};
    for (unsigned int number = 0; number < 4; number++) {
        if (strcmp(mode, NAMES[number]) != 0 && (mode[0] != (char)('0' + number) || mode[1] != '\0')) continue;
        for (unsigned int i = 0; i < chosen->count; i++) {
            nvmlPciInfo_t pci = {0};
            NVML(nvmlDeviceGetPciInfo_v3)(chosen->device[i], &pci);
            nvmlReturn_t result = NVML(nvmlDeviceSetComputeMode)(chosen->device[i], (nvmlComputeMode_t)number);
            if (result != NVML_SUCCESS) return (int)(result & 0xFF);
            printf("Set compute mode to %s for GPU %s.\n", NAMES[number], pci.busId);
        }
        printf("All done.\n");
        return 0;
    }
    return refuse(mode);
}

static int set_persistence(const struct chosen *chosen, const char *mode) {
    nvmlEnableState_t state = strcmp(mode, "1") == 0 || strcmp(mode, "ENABLED") == 0 ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
    for (unsigned int i = 0; i < chosen->count; i++) NVML(nvmlDeviceSetPersistenceMode)(chosen->device[i], state);
    printf("All done.\n");
    return 0;
}

static int set_time_slice(const struct chosen *chosen, const char *slice) {
    void (*set)(const char *, const char *, unsigned int) = (void (*)(const char *, const char *, unsigned int))entry_point("mock_set");
    for (unsigned int i = 0; i < chosen->count; i++) {
        char uuid[TEXT] = "";
        NVML(nvmlDeviceGetUUID)(chosen->device[i], uuid, sizeof uuid);
        set(uuid, "time-slice", (unsigned int)strtoul(slice, NULL, 10));
        printf("Set the time slice of %s to %s (stand-in).\n", uuid, slice);
    }
    return 0;
}

static int print_version(void) {
    char driver[TEXT] = "", nvml[TEXT] = "";
    int cuda = 0;
    NVML(nvmlSystemGetDriverVersion)(driver, sizeof driver);
    NVML(nvmlSystemGetNVMLVersion)(nvml, sizeof nvml);
    NVML(nvmlSystemGetCudaDriverVersion_v2)(&cuda);
    const char *dot = strchr(nvml, '.');
    printf("NVIDIA-SMI version  : %s (a stand-in over a mock library)\n", driver);
    printf("NVML version        : %s\nDRIVER version      : %s\nCUDA Version        : %d.%d\n", dot ? dot + 1 : nvml, driver, cuda / 1000, cuda % 1000 / 10);
    return 0;
}

static int run_word(const struct options *options, const struct chosen *chosen) {
    const char *action = options->action != NULL ? options->action : "";
    if (strcmp(options->word, "topo") == 0 && strcmp(action, "-m") == 0) return print_topology(chosen);
    if (strcmp(options->word, "mig") == 0 && strcmp(action, "-lgi") == 0) return print_instances(chosen);
    if (strcmp(options->word, "mig") == 0 && strcmp(action, "-lgip") == 0) return print_profiles(chosen);
    if (strcmp(options->word, "compute-policy") == 0 && options->time_slice != NULL) return set_time_slice(chosen, options->time_slice);
    return refuse(options->word);
}

static int run(const struct options *options) {
    struct chosen chosen;
    if (options->is_version) return print_version();
    int status = choose(options->id, &chosen);
    if (status != 0) return status;
    if (options->word != NULL) return run_word(options, &chosen);
    if (options->fields != NULL) return print_query(&chosen, options->fields, options->format != NULL ? options->format : "");
    if (options->compute_mode != NULL) return set_compute_mode(&chosen, options->compute_mode);
    if (options->persistence != NULL) return set_persistence(&chosen, options->persistence);
    if (options->is_list) return print_list(&chosen);
    if (options->is_all) return print_all(&chosen), 0;
    return print_table(&chosen);
}

int main(int count, char **arguments) {
    struct options options = {0};
    if (count == 2 && (strcmp(arguments[1], "-h") == 0 || strcmp(arguments[1], "--help") == 0)) return help();
    int status = read_options(&options, arguments);
    if (status != 0) return status;
    library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (library == NULL) {
        printf("NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the NVIDIA Display Driver is properly "
               "installed and present in your system.\nPlease also try adding directory that contains libnvidia-ml.so to your system PATH.\n");
        return NVML_ERROR_LIBRARY_NOT_FOUND;
    }
    nvmlReturn_t result = NVML(nvmlInit_v2)();
    if (result != NVML_SUCCESS) return failed_to_start(result);
    status = run(&options);
    NVML(nvmlShutdown)();
    return status;
}
