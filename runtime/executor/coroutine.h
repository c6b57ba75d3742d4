/* Leaving a stack and coming back to it. */
#ifndef GPUCC_COROUTINE_H
#define GPUCC_COROUTINE_H

#include <stddef.h>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

#if defined(__x86_64__) || defined(__aarch64__)

struct context {
    void *stack_pointer;
};

/* Pushes what a call preserves, stores the stack pointer in *from, and pops the same from the other stack. */
void gpucc_context_switch(void **from, void *to) __attribute__((visibility("hidden")));

static inline void context_switch(struct context *from, struct context *to)
{
    gpucc_context_switch(&from->stack_pointer, to->stack_pointer);
}

#else

struct context {
    ucontext_t state;
};

static inline void context_switch(struct context *from, struct context *to)
{
    swapcontext(&from->state, &to->state);
}

#endif

/* Makes the first switch to the context enter `main` on that stack, as if called from nowhere; it must not return. */
void context_prepare(struct context *context, char *stack, size_t size, void (*main)(void));

#endif
