/* Switching from one stack to another, which is how the threads of a block on the CPU take turns. */
#include "executor/coroutine.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)

/* Loading MXCSR or the x87 control word is slow, and they hardly ever differ.  MXCSR's low bits are flags. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl gpucc_context_switch\n"
        ".hidden gpucc_context_switch\n"
        ".type gpucc_context_switch, @function\n"
        "gpucc_context_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    subq $8, %rsp\n"
        "    stmxcsr (%rsp)\n"
        "    fnstcw 4(%rsp)\n"
        "    movl (%rsp), %eax\n"
        "    movzwl 4(%rsp), %edx\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    xorl (%rsp), %eax\n"
        "    testl $0xffc0, %eax\n"
        "    jne 2f\n"
        "1:  cmpw 4(%rsp), %dx\n"
        "    jne 3f\n"
        "4:  addq $8, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        "2:  ldmxcsr (%rsp)\n"
        "    jmp 1b\n"
        "3:  fldcw 4(%rsp)\n"
        "    jmp 4b\n"
        ".size gpucc_context_switch, .-gpucc_context_switch\n");

/* The frame that the switch above expects. */
void context_prepare(struct context *context, char *stack, size_t size, void (*main)(void))
{
    uint64_t *frame = (uint64_t *)(void *)(stack + size) - 9;
    memset(frame, 0, 9 * sizeof *frame);
    frame[0] = (uint64_t)0x037f << 32 | 0x1f80; /* x87 control word, MXCSR: the ABI's defaults */
    frame[7] = (uint64_t)(uintptr_t)main;
    context->stack_pointer = frame;
}
#elif defined(__aarch64__)

__asm__(".text\n"
        ".p2align 4\n"
        ".globl gpucc_context_switch\n"
        ".hidden gpucc_context_switch\n"
        ".type gpucc_context_switch, %function\n"
        "gpucc_context_switch:\n"
        "    sub sp, sp, #176\n"
        "    stp x19, x20, [sp]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mrs x9, fpcr\n"
        "    str x9, [sp, #160]\n"
        "    mov x10, sp\n"
        "    str x10, [x0]\n"
        "    mov sp, x1\n"
        "    ldr x10, [sp, #160]\n"
        "    cmp x9, x10\n"
        "    b.eq 1f\n"
        "    msr fpcr, x10\n"
        "1:  ldp x19, x20, [sp]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #176\n"
        "    ret\n"
        ".size gpucc_context_switch, .-gpucc_context_switch\n");

void context_prepare(struct context *context, char *stack, size_t size, void (*main)(void))
{
    uint64_t *frame = (uint64_t *)(void *)(stack + size) - 22;
    memset(frame, 0, 22 * sizeof *frame);
    frame[11] = (uint64_t)(uintptr_t)main; /* x30; FPCR 0 is the default */
    context->stack_pointer = frame;
}

#else

void context_prepare(struct context *context, char *stack, size_t size, void (*main)(void))
{
    getcontext(&context->state);
    context->state.uc_stack.ss_sp = stack;
    context->state.uc_stack.ss_size = size;
    makecontext(&context->state, main, 0);
}

#endif
