/* Relocations of x86-64 and AArch64, as far as LLVM writes them for code that may lie anywhere ("System V Application
 * Binary Interface: AMD64 Architecture Processor Supplement", 4.4; "ELF for the Arm 64-bit Architecture", 5.7). */
#include "emit/elf_link.h"

#include <string.h>

/* A relocation computes one of these, for symbol S, addend A and place P. */
enum formula {
    UNKNOWN,
    ABSOLUTE,      /* S + A, 8 bytes: the dynamic linker adds where the object is loaded */
    ABSOLUTE_HALF, /* S + A, 4 bytes, in debug information alone */
    DISTANCE,      /* S + A - P, 4 bytes */
    DISTANCE_FULL, /* S + A - P, 8 bytes */
    CALL,          /* the same, by a stub where the object does not define S */
    SLOT,          /* the distance to the slot of S */
    ARM_PAGE, ARM_LOW, ARM_CALL, ARM_SLOT_PAGE, ARM_SLOT_LOW,
};

struct kind {
    enum formula formula;
    unsigned scale; /* ARM_LOW: log2 of the bytes that are loaded or stored */
};

static struct kind kind_of(const struct elf_link *link, const Elf64_Rela *relocation)
{
    const uint32_t type = ELF64_R_TYPE(relocation->r_info);
    if (link->object->e_machine == EM_X86_64)
        switch (type) {
        case R_X86_64_64: return (struct kind){ABSOLUTE, 0};
        case R_X86_64_32:
        case R_X86_64_32S: return (struct kind){ABSOLUTE_HALF, 0};
        case R_X86_64_PC32: return (struct kind){DISTANCE, 0};
        case R_X86_64_PC64: return (struct kind){DISTANCE_FULL, 0};
        case R_X86_64_PLT32: return (struct kind){CALL, 0};
        case R_X86_64_GOTPCREL:
        case R_X86_64_GOTPCRELX:
        case R_X86_64_REX_GOTPCRELX: return (struct kind){SLOT, 0};
        default: return (struct kind){UNKNOWN, 0};
        }
    switch (type) {
    case R_AARCH64_ABS64: return (struct kind){ABSOLUTE, 0};
    case R_AARCH64_ABS32: return (struct kind){ABSOLUTE_HALF, 0};
    case R_AARCH64_PREL32: return (struct kind){DISTANCE, 0};
    case R_AARCH64_PREL64: return (struct kind){DISTANCE_FULL, 0};
    case R_AARCH64_ADR_PREL_PG_HI21: return (struct kind){ARM_PAGE, 0};
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC: return (struct kind){ARM_LOW, 0};
    case R_AARCH64_LDST16_ABS_LO12_NC: return (struct kind){ARM_LOW, 1};
    case R_AARCH64_LDST32_ABS_LO12_NC: return (struct kind){ARM_LOW, 2};
    case R_AARCH64_LDST64_ABS_LO12_NC: return (struct kind){ARM_LOW, 3};
    case R_AARCH64_LDST128_ABS_LO12_NC: return (struct kind){ARM_LOW, 4};
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26: return (struct kind){ARM_CALL, 0};
    case R_AARCH64_ADR_GOT_PAGE: return (struct kind){ARM_SLOT_PAGE, 0};
    case R_AARCH64_LD64_GOT_LO12_NC: return (struct kind){ARM_SLOT_LOW, 3};
    default: return (struct kind){UNKNOWN, 0};
    }
}

bool elf_is_defined(const struct elf_link *link, size_t symbol)
{
    return link->symbols[symbol].st_shndx != SHN_UNDEF;
}

uint64_t elf_symbol_address(const struct elf_link *link, size_t symbol)
{
    const Elf64_Sym *s = &link->symbols[symbol];
    if (s->st_shndx == SHN_ABS)
        return s->st_value;
    return link->sections[link->placed[s->st_shndx]].header.sh_addr + s->st_value;
}

/* ---- counting ---- */

static void need_slot(struct elf_link *link, size_t symbol)
{
    if (link->slots[symbol])
        return;
    link->slots[symbol] = ++link->slot_count;
    link->relocation_count++;
}

static bool count_one(struct elf_link *link, size_t section, const Elf64_Rela *relocation)
{
    enum elf_part part;
    const size_t symbol = ELF64_R_SYM(relocation->r_info);
    const bool is_loaded = elf_part_of(link, section, &part) && part != ELF_UNLOADED;
    const bool is_writable = part == ELF_RELRO || part == ELF_DATA;
    const bool is_defined = elf_is_defined(link, symbol);
    switch (kind_of(link, relocation).formula) {
    case ABSOLUTE:
        link->relocation_count += is_loaded;
        return is_writable || !is_loaded;
    case ABSOLUTE_HALF: return !is_loaded;
    case CALL:
    case ARM_CALL:
        if (!is_defined && !link->stubs[symbol]) {
            link->stubs[symbol] = ++link->stub_count;
            need_slot(link, symbol);
        }
        return true;
    case SLOT:
    case ARM_SLOT_PAGE:
    case ARM_SLOT_LOW: need_slot(link, symbol); return true;
    case UNKNOWN: return false;
    default: return is_defined;
    }
}

/* Calls `each` for the relocations of all sections that are kept, until it returns false. */
static bool for_relocations(struct elf_link *link, bool each(struct elf_link *, size_t section, const Elf64_Rela *))
{
    enum elf_part part;
    for (size_t i = 1; i < link->object->e_shnum; i++) {
        const Elf64_Shdr *header = &link->headers[i];
        if (header->sh_type != SHT_RELA || !elf_part_of(link, header->sh_info, &part))
            continue;
        const Elf64_Rela *relocations = elf_contents(link, i);
        for (size_t k = 0; k < header->sh_size / sizeof *relocations; k++)
            if (!each(link, header->sh_info, &relocations[k]))
                return false;
    }
    return true;
}

bool elf_count_relocations(struct elf_link *link)
{
    return for_relocations(link, count_one);
}

/* ---- writing ---- */

static void put_32(unsigned char *at, uint64_t value)
{
    memcpy(at, &(uint32_t){(uint32_t)value}, 4);
}

static bool fits(int64_t value, unsigned bits)
{
    return value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1);
}

static bool put_distance(unsigned char *at, int64_t distance)
{
    put_32(at, (uint64_t)distance);
    return fits(distance, 32);
}

/* Sets bits of the instruction that the object has as zeros. */
static void or_instruction(unsigned char *at, uint64_t bits)
{
    uint32_t instruction;
    memcpy(&instruction, at, 4);
    put_32(at, instruction | bits);
}

/* adrp: the number of pages between, in two fields. */
static bool put_pages(unsigned char *at, uint64_t target, uint64_t place)
{
    const int64_t pages = (int64_t)(target >> 12) - (int64_t)(place >> 12);
    or_instruction(at, ((uint64_t)pages & 3) << 29 | ((uint64_t)pages >> 2 & 0x7ffff) << 5);
    return fits(pages, 21);
}

static void put_low(unsigned char *at, uint64_t target, unsigned scale)
{
    or_instruction(at, (target & 0xfff) >> scale << 10);
}

static bool put_arm_call(unsigned char *at, int64_t distance)
{
    or_instruction(at, (uint64_t)distance >> 2 & 0x3ffffff);
    return fits(distance, 28);
}

static uint64_t slot_address(const struct elf_link *link, size_t slot)
{
    return link->sections[link->got].header.sh_addr + (slot - 1) * 8;
}

static uint64_t stub_address(const struct elf_link *link, size_t stub)
{
    return link->sections[link->plt].header.sh_addr + (stub - 1) * ELF_STUB;
}

/* For the dynamic linker: the symbol's address, or that of what the object defines, and the addend. */
static void add_dynamic(struct elf_link *link, uint64_t place, size_t symbol, int64_t addend, bool is_slot)
{
    const bool is_arm = link->object->e_machine == EM_AARCH64;
    const uint32_t relative = is_arm ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
    const uint32_t slot = is_arm ? R_AARCH64_GLOB_DAT : R_X86_64_GLOB_DAT;
    const uint32_t absolute = is_arm ? R_AARCH64_ABS64 : R_X86_64_64;
    *link->relocation++ =
        elf_is_defined(link, symbol)
            ? (Elf64_Rela){place, ELF64_R_INFO(0, relative), (int64_t)elf_symbol_address(link, symbol) + addend}
            : (Elf64_Rela){place, ELF64_R_INFO(link->dynamic[symbol], is_slot ? slot : absolute), addend};
}

static bool relocate_one(struct elf_link *link, size_t index, const Elf64_Rela *relocation)
{
    const struct elf_section *section = &link->sections[link->placed[index]];
    const struct kind kind = kind_of(link, relocation);
    const size_t symbol = ELF64_R_SYM(relocation->r_info);
    unsigned char *at = section->data + relocation->r_offset;
    const uint64_t place = section->header.sh_addr + relocation->r_offset;
    const bool is_defined = elf_is_defined(link, symbol);
    const uint64_t target = (is_defined             ? elf_symbol_address(link, symbol)
                             : link->stubs[symbol] ? stub_address(link, link->stubs[symbol])
                                                   : 0) + (uint64_t)relocation->r_addend;
    const uint64_t slot = link->slots[symbol] ? slot_address(link, link->slots[symbol]) + (uint64_t)relocation->r_addend
                                              : 0;
    switch (kind.formula) {
    case ABSOLUTE:
        memcpy(at, &target, 8);
        if (section->part != ELF_UNLOADED)
            add_dynamic(link, place, symbol, relocation->r_addend, false);
        return true;
    case ABSOLUTE_HALF: put_32(at, target); return true;
    case DISTANCE_FULL: memcpy(at, &(uint64_t){target - place}, 8); return true;
    case DISTANCE:
    case CALL: return put_distance(at, (int64_t)(target - place));
    case SLOT: return put_distance(at, (int64_t)(slot - place));
    case ARM_PAGE: return put_pages(at, target, place);
    case ARM_LOW: put_low(at, target, kind.scale); return true;
    case ARM_CALL: return put_arm_call(at, (int64_t)(target - place));
    case ARM_SLOT_PAGE: return put_pages(at, slot, place);
    case ARM_SLOT_LOW: put_low(at, slot, kind.scale); return true;
    case UNKNOWN: break;
    }
    return false;
}

/* Jumps to where the slot points. */
static bool write_stub(const struct elf_link *link, size_t stub, uint64_t slot)
{
    static const unsigned char x86[ELF_STUB] = {0xff, 0x25, 0, 0, 0, 0, 0x0f, 0x1f, 0x44, 0, 0}; /* jmp *slot(%rip) */
    static const uint32_t arm[] = {0x90000010, 0xf9400211, 0xd61f0220, 0xd503201f}; /* adrp x16; ldr x17; br x17; nop */
    unsigned char *at = link->sections[link->plt].data + (stub - 1) * ELF_STUB;
    const uint64_t place = stub_address(link, stub);
    if (link->object->e_machine == EM_X86_64) {
        memcpy(at, x86, sizeof x86);
        return put_distance(at + 2, (int64_t)(slot - (place + 6)));
    }
    memcpy(at, arm, sizeof arm);
    put_low(at + 4, slot, 3);
    return put_pages(at, slot, place);
}

bool elf_relocate(struct elf_link *link)
{
    link->relocation = (Elf64_Rela *)(void *)link->sections[link->rela].data;
    bool done = for_relocations(link, relocate_one);
    for (size_t i = 1; done && i < link->symbol_count; i++) {
        if (!link->slots[i])
            continue;
        const uint64_t slot = slot_address(link, link->slots[i]);
        add_dynamic(link, slot, i, 0, true);
        done = !link->stubs[i] || write_stub(link, link->stubs[i], slot);
    }
    return done;
}
