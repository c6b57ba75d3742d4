/* DLPack's C exchange interface, of its version 1.2 and later, as its ABI has it. */
#ifndef GPUCC_PYTHON_EXCHANGE_H
#define GPUCC_PYTHON_EXCHANGE_H

#include <stdint.h>

enum { EXCHANGE_MAJOR = 1, EXCHANGE_CPU = 1, EXCHANGE_CUDA = 2 };
enum { EXCHANGE_INT, EXCHANGE_UINT, EXCHANGE_FLOAT, EXCHANGE_BFLOAT = 4, EXCHANGE_COMPLEX, EXCHANGE_BOOL,
       EXCHANGE_E4M3 = 10, EXCHANGE_E5M2 = 12 };

struct exchange_element {
    uint8_t code, bits;
    uint16_t lanes;
};

struct exchange_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    struct exchange_element element;
    int64_t *shape, *strides; /* in elements; null: C order */
    uint64_t byte_offset;
};

struct exchange_managed {
    uint32_t major, minor;
    void *owner;
    void (*deleter)(struct exchange_managed *self);
    uint64_t flags;
    struct exchange_tensor tensor;
};

/* The table that a type of tensors has as __dlpack_c_exchange_api__, a capsule named "dlpack_exchange_api".  Of what
 * this module does not call it knows the place alone. */
struct exchange {
    uint32_t major, minor;
    const struct exchange *previous; /* a table of an older version, or null */
    void *allocate, *export_managed;
    /* The library's object over the tensor's memory, which it takes over; -1 with an exception.  May be null. */
    int (*import_managed)(struct exchange_managed *tensor, void **object);
    /* Fills the tensor in, whose shape and strides are the object's own; null where the library has no such function.
     * -1 with an exception. */
    int (*describe)(void *object, struct exchange_tensor *tensor);
    /* The library's current CUstream. */
    int (*current_stream)(int32_t device_type, int32_t device_id, void **stream);
};

_Static_assert(sizeof(void *) != 8 || (sizeof(struct exchange_tensor) == 48 && sizeof(struct exchange) == 56 &&
                                       sizeof(struct exchange_managed) == 80), "DLPack's ABI");

#endif
