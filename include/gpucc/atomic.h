/* Atomic operations on global and shared memory; part of <gpucc.h>.  Each returns the old value.
 *
 *   atomic_add atomic_sub atomic_min atomic_max atomic_nanmin atomic_nanmax atomic_exch (pointer, value)
 *   atomic_and atomic_or atomic_xor (pointer, value)   integers
 *   atomic_inc(pointer, limit)   x >= limit ? 0 : x + 1, unsigned
 *   atomic_dec(pointer, limit)   x == 0 || x > limit ? limit : x - 1, unsigned
 *   atomic_cas(pointer, compare, value)   stores value if the memory has the bits of compare
 *
 * Types: integers of 8 to 64 bits, float16, bfloat16, float32, float64; add and sub also take complex64 and complex128,
 * each of whose parts is added atomically.  min and max return NaN if either is NaN; nanmin and nanmax ignore NaN.
 * Memory order is relaxed, the scope the device; NAME_block and NAME_system have that of the block and of the whole
 * system.
 */
#ifndef GPUCC_ATOMIC_H
#define GPUCC_ATOMIC_H

/* The type of *pointer without const and volatile. */
#define GPUCC_VALUE_TYPE(pointer)                                                                                      \
    __typeof__(__extension__({                                                                                         \
        __auto_type gpucc_unqualified = *(pointer);                                                                    \
        gpucc_unqualified;                                                                                             \
    }))

#if defined(__FLT16_MANT_DIG__) || defined(__GPUCC__)
#define GPUCC_IF_FLOAT16(x) float16 : x,
#else
#define GPUCC_IF_FLOAT16(x)
#endif
#if defined(__BFLT16_MANT_DIG__) || defined(__GPUCC__)
#define GPUCC_IF_BFLOAT16(x) bfloat16 : x,
#else
#define GPUCC_IF_BFLOAT16(x)
#endif

/* `floating` if *pointer is a real or complex number, else `other`. */
#define GPUCC_BY_KIND(pointer, floating, other)                                                                        \
    _Generic(*(pointer), GPUCC_IF_FLOAT16(floating) GPUCC_IF_BFLOAT16(floating) float: floating, double: floating,     \
             complex64: floating, complex128: floating, default: other)
#define GPUCC_IS_INTEGER(pointer) GPUCC_BY_KIND(pointer, 0, 1)
/* A branch that is not selected must still compile: there the pointer is one to integers. */
#define GPUCC_INTEGERS(pointer) GPUCC_BY_KIND(pointer, (int *)(void *)(pointer), (pointer))
#define GPUCC_REALS(pointer)                                                                                           \
    _Generic(*(pointer), complex64: (float *)(void *)(pointer), complex128: (double *)(void *)(pointer),               \
             default: (pointer))

/* ---- compare and swap: stores *replacement if the memory equals *expected, else loads *expected ---- */

#define GPUCC_CAS_in_device(pointer, expected, replacement)                                                            \
    __atomic_compare_exchange(pointer, expected, replacement, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)

#if defined(__NVPTX__)

/* 4 and 8 bytes use the instruction; 1 and 2 bytes exchange the word around them. */
#define GPUCC_CAS_WORD(instruction, type, pointer, expected, replacement)                                              \
    __extension__({                                                                                                    \
        type gpucc_wanted, gpucc_put, gpucc_seen;                                                                      \
        __builtin_memcpy(&gpucc_wanted, expected, sizeof gpucc_wanted);                                                \
        __builtin_memcpy(&gpucc_put, replacement, sizeof gpucc_put);                                                   \
        gpucc_seen = instruction((type *)(void *)(pointer), gpucc_wanted, gpucc_put);                                  \
        __builtin_memcpy(expected, &gpucc_seen, sizeof gpucc_seen);                                                    \
        gpucc_seen == gpucc_wanted;                                                                                    \
    })
#define GPUCC_CAS_PART(instruction, size, pointer, expected, replacement)                                              \
    __extension__({                                                                                                    \
        const unsigned gpucc_shift = (unsigned)((uintptr_t)(pointer) % 4 * 8);                                         \
        const unsigned gpucc_field = ((size) == 1 ? 0xffu : 0xffffu) << gpucc_shift;                                   \
        int *const gpucc_word = (int *)((uintptr_t)(pointer) & ~(uintptr_t)3);                                         \
        unsigned gpucc_wanted = 0, gpucc_put = 0, gpucc_seen = *(volatile unsigned *)gpucc_word, gpucc_was;            \
        _Bool gpucc_done = 0;                                                                                          \
        __builtin_memcpy(&gpucc_wanted, expected, size);                                                               \
        __builtin_memcpy(&gpucc_put, replacement, size);                                                               \
        while (!gpucc_done && (gpucc_seen & gpucc_field) == gpucc_wanted << gpucc_shift) {                             \
            gpucc_was = gpucc_seen;                                                                                    \
            gpucc_seen = (unsigned)instruction(gpucc_word, (int)gpucc_was,                                             \
                                               (int)((gpucc_was & ~gpucc_field) | gpucc_put << gpucc_shift));          \
            gpucc_done = gpucc_seen == gpucc_was;                                                                      \
        }                                                                                                              \
        gpucc_seen = (gpucc_seen & gpucc_field) >> gpucc_shift;                                                        \
        __builtin_memcpy(expected, &gpucc_seen, size);                                                                 \
        gpucc_done;                                                                                                    \
    })
#define GPUCC_CAS_BY_SIZE(scope, size, pointer, expected, replacement)                                                 \
    __builtin_choose_expr(                                                                                             \
        (size) == 8, GPUCC_CAS_WORD(__nvvm_atom_##scope##_cas_gen_ll, long long, pointer, expected, replacement),      \
        __builtin_choose_expr(                                                                                         \
            (size) == 4, GPUCC_CAS_WORD(__nvvm_atom_##scope##_cas_gen_i, int, pointer, expected, replacement),         \
            GPUCC_CAS_PART(__nvvm_atom_##scope##_cas_gen_i, (size) & 3, pointer, expected, replacement)))
#if __CUDA_ARCH__ < 600 /* before scopes: an operation of the device's scope includes the block's */
#define GPUCC_CAS_in_block(pointer, expected, replacement) GPUCC_CAS_in_device(pointer, expected, replacement)
#else
#define GPUCC_CAS_in_block(pointer, expected, replacement)                                                             \
    GPUCC_CAS_BY_SIZE(cta, sizeof *(pointer), pointer, expected, replacement)
#endif
#define GPUCC_CAS_in_system(pointer, expected, replacement)                                                            \
    GPUCC_CAS_BY_SIZE(sys, sizeof *(pointer), pointer, expected, replacement)

#else

/* The CPU's atomics have the system's scope. */
#define GPUCC_CAS_in_block(pointer, expected, replacement) GPUCC_CAS_in_device(pointer, expected, replacement)
#define GPUCC_CAS_in_system(pointer, expected, replacement) GPUCC_CAS_in_device(pointer, expected, replacement)

#endif

/* Replaces gpucc_old by `replacement` if `condition`.  Both are expressions of gpucc_old and gpucc_operand. */
#define GPUCC_UPDATE(scope, pointer, operand, condition, replacement)                                                  \
    __extension__({                                                                                                    \
        __auto_type gpucc_pointer = (pointer);                                                                         \
        GPUCC_VALUE_TYPE(gpucc_pointer) gpucc_operand = (operand), gpucc_old, gpucc_new;                               \
        __atomic_load(gpucc_pointer, &gpucc_old, __ATOMIC_RELAXED);                                                    \
        do                                                                                                             \
            gpucc_new = (replacement);                                                                                 \
        while ((condition) && !GPUCC_CAS_##scope(gpucc_pointer, &gpucc_old, &gpucc_new));                              \
        gpucc_old;                                                                                                     \
    })
#define GPUCC_UPDATE_AS(scope, pointer, operand, replacement)                                                          \
    GPUCC_UPDATE(scope, pointer, operand, 1, (__typeof__(gpucc_old))(replacement))
#define GPUCC_UPDATE_min(scope, pointer, value)                                                                        \
    GPUCC_UPDATE(scope, pointer, value, gpucc_old == gpucc_old && !(gpucc_operand >= gpucc_old), gpucc_operand)
#define GPUCC_UPDATE_max(scope, pointer, value)                                                                        \
    GPUCC_UPDATE(scope, pointer, value, gpucc_old == gpucc_old && !(gpucc_operand <= gpucc_old), gpucc_operand)
#define GPUCC_UPDATE_nanmin(scope, pointer, value)                                                                     \
    GPUCC_UPDATE(scope, pointer, value, gpucc_operand == gpucc_operand && !(gpucc_old <= gpucc_operand), gpucc_operand)
#define GPUCC_UPDATE_nanmax(scope, pointer, value)                                                                     \
    GPUCC_UPDATE(scope, pointer, value, gpucc_operand == gpucc_operand && !(gpucc_old >= gpucc_operand), gpucc_operand)
#define GPUCC_UPDATE_add(scope, pointer, value) GPUCC_UPDATE_AS(scope, pointer, value, gpucc_old + gpucc_operand)
#define GPUCC_UPDATE_and(scope, pointer, value) GPUCC_UPDATE_AS(scope, pointer, value, gpucc_old & gpucc_operand)
#define GPUCC_UPDATE_or(scope, pointer, value) GPUCC_UPDATE_AS(scope, pointer, value, gpucc_old | gpucc_operand)
#define GPUCC_UPDATE_xor(scope, pointer, value) GPUCC_UPDATE_AS(scope, pointer, value, gpucc_old ^ gpucc_operand)
#define GPUCC_UPDATE_exch(scope, pointer, value) GPUCC_UPDATE(scope, pointer, value, 1, gpucc_operand)
#define GPUCC_UPDATE_inc(scope, pointer, limit)                                                                        \
    GPUCC_UPDATE_AS(scope, pointer, limit, gpucc_old >= gpucc_operand ? 0 : gpucc_old + 1)
#define GPUCC_UPDATE_dec(scope, pointer, limit)                                                                        \
    GPUCC_UPDATE_AS(scope, pointer, limit, gpucc_old == 0 || gpucc_old > gpucc_operand ? gpucc_operand : gpucc_old - 1)

/* ---- instructions of the target ---- */

#if defined(__NVPTX__)

#define GPUCC_FETCH(operation, pointer, value)                                                                         \
    __scoped_atomic_fetch_##operation(pointer, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define GPUCC_FETCH_INTEGER(fetch, update, pointer, value)                                                             \
    __builtin_choose_expr(GPUCC_IS_INTEGER(pointer), GPUCC_FETCH(fetch, GPUCC_INTEGERS(pointer), value),               \
                          GPUCC_UPDATE_##update(in_device, pointer, value))
#define GPUCC_FETCH_add_in_device(pointer, value) GPUCC_FETCH(add, pointer, value)
#define GPUCC_FETCH_and_in_device(pointer, value) GPUCC_FETCH(and, pointer, value)
#define GPUCC_FETCH_or_in_device(pointer, value) GPUCC_FETCH(or, pointer, value)
#define GPUCC_FETCH_xor_in_device(pointer, value) GPUCC_FETCH(xor, pointer, value)
#define GPUCC_FETCH_min_in_device(pointer, value) GPUCC_FETCH_INTEGER(min, min, pointer, value)
#define GPUCC_FETCH_max_in_device(pointer, value) GPUCC_FETCH_INTEGER(max, max, pointer, value)
#define GPUCC_FETCH_nanmin_in_device(pointer, value) GPUCC_FETCH_INTEGER(min, nanmin, pointer, value)
#define GPUCC_FETCH_nanmax_in_device(pointer, value) GPUCC_FETCH_INTEGER(max, nanmax, pointer, value)
#define GPUCC_FETCH_exch_in_device(pointer, value)                                                                     \
    __extension__({                                                                                                    \
        __auto_type gpucc_pointer = (pointer);                                                                         \
        GPUCC_VALUE_TYPE(gpucc_pointer) gpucc_operand = (value), gpucc_old;                                            \
        __atomic_exchange(gpucc_pointer, &gpucc_operand, &gpucc_old, __ATOMIC_RELAXED);                                \
        gpucc_old;                                                                                                     \
    })
#define GPUCC_FETCH_inc_in_device(pointer, limit)                                                                      \
    _Generic(*(pointer), unsigned: __nvvm_atom_inc_gen_ui((unsigned *)(void *)(pointer), (unsigned)(limit)),           \
             default: GPUCC_UPDATE_inc(in_device, pointer, limit))
#define GPUCC_FETCH_dec_in_device(pointer, limit)                                                                      \
    _Generic(*(pointer), unsigned: __nvvm_atom_dec_gen_ui((unsigned *)(void *)(pointer), (unsigned)(limit)),           \
             default: GPUCC_UPDATE_dec(in_device, pointer, limit))

/* The instruction with a scope, for the pointer's type; other types use compare and swap. */
#define GPUCC_ATOM(instruction, code, type, pointer, value)                                                            \
    (type) __nvvm_atom_##instruction##_gen_##code((type *)(void *)(pointer), (type)(value))
#define GPUCC_SIGNED_ATOM(instruction, pointer, value)                                                                 \
    int : GPUCC_ATOM(instruction, i, int, pointer, value), long : GPUCC_ATOM(instruction, l, long, pointer, value),    \
          long long : GPUCC_ATOM(instruction, ll, long long, pointer, value)
#define GPUCC_SAME_ATOM(instruction, pointer, value)                                                                   \
    unsigned : (unsigned)GPUCC_ATOM(instruction, i, int, pointer, value),                                              \
               unsigned long : (unsigned long)GPUCC_ATOM(instruction, l, long, pointer, value),                        \
               unsigned long long : (unsigned long long)GPUCC_ATOM(instruction, ll, long long, pointer, value)
/* Clang's builtins for these compare as signed integers. */
#define GPUCC_UNSIGNED_ASM(instruction, type, suffix, letter, pointer, value)                                          \
    __extension__({                                                                                                    \
        type gpucc_before;                                                                                             \
        __asm__ volatile("atom." instruction suffix " %0, [%1], %2;"                                                   \
                         : "=" letter(gpucc_before) : "l"(pointer), letter((type)(value)) : "memory");                 \
        gpucc_before;                                                                                                  \
    })
#define GPUCC_UNSIGNED_ATOM(instruction, pointer, value)                                                               \
    unsigned : GPUCC_UNSIGNED_ASM(instruction, unsigned, ".u32", "r", pointer, value),                                 \
               unsigned long : GPUCC_UNSIGNED_ASM(instruction, unsigned long, ".u64", "l", pointer, value),            \
               unsigned long long : GPUCC_UNSIGNED_ASM(instruction, unsigned long long, ".u64", "l", pointer, value)
#define GPUCC_SCOPED_SAME(operation, scope, instruction, pointer, value)                                               \
    _Generic(*(pointer), GPUCC_SIGNED_ATOM(instruction, pointer, value),                                               \
             GPUCC_SAME_ATOM(instruction, pointer, value), default: GPUCC_UPDATE_##operation(scope, pointer, value))
#define GPUCC_SCOPED_ORDERED(operation, scope, instruction, name, pointer, value)                                      \
    _Generic(*(pointer), GPUCC_SIGNED_ATOM(instruction, pointer, value),                                               \
             GPUCC_UNSIGNED_ATOM(name, pointer, value),                                                                \
             default: GPUCC_UPDATE_##operation(scope, pointer, value))
#define GPUCC_SCOPED_WRAPPING(operation, scope, instruction, pointer, value)                                           \
    _Generic(*(pointer), unsigned: GPUCC_ATOM(instruction, ui, unsigned, pointer, value),                              \
             default: GPUCC_UPDATE_##operation(scope, pointer, value))
#define GPUCC_SCOPED_add(scope, ptx, pointer, value)                                                                   \
    _Generic(*(pointer), GPUCC_SIGNED_ATOM(ptx##_add, pointer, value), GPUCC_SAME_ATOM(ptx##_add, pointer, value),     \
             float: GPUCC_ATOM(ptx##_add, f, float, pointer, value),                                                   \
             double: GPUCC_ATOM(ptx##_add, d, double, pointer, value),                                                 \
             default: GPUCC_UPDATE_add(scope, pointer, value))
#define GPUCC_SCOPED_min(scope, ptx, pointer, value)                                                                   \
    GPUCC_SCOPED_ORDERED(min, scope, ptx##_min, #ptx ".min", pointer, value)
#define GPUCC_SCOPED_max(scope, ptx, pointer, value)                                                                   \
    GPUCC_SCOPED_ORDERED(max, scope, ptx##_max, #ptx ".max", pointer, value)
#define GPUCC_SCOPED_nanmin(scope, ptx, pointer, value)                                                                \
    GPUCC_SCOPED_ORDERED(nanmin, scope, ptx##_min, #ptx ".min", pointer, value)
#define GPUCC_SCOPED_nanmax(scope, ptx, pointer, value)                                                                \
    GPUCC_SCOPED_ORDERED(nanmax, scope, ptx##_max, #ptx ".max", pointer, value)
#define GPUCC_SCOPED_and(scope, ptx, pointer, value) GPUCC_SCOPED_SAME(and, scope, ptx##_and, pointer, value)
#define GPUCC_SCOPED_or(scope, ptx, pointer, value) GPUCC_SCOPED_SAME(or, scope, ptx##_or, pointer, value)
#define GPUCC_SCOPED_xor(scope, ptx, pointer, value) GPUCC_SCOPED_SAME(xor, scope, ptx##_xor, pointer, value)
#define GPUCC_SCOPED_exch(scope, ptx, pointer, value) GPUCC_SCOPED_SAME(exch, scope, ptx##_xchg, pointer, value)
#define GPUCC_SCOPED_inc(scope, ptx, pointer, limit) GPUCC_SCOPED_WRAPPING(inc, scope, ptx##_inc, pointer, limit)
#define GPUCC_SCOPED_dec(scope, ptx, pointer, limit) GPUCC_SCOPED_WRAPPING(dec, scope, ptx##_dec, pointer, limit)
#if __CUDA_ARCH__ < 600
#define GPUCC_FETCH_in_block(operation, pointer, value) GPUCC_FETCH_##operation##_in_device(pointer, value)
#else
#define GPUCC_FETCH_in_block(operation, pointer, value) GPUCC_SCOPED_##operation(in_block, cta, pointer, value)
#endif
#define GPUCC_FETCH_in_system(operation, pointer, value) GPUCC_SCOPED_##operation(in_system, sys, pointer, value)

#else

#define GPUCC_FETCH(operation, pointer, value)                                                                         \
    __atomic_fetch_##operation(GPUCC_INTEGERS(pointer), value, __ATOMIC_RELAXED)
#if defined(__clang__) /* derivatives know this operation */
#define GPUCC_FETCH_add_in_device(pointer, value) __atomic_fetch_add(pointer, value, __ATOMIC_RELAXED)
#else
#define GPUCC_FETCH_add_in_device(pointer, value)                                                                      \
    __builtin_choose_expr(GPUCC_IS_INTEGER(pointer), GPUCC_FETCH(add, pointer, value),                                 \
                          GPUCC_UPDATE_add(in_device, pointer, value))
#endif
#define GPUCC_FETCH_and_in_device(pointer, value) GPUCC_FETCH(and, pointer, value)
#define GPUCC_FETCH_or_in_device(pointer, value) GPUCC_FETCH(or, pointer, value)
#define GPUCC_FETCH_xor_in_device(pointer, value) GPUCC_FETCH(xor, pointer, value)
#define GPUCC_FETCH_min_in_device(pointer, value) GPUCC_UPDATE_min(in_device, pointer, value)
#define GPUCC_FETCH_max_in_device(pointer, value) GPUCC_UPDATE_max(in_device, pointer, value)
#define GPUCC_FETCH_nanmin_in_device(pointer, value) GPUCC_UPDATE_nanmin(in_device, pointer, value)
#define GPUCC_FETCH_nanmax_in_device(pointer, value) GPUCC_UPDATE_nanmax(in_device, pointer, value)
#define GPUCC_FETCH_exch_in_device(pointer, value) GPUCC_UPDATE_exch(in_device, pointer, value)
#define GPUCC_FETCH_inc_in_device(pointer, limit) GPUCC_UPDATE_inc(in_device, pointer, limit)
#define GPUCC_FETCH_dec_in_device(pointer, limit) GPUCC_UPDATE_dec(in_device, pointer, limit)
#define GPUCC_FETCH_in_block(operation, pointer, value) GPUCC_FETCH_##operation##_in_device(pointer, value)
#define GPUCC_FETCH_in_system(operation, pointer, value) GPUCC_FETCH_##operation##_in_device(pointer, value)

#endif

#define GPUCC_FETCH_in_device(operation, pointer, value) GPUCC_FETCH_##operation##_in_device(pointer, value)

/* ---- complex numbers, by parts ---- */

#define GPUCC_ADD_PARTS(scope, part, pointer, value)                                                                   \
    __extension__({                                                                                                    \
        part *gpucc_parts = (part *)(void *)(pointer);                                                                 \
        part _Complex gpucc_sum = (value), gpucc_before;                                                               \
        __real__ gpucc_before = GPUCC_FETCH_##scope(add, gpucc_parts, __real__ gpucc_sum);                             \
        __imag__ gpucc_before = GPUCC_FETCH_##scope(add, gpucc_parts + 1, __imag__ gpucc_sum);                         \
        gpucc_before;                                                                                                  \
    })
#define GPUCC_ADD_IN(scope, pointer, value)                                                                            \
    _Generic(*(pointer), complex64: GPUCC_ADD_PARTS(scope, float, pointer, value),                                     \
             complex128: GPUCC_ADD_PARTS(scope, double, pointer, value),                                               \
             default: GPUCC_FETCH_##scope(add, GPUCC_REALS(pointer), value))

/* ---- evaluate each argument once: the macros above repeat theirs ---- */

#define GPUCC_ATOMICALLY(pointer, value, expression)                                                                   \
    __extension__({                                                                                                    \
        GPUCC_KEEP(gpucc_at, pointer);                                                                                 \
        GPUCC_VALUE_TYPE(gpucc_at) gpucc_by = (value);                                                                 \
        expression;                                                                                                    \
    })
#define GPUCC_ATOMIC(operation, scope, pointer, value)                                                                 \
    GPUCC_ATOMICALLY(pointer, value, GPUCC_FETCH_##scope(operation, gpucc_at, gpucc_by))
#define GPUCC_ATOMIC_ADD(scope, pointer, value)                                                                        \
    GPUCC_ATOMICALLY(pointer, value, GPUCC_ADD_IN(scope, gpucc_at, gpucc_by))
#define GPUCC_ATOMIC_SUB(scope, pointer, value)                                                                        \
    GPUCC_ATOMICALLY(pointer, value, GPUCC_ADD_IN(scope, gpucc_at, -gpucc_by))

#define GPUCC_ATOMIC_CAS(scope, pointer, compare, value)                                                               \
    __extension__({                                                                                                    \
        __auto_type gpucc_pointer = (pointer);                                                                         \
        GPUCC_VALUE_TYPE(gpucc_pointer) gpucc_old = (compare), gpucc_new = (value);                                    \
        (void)GPUCC_CAS_##scope(gpucc_pointer, &gpucc_old, &gpucc_new);                                                \
        gpucc_old;                                                                                                     \
    })

/* ---- names ---- */

#define gpucc_atomic_add(pointer, value) GPUCC_ATOMIC_ADD(in_device, pointer, value)
#define gpucc_atomic_sub(pointer, value) GPUCC_ATOMIC_SUB(in_device, pointer, value)
#define gpucc_atomic_min(pointer, value) GPUCC_ATOMIC(min, in_device, pointer, value)
#define gpucc_atomic_max(pointer, value) GPUCC_ATOMIC(max, in_device, pointer, value)
#define gpucc_atomic_nanmin(pointer, value) GPUCC_ATOMIC(nanmin, in_device, pointer, value)
#define gpucc_atomic_nanmax(pointer, value) GPUCC_ATOMIC(nanmax, in_device, pointer, value)
#define gpucc_atomic_and(pointer, value) GPUCC_ATOMIC(and, in_device, pointer, value)
#define gpucc_atomic_or(pointer, value) GPUCC_ATOMIC(or, in_device, pointer, value)
#define gpucc_atomic_xor(pointer, value) GPUCC_ATOMIC(xor, in_device, pointer, value)
#define gpucc_atomic_exch(pointer, value) GPUCC_ATOMIC(exch, in_device, pointer, value)
#define gpucc_atomic_inc(pointer, limit) GPUCC_ATOMIC(inc, in_device, pointer, limit)
#define gpucc_atomic_dec(pointer, limit) GPUCC_ATOMIC(dec, in_device, pointer, limit)
#define gpucc_atomic_cas(pointer, compare, value) GPUCC_ATOMIC_CAS(in_device, pointer, compare, value)
#define gpucc_atomic_add_block(pointer, value) GPUCC_ATOMIC_ADD(in_block, pointer, value)
#define gpucc_atomic_sub_block(pointer, value) GPUCC_ATOMIC_SUB(in_block, pointer, value)
#define gpucc_atomic_min_block(pointer, value) GPUCC_ATOMIC(min, in_block, pointer, value)
#define gpucc_atomic_max_block(pointer, value) GPUCC_ATOMIC(max, in_block, pointer, value)
#define gpucc_atomic_nanmin_block(pointer, value) GPUCC_ATOMIC(nanmin, in_block, pointer, value)
#define gpucc_atomic_nanmax_block(pointer, value) GPUCC_ATOMIC(nanmax, in_block, pointer, value)
#define gpucc_atomic_and_block(pointer, value) GPUCC_ATOMIC(and, in_block, pointer, value)
#define gpucc_atomic_or_block(pointer, value) GPUCC_ATOMIC(or, in_block, pointer, value)
#define gpucc_atomic_xor_block(pointer, value) GPUCC_ATOMIC(xor, in_block, pointer, value)
#define gpucc_atomic_exch_block(pointer, value) GPUCC_ATOMIC(exch, in_block, pointer, value)
#define gpucc_atomic_inc_block(pointer, limit) GPUCC_ATOMIC(inc, in_block, pointer, limit)
#define gpucc_atomic_dec_block(pointer, limit) GPUCC_ATOMIC(dec, in_block, pointer, limit)
#define gpucc_atomic_cas_block(pointer, compare, value) GPUCC_ATOMIC_CAS(in_block, pointer, compare, value)
#define gpucc_atomic_add_system(pointer, value) GPUCC_ATOMIC_ADD(in_system, pointer, value)
#define gpucc_atomic_sub_system(pointer, value) GPUCC_ATOMIC_SUB(in_system, pointer, value)
#define gpucc_atomic_min_system(pointer, value) GPUCC_ATOMIC(min, in_system, pointer, value)
#define gpucc_atomic_max_system(pointer, value) GPUCC_ATOMIC(max, in_system, pointer, value)
#define gpucc_atomic_nanmin_system(pointer, value) GPUCC_ATOMIC(nanmin, in_system, pointer, value)
#define gpucc_atomic_nanmax_system(pointer, value) GPUCC_ATOMIC(nanmax, in_system, pointer, value)
#define gpucc_atomic_and_system(pointer, value) GPUCC_ATOMIC(and, in_system, pointer, value)
#define gpucc_atomic_or_system(pointer, value) GPUCC_ATOMIC(or, in_system, pointer, value)
#define gpucc_atomic_xor_system(pointer, value) GPUCC_ATOMIC(xor, in_system, pointer, value)
#define gpucc_atomic_exch_system(pointer, value) GPUCC_ATOMIC(exch, in_system, pointer, value)
#define gpucc_atomic_inc_system(pointer, limit) GPUCC_ATOMIC(inc, in_system, pointer, limit)
#define gpucc_atomic_dec_system(pointer, limit) GPUCC_ATOMIC(dec, in_system, pointer, limit)
#define gpucc_atomic_cas_system(pointer, compare, value) GPUCC_ATOMIC_CAS(in_system, pointer, compare, value)

#ifndef GPUCC_NO_SHORT_NAMES
#define atomic_add(pointer, value) gpucc_atomic_add(pointer, value)
#define atomic_sub(pointer, value) gpucc_atomic_sub(pointer, value)
#define atomic_min(pointer, value) gpucc_atomic_min(pointer, value)
#define atomic_max(pointer, value) gpucc_atomic_max(pointer, value)
#define atomic_nanmin(pointer, value) gpucc_atomic_nanmin(pointer, value)
#define atomic_nanmax(pointer, value) gpucc_atomic_nanmax(pointer, value)
#define atomic_and(pointer, value) gpucc_atomic_and(pointer, value)
#define atomic_or(pointer, value) gpucc_atomic_or(pointer, value)
#define atomic_xor(pointer, value) gpucc_atomic_xor(pointer, value)
#define atomic_exch(pointer, value) gpucc_atomic_exch(pointer, value)
#define atomic_inc(pointer, limit) gpucc_atomic_inc(pointer, limit)
#define atomic_dec(pointer, limit) gpucc_atomic_dec(pointer, limit)
#define atomic_cas(pointer, compare, value) gpucc_atomic_cas(pointer, compare, value)
#define atomic_add_block(pointer, value) gpucc_atomic_add_block(pointer, value)
#define atomic_sub_block(pointer, value) gpucc_atomic_sub_block(pointer, value)
#define atomic_min_block(pointer, value) gpucc_atomic_min_block(pointer, value)
#define atomic_max_block(pointer, value) gpucc_atomic_max_block(pointer, value)
#define atomic_nanmin_block(pointer, value) gpucc_atomic_nanmin_block(pointer, value)
#define atomic_nanmax_block(pointer, value) gpucc_atomic_nanmax_block(pointer, value)
#define atomic_and_block(pointer, value) gpucc_atomic_and_block(pointer, value)
#define atomic_or_block(pointer, value) gpucc_atomic_or_block(pointer, value)
#define atomic_xor_block(pointer, value) gpucc_atomic_xor_block(pointer, value)
#define atomic_exch_block(pointer, value) gpucc_atomic_exch_block(pointer, value)
#define atomic_inc_block(pointer, limit) gpucc_atomic_inc_block(pointer, limit)
#define atomic_dec_block(pointer, limit) gpucc_atomic_dec_block(pointer, limit)
#define atomic_cas_block(pointer, compare, value) gpucc_atomic_cas_block(pointer, compare, value)
#define atomic_add_system(pointer, value) gpucc_atomic_add_system(pointer, value)
#define atomic_sub_system(pointer, value) gpucc_atomic_sub_system(pointer, value)
#define atomic_min_system(pointer, value) gpucc_atomic_min_system(pointer, value)
#define atomic_max_system(pointer, value) gpucc_atomic_max_system(pointer, value)
#define atomic_nanmin_system(pointer, value) gpucc_atomic_nanmin_system(pointer, value)
#define atomic_nanmax_system(pointer, value) gpucc_atomic_nanmax_system(pointer, value)
#define atomic_and_system(pointer, value) gpucc_atomic_and_system(pointer, value)
#define atomic_or_system(pointer, value) gpucc_atomic_or_system(pointer, value)
#define atomic_xor_system(pointer, value) gpucc_atomic_xor_system(pointer, value)
#define atomic_exch_system(pointer, value) gpucc_atomic_exch_system(pointer, value)
#define atomic_inc_system(pointer, limit) gpucc_atomic_inc_system(pointer, limit)
#define atomic_dec_system(pointer, limit) gpucc_atomic_dec_system(pointer, limit)
#define atomic_cas_system(pointer, compare, value) gpucc_atomic_cas_system(pointer, compare, value)
#endif

#endif
