// C++, a part of codegen.cpp: what happens when LLVM runs out of memory, and where it was when it crashed.
#ifndef GPUCC_FAILURES_H
#define GPUCC_FAILURES_H

#include "bridge/bridge.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/PrettyStackTrace.h>
#include <llvm/Support/raw_ostream.h>
#include <new>

static std::new_handler handlerBefore;

extern "C" void codegen_when_out_of_memory(void (*handler)(void))
{
    llvm::remove_bad_alloc_error_handler();
    if (!handler) {
        std::set_new_handler(handlerBefore);
        return;
    }
    std::new_handler before = std::set_new_handler(handler);
    if (before != handler)
        handlerBefore = before;
    llvm::install_bad_alloc_error_handler(
        [](void *data, const char *, bool) { reinterpret_cast<void (*)(void)>(data)(); },
        reinterpret_cast<void *>(handler));
}

extern "C" void codegen_out_of_memory_elsewhere(void)
{
    if (handlerBefore)
        handlerBefore();
    else
        std::__throw_bad_alloc();
}

extern "C" void codegen_crash_trace(char *buffer, size_t size)
{
    llvm::SmallString<8192> text;
    llvm::raw_svector_ostream out(text);
    auto *entry = static_cast<const llvm::PrettyStackTraceEntry *>(llvm::SavePrettyStackState());
    for (; entry && text.size() < size; entry = entry->getNextEntry())
        entry->print(out);
    size_t length = std::min(text.size(), size - 1);
    memcpy(buffer, text.data(), length);
    buffer[length] = 0;
}

#endif
