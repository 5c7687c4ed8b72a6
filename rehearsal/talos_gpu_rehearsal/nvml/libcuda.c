// A stand-in for libcuda: NVIDIA's container toolkit looks for the file and reads the driver's version from its name. Nothing computes.
enum { CUDA_ERROR_NO_DEVICE = 100 };

int cuInit(unsigned int flags);
int cuInit(unsigned int flags) { return (void)flags, CUDA_ERROR_NO_DEVICE; }
