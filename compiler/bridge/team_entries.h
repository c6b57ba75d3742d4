// C++, a part of codegen.cpp: bridge.h's functions for gufuncs' loops.
#ifndef GPUCC_TEAM_ENTRIES_H
#define GPUCC_TEAM_ENTRIES_H

#include "bridge/bridge.h"
#include "bridge/loop_deferral.h"
#include "bridge/team_grid.h"
#include "bridge/team_rounds.h"
#include "bridge/team_rows.h"
#include "bridge/team_tiles.h"

#include <llvm/Transforms/Utils/Cloning.h>

namespace {

inline TeamParts readParts(const codegen_parts &from)
{
    TeamParts parts = {};
    auto next = [&from, k = 0u]() mutable -> llvm::Function * {
        return k < from.count ? llvm::unwrap<llvm::Function>(from.functions[k++]) : nullptr;
    };
    for (auto *table : {parts.pushAlone, parts.finishAlone, parts.pushChunk, parts.finishChunk, parts.scanAlone})
        for (unsigned k = 0; k < 4; k++)
            table[k / 2][k % 2] = next();
    if (from.count == CODEGEN_PARTS_NATIVE) {
        for (auto *table : {parts.pushBlock, parts.finishBlock, parts.pushRows, parts.finishRows})
            for (unsigned k = 0; k < 4; k++)
                table[k / 2][k % 2] = next();
        return parts;
    }
    for (llvm::Function **part : {&parts.index, &parts.size, &parts.barrier, &parts.swap32, &parts.swap64, &parts.run})
        *part = next();
    for (auto *table : {parts.push, parts.finish, parts.append})
        for (unsigned k = 0; k < 4; k++)
            table[k / 2][k % 2] = next();
    for (unsigned k = 0; k < 2; k++)
        parts.fuse[k] = next();
    for (unsigned k = 0; k < 2; k++)
        parts.first[k] = next();
    for (auto *table : {parts.startScan, parts.scan, parts.last})
        for (unsigned k = 0; k < 4; k++)
            table[k / 2][k % 2] = next();
    return parts;
}

} // namespace

extern "C" LLVMValueRef codegen_clone(LLVMValueRef function)
{
    llvm::ValueToValueMapTy map;
    return llvm::wrap(llvm::CloneFunction(llvm::unwrap<llvm::Function>(function), map));
}

extern "C" bool codegen_share_loops(LLVMValueRef value, const codegen_roles *given, const codegen_parts *from,
                                    unsigned rounds_at_once, bool has_tiles, uint64_t extents[CODEGEN_LOOPS])
{
    auto &function = *llvm::unwrap<llvm::Function>(value);
    const Roles roles = {given->first_output};
    separateExtremes(function);
    TeamPlan plan(function, roles, given->is_reorderable);
    plan.find([](const llvm::Loop &, const char *) {});
    if (!plan.isPossible)
        return false;
    llvm::copy(plan.extents, extents);
    TeamRounds rounds(function, roles, given->is_reorderable, readParts(*from));
    rounds.roundsAtOnce = rounds_at_once;
    rounds.hasTiles = has_tiles;
    if (!rounds.run(&plan))
        return false;
    // Other threads store what this one accesses, behind barriers, which `restrict` would exclude.
    for (llvm::Argument &argument : function.args())
        if (plan.sharesOutputs && roles.isOutput(&argument))
            argument.removeAttr(llvm::Attribute::NoAlias);
    return true;
}

extern "C" void codegen_sum_in_tree(LLVMValueRef value, const codegen_roles *given, const codegen_parts *from,
                                    bool in_chunks)
{
    const Roles roles = {given->first_output};
    TeamRounds rounds(*llvm::unwrap<llvm::Function>(value), roles, given->is_reorderable, readParts(*from));
    rounds.inChunks = in_chunks;
    (void)rounds.run(nullptr);
}

extern "C" bool codegen_mark_rows(LLVMValueRef value, const codegen_roles *given)
{
    const Roles roles = {given->first_output};
    return RowLoops(*llvm::unwrap<llvm::Function>(value), roles).mark();
}

extern "C" bool codegen_exchange_loops(LLVMValueRef value, const codegen_roles *given)
{
    const Roles roles = {given->first_output};
    return Interchange(*llvm::unwrap<llvm::Function>(value), roles).run();
}

extern "C" unsigned codegen_divide_grids(LLVMValueRef value, const codegen_roles *given)
{
    const Roles roles = {given->first_output};
    return divideGrids(*llvm::unwrap<llvm::Function>(value), roles);
}

extern "C" void codegen_unroll_grids(LLVMValueRef value, const codegen_roles *given)
{
    const Roles roles = {given->first_output};
    UnrolledGrids(*llvm::unwrap<llvm::Function>(value), roles).run();
}

extern "C" bool codegen_has_tiles(LLVMValueRef value, const codegen_roles *given)
{
    auto &function = *llvm::unwrap<llvm::Function>(value);
    const Roles roles = {given->first_output};
    TeamPlan plan(function, roles, given->is_reorderable);
    plan.find([](const llvm::Loop &, const char *) {});
    LoopAnalyses analyses(function);
    return llvm::any_of(analyses.loops.getLoopsInPreorder(), [&](llvm::Loop *loop) {
        return plan.isPlanned(loop->getHeader()) && (isGrid(*loop) || TileNest(*loop).isTile(analyses, roles));
    });
}

extern "C" bool codegen_mark_tiles(LLVMValueRef value, const codegen_roles *given, unsigned depth, unsigned count)
{
    const Roles roles = {given->first_output};
    return markTiles(*llvm::unwrap<llvm::Function>(value), roles, depth, count);
}

extern "C" void codegen_unroll_tiles(LLVMValueRef value, const codegen_roles *given)
{
    const Roles roles = {given->first_output};
    UnrolledTiles(*llvm::unwrap<llvm::Function>(value), roles).run();
}

extern "C" bool codegen_count_loops(LLVMValueRef value, const codegen_roles *given)
{
    const Roles roles = {given->first_output};
    return CountedLoops(*llvm::unwrap<llvm::Function>(value), roles).run();
}

extern "C" bool codegen_separate_empty(LLVMValueRef value)
{
    return separateEmpty(*llvm::unwrap<llvm::Function>(value));
}

extern "C" bool codegen_defer_stores(LLVMValueRef value, const codegen_roles *given)
{
    const Roles roles = {given->first_output};
    return Deferral(*llvm::unwrap<llvm::Function>(value), roles).run();
}

extern "C" const char *codegen_find_order(LLVMValueRef value, const codegen_roles *given)
{
    auto &function = *llvm::unwrap<llvm::Function>(value);
    const Roles roles = {given->first_output};
    separateExtremes(function);
    LoopAnalyses analyses(function);
    const char *reason = nullptr;
    for (llvm::Loop *loop : analyses.loops)
        if (!reason)
            reason = LoopVerdict(*loop, analyses, roles, given->is_reorderable).findOrder();
    return reason;
}

extern "C" void codegen_explain_loops(LLVMValueRef value, const codegen_roles *given,
                                      void (*report)(void *, LLVMMetadataRef, const char *), void *data)
{
    auto &function = *llvm::unwrap<llvm::Function>(value);
    const Roles roles = {given->first_output};
    separateExtremes(function);
    TeamPlan plan(function, roles, given->is_reorderable);
    plan.find([&](const llvm::Loop &loop, const char *reason) {
        report(data, llvm::wrap(static_cast<llvm::Metadata *>(loop.getStartLoc().getAsMDNode())), reason);
    });
}

#endif
