/* C11's atomic types and operations.  On the GPU they hold among the threads of the device; relaxed operations and
 * fences of other scopes are in <gpucc/atomic.h> and <gpucc/barrier.h>. */
#ifndef GPUCC_STDATOMIC_H
#define GPUCC_STDATOMIC_H

#include <stddef.h>
#include <stdint.h>

typedef enum memory_order {
    memory_order_relaxed = __ATOMIC_RELAXED,
    memory_order_consume = __ATOMIC_CONSUME,
    memory_order_acquire = __ATOMIC_ACQUIRE,
    memory_order_release = __ATOMIC_RELEASE,
    memory_order_acq_rel = __ATOMIC_ACQ_REL,
    memory_order_seq_cst = __ATOMIC_SEQ_CST
} memory_order;

typedef _Atomic(_Bool) atomic_bool;
typedef _Atomic(char) atomic_char;
typedef _Atomic(signed char) atomic_schar;
typedef _Atomic(unsigned char) atomic_uchar;
typedef _Atomic(short) atomic_short;
typedef _Atomic(unsigned short) atomic_ushort;
typedef _Atomic(int) atomic_int;
typedef _Atomic(unsigned) atomic_uint;
typedef _Atomic(long) atomic_long;
typedef _Atomic(unsigned long) atomic_ulong;
typedef _Atomic(long long) atomic_llong;
typedef _Atomic(unsigned long long) atomic_ullong;
typedef _Atomic(int_least8_t) atomic_int_least8_t;
typedef _Atomic(uint_least8_t) atomic_uint_least8_t;
typedef _Atomic(int_least16_t) atomic_int_least16_t;
typedef _Atomic(uint_least16_t) atomic_uint_least16_t;
typedef _Atomic(int_least32_t) atomic_int_least32_t;
typedef _Atomic(uint_least32_t) atomic_uint_least32_t;
typedef _Atomic(int_least64_t) atomic_int_least64_t;
typedef _Atomic(uint_least64_t) atomic_uint_least64_t;
typedef _Atomic(int_fast8_t) atomic_int_fast8_t;
typedef _Atomic(uint_fast8_t) atomic_uint_fast8_t;
typedef _Atomic(int_fast16_t) atomic_int_fast16_t;
typedef _Atomic(uint_fast16_t) atomic_uint_fast16_t;
typedef _Atomic(int_fast32_t) atomic_int_fast32_t;
typedef _Atomic(uint_fast32_t) atomic_uint_fast32_t;
typedef _Atomic(int_fast64_t) atomic_int_fast64_t;
typedef _Atomic(uint_fast64_t) atomic_uint_fast64_t;
typedef _Atomic(intptr_t) atomic_intptr_t;
typedef _Atomic(uintptr_t) atomic_uintptr_t;
typedef _Atomic(size_t) atomic_size_t;
typedef _Atomic(ptrdiff_t) atomic_ptrdiff_t;
typedef _Atomic(intmax_t) atomic_intmax_t;
typedef _Atomic(uintmax_t) atomic_uintmax_t;

#define ATOMIC_BOOL_LOCK_FREE 2
#define ATOMIC_CHAR_LOCK_FREE 2
#define ATOMIC_SHORT_LOCK_FREE 2
#define ATOMIC_INT_LOCK_FREE 2
#define ATOMIC_LONG_LOCK_FREE 2
#define ATOMIC_LLONG_LOCK_FREE 2
#define ATOMIC_POINTER_LOCK_FREE 2
#define ATOMIC_VAR_INIT(value) (value)
#define kill_dependency(y) (y)
#define atomic_is_lock_free(object) (sizeof *(object) <= 8)
#define atomic_init(object, value) __c11_atomic_init(object, value)

#define atomic_thread_fence(order) __c11_atomic_thread_fence(order)
#define atomic_signal_fence(order) __c11_atomic_signal_fence(order)

/* Larger ones would need a library's locks.  The pointer stands once in the expansion: calls may nest deeply. */
#define GPUCC_ATOMIC_OBJECT(object, operation, ...)                                                                    \
    __extension__({                                                                                                    \
        __auto_type gpucc_object = (object);                                                                           \
        _Static_assert(sizeof *gpucc_object <= 8, "atomic operations support at most 8 bytes");                        \
        operation(gpucc_object, __VA_ARGS__);                                                                          \
    })
#define atomic_load_explicit(object, order) GPUCC_ATOMIC_OBJECT(object, __c11_atomic_load, order)
#define atomic_store_explicit(object, value, order) GPUCC_ATOMIC_OBJECT(object, __c11_atomic_store, value, order)
#define atomic_exchange_explicit(object, value, order) GPUCC_ATOMIC_OBJECT(object, __c11_atomic_exchange, value, order)
#define atomic_compare_exchange_strong_explicit(object, expected, value, success, failure)                             \
    GPUCC_ATOMIC_OBJECT(object, __c11_atomic_compare_exchange_strong, expected, value, success, failure)
#define atomic_compare_exchange_weak_explicit(object, expected, value, success, failure)                               \
    GPUCC_ATOMIC_OBJECT(object, __c11_atomic_compare_exchange_weak, expected, value, success, failure)
#define atomic_fetch_add_explicit(object, value, order) __c11_atomic_fetch_add(object, value, order)
#define atomic_fetch_sub_explicit(object, value, order) __c11_atomic_fetch_sub(object, value, order)
#define atomic_fetch_and_explicit(object, value, order) __c11_atomic_fetch_and(object, value, order)
#define atomic_fetch_or_explicit(object, value, order) __c11_atomic_fetch_or(object, value, order)
#define atomic_fetch_xor_explicit(object, value, order) __c11_atomic_fetch_xor(object, value, order)

#define atomic_load(object) atomic_load_explicit(object, memory_order_seq_cst)
#define atomic_store(object, value) atomic_store_explicit(object, value, memory_order_seq_cst)
#define atomic_exchange(object, value) atomic_exchange_explicit(object, value, memory_order_seq_cst)
#define atomic_compare_exchange_strong(object, expected, value)                                                        \
    atomic_compare_exchange_strong_explicit(object, expected, value, memory_order_seq_cst, memory_order_seq_cst)
#define atomic_compare_exchange_weak(object, expected, value)                                                          \
    atomic_compare_exchange_weak_explicit(object, expected, value, memory_order_seq_cst, memory_order_seq_cst)
#define atomic_fetch_add(object, value) atomic_fetch_add_explicit(object, value, memory_order_seq_cst)
#define atomic_fetch_sub(object, value) atomic_fetch_sub_explicit(object, value, memory_order_seq_cst)
#define atomic_fetch_and(object, value) atomic_fetch_and_explicit(object, value, memory_order_seq_cst)
#define atomic_fetch_or(object, value) atomic_fetch_or_explicit(object, value, memory_order_seq_cst)
#define atomic_fetch_xor(object, value) atomic_fetch_xor_explicit(object, value, memory_order_seq_cst)

typedef struct atomic_flag {
    atomic_bool set;
} atomic_flag;
#define ATOMIC_FLAG_INIT {0}
#define atomic_flag_test_and_set_explicit(flag, order) atomic_exchange_explicit(&(flag)->set, 1, order)
#define atomic_flag_clear_explicit(flag, order) atomic_store_explicit(&(flag)->set, 0, order)
#define atomic_flag_test_and_set(flag) atomic_flag_test_and_set_explicit(flag, memory_order_seq_cst)
#define atomic_flag_clear(flag) atomic_flag_clear_explicit(flag, memory_order_seq_cst)

#endif
