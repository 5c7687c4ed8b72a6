// Handles: one for each name of a card or a MIG device, and for each of its instances, kept for the life of the process.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cards.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct handle *handles;

struct handle *handle_of(const char *name, unsigned int gi, unsigned int ci) {
    pthread_mutex_lock(&lock);
    struct handle *handle = handles;
    while (handle != NULL && (strcmp(handle->name, name) != 0 || handle->gi != gi || handle->ci != ci)) handle = handle->next;
    if (handle == NULL && (handle = calloc(1, sizeof *handle)) != NULL) {
        strncpy(handle->name, name, sizeof handle->name - 1);
        handle->gi = gi;
        handle->ci = ci;
        handle->next = handles;
        handles = handle;
    }
    pthread_mutex_unlock(&lock);
    return handle;
}
