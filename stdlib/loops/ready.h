/* A ufunc's function for loops that stand ready as PTX (compiler/ptx/ready_loops.c), whose text is put into these.
 * loops.c defines, besides what operand.h says:
 *   GPUCC_TAKE_ALL   puts the inputs' bits, as the loops have them, into bits_in0 …
 *   GPUCC_GIVE_ALL   hands over bits_out0 …, and `slow`
 */
#ifndef GPUCC_LOOPS_READY_H
#define GPUCC_LOOPS_READY_H

/* The unsigned integer of a type's size, and the register that it is in. */
#define GPUCC_CHOOSE(size, least, a, b) __builtin_choose_expr((size) >= (least), a, b)
#define GPUCC_WORD(type)                                                                                               \
    __typeof__(GPUCC_CHOOSE(sizeof(type), 8, (gpucc_u64)0,                                                             \
                            GPUCC_CHOOSE(sizeof(type), 4, (unsigned)0,                                                 \
                                         GPUCC_CHOOSE(sizeof(type), 2, (unsigned short)0, (unsigned char)0))))
#define GPUCC_REGISTER(type)                                                                                           \
    __typeof__(GPUCC_CHOOSE(sizeof(type), 2, (GPUCC_WORD(type))0, (unsigned short)0))

#define GPUCC_BITS_IN(k, type, code) GPUCC_REGISTER(type) bits_in##k;
#define GPUCC_FROM_BITS(k, type, code)                                                                                 \
    type v##k;                                                                                                         \
    __builtin_memcpy(&v##k, &bits_in##k, sizeof v##k);
#define GPUCC_TO_BITS(k, type, code)                                                                                   \
    GPUCC_REGISTER(type) bits_out##k = 0;                                                                              \
    __builtin_memcpy(&bits_out##k, &r##k, sizeof r##k);
#define GPUCC_WORD_PARAMETER(k, type, code) , GPUCC_WORD(type) bits_in##k
#define GPUCC_WORD_RESULT(k, type, code) GPUCC_WORD(type) bits##k;
#define GPUCC_GIVE_WORD(k, type, code) __builtin_memcpy(&done.bits##k, &r##k, sizeof r##k);

#endif

/* S_careful, with operands as the loops have them. */
struct GPUCC_SYMBOL(_ready_apart_results) {
    GPUCC_OUTPUTS(GPUCC_WORD_RESULT)
};
__attribute__((noinline)) struct GPUCC_SYMBOL(_ready_apart_results)
    GPUCC_SYMBOL(_ready_apart)(int unused GPUCC_INPUTS(GPUCC_WORD_PARAMETER))
{
    (void)unused;
    struct GPUCC_SYMBOL(_ready_apart_results) done;
    GPUCC_INPUTS(GPUCC_FROM_BITS)
    GPUCC_OUTPUTS(GPUCC_DECLARE_OUT)
    GPUCC_CALL(v, r);
    GPUCC_OUTPUTS(GPUCC_GIVE_WORD)
    return done;
}

void GPUCC_SYMBOL(_ready)(void)
{
    unsigned slow = 0;
    GPUCC_INPUTS(GPUCC_BITS_IN)
    GPUCC_TAKE_ALL
    GPUCC_INPUTS(GPUCC_FROM_BITS)
    GPUCC_CALL_QUICK
    GPUCC_OUTPUTS(GPUCC_TO_BITS)
    GPUCC_GIVE_ALL
}
