/* Tensors that threads give back while others do, and while the context goes. */
#include "dlpack_abi.h"

#include "sample_program.h"
#include "expect.h"

#include <criterion/criterion.h>
#include <pthread.h>

static void *delete_there(void *tensor)
{
    DLManagedTensorVersioned *t = tensor;
    t->deleter(t);
    return NULL;
}

/* Whichever is first, and at once. */
Test(dlpack_threads, release_tensors_while_the_context_is_freed)
{
    enum { THREADS = 4 };
    for (int round = 0; round < 50; round++) {
        gpucc_context *other = sample_context(1);
        gpucc_array *array;
        pthread_t threads[THREADS];
        OK(gpucc_array_create(other, GPUCC_FLOAT64, 1, &(int64_t){100}, &array));
        for (int i = 0; i < THREADS; i++) {
            DLManagedTensorVersioned *tensor;
            OK(gpucc_array_to_dlpack(array, NULL, &tensor));
            cr_assert(pthread_create(&threads[i], NULL, delete_there, tensor) == 0);
        }
        gpucc_context_destroy(other);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
}
