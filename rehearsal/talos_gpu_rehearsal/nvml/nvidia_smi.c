// A stand-in for nvidia-smi over the mock library. Its first line of a table says so.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "nvml.h"

int main(void) {
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (library == NULL) {
        printf("NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the NVIDIA Display Driver is properly installed and present in your system.\n");
        return 12;
    }
    return 0;
}
