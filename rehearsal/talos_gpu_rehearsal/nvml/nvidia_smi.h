// A stand-in for nvidia-smi over any libnvidia-ml.so.1: what its files share.
#ifndef TALOS_GPU_NVIDIA_SMI_H
#define TALOS_GPU_NVIDIA_SMI_H

#include "nvml.h"

enum { TEXT = 160, MOST = 64 };

// The exit status for an option or a value that is not understood, as of the real program.
enum { USAGE = 2 };

// The cards that a call is about.
struct chosen {
    unsigned int count, index[MOST];
    nvmlDevice_t device[MOST];
};

// An entry point of the library, which is opened at run time as the real program does.
void *entry_point(const char *name);
#define NVML(function) ((__typeof__(&function))entry_point(#function))

// nvidia_smi_fields.c: a value of a card as `--query-gpu` prints it, 0 if there is no such field. The unit is empty or " MiB".
int field_value(const char *field, nvmlDevice_t device, unsigned int index, char *value, const char **unit);
int print_query(const struct chosen *chosen, char *fields, const char *format);
void print_all(const struct chosen *chosen);

// nvidia_smi_tables.c
int print_list(const struct chosen *chosen);
int print_table(const struct chosen *chosen);
int print_topology(const struct chosen *chosen);
int print_instances(const struct chosen *chosen);
int print_profiles(const struct chosen *chosen);

#endif
