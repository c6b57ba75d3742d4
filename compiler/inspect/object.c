/* Reads the contents of gpucc's objects. It follows the descriptor from the symbol table through the relocations, and
 * never reads outside the file's bytes, whatever the file holds. */
#include "inspect/inspect_internal.h"

#include <elf.h>
#include <gpucc/program.h>
#include <string.h>

static const char prefix[] = "gpucc_program_";

struct elf {
    struct bytes file;
    Elf64_Ehdr header;
};

/* Bytes of the file. */
struct slice {
    const char *data; /* null: none */
    size_t size;
};

/* A place in a section. */
struct spot {
    size_t section;
    uint64_t offset;
};

static struct slice slice_of(const struct elf *elf, uint64_t offset, uint64_t size)
{
    if (offset > elf->file.size || size > elf->file.size - offset)
        return (struct slice){0};
    return (struct slice){elf->file.data + offset, size};
}

/* Copies a record out of the slice; false if it does not hold one there. */
static bool fetch(struct slice slice, uint64_t offset, void *record, size_t size)
{
    if (!slice.data || offset > slice.size || size > slice.size - offset)
        return false;
    memcpy(record, slice.data + offset, size);
    return true;
}

static bool section_header(const struct elf *elf, size_t index, Elf64_Shdr *section)
{
    struct slice table = slice_of(elf, elf->header.e_shoff, (uint64_t)elf->header.e_shnum * sizeof *section);
    return elf->header.e_shentsize == sizeof *section &&
           fetch(table, index * sizeof *section, section, sizeof *section);
}

static struct slice section_bytes(const struct elf *elf, const Elf64_Shdr *section)
{
    return section->sh_type == SHT_NOBITS ? (struct slice){0} : slice_of(elf, section->sh_offset, section->sh_size);
}

/* The text that begins in the slice, if it also ends there. */
static const char *text_at(struct slice slice, uint64_t offset)
{
    if (!slice.data || offset >= slice.size || !memchr(slice.data + offset, 0, slice.size - offset))
        return NULL;
    return slice.data + offset;
}

static bool open_elf(struct bytes file, struct elf *elf, const char **reason)
{
    elf->file = file;
    *reason = "it is not an ELF object";
    if (!fetch((struct slice){file.data, file.size}, 0, &elf->header, sizeof elf->header) ||
        memcmp(elf->header.e_ident, ELFMAG, SELFMAG))
        return false;
    *reason = "it is not a relocatable object for a 64-bit little-endian machine";
    if (elf->header.e_ident[EI_CLASS] != ELFCLASS64 || elf->header.e_ident[EI_DATA] != ELFDATA2LSB ||
        elf->header.e_type != ET_REL)
        return false;
    /* The table of sections stands behind everything else. */
    *reason = "it is truncated or damaged: its section table is incomplete";
    return slice_of(elf, elf->header.e_shoff, (uint64_t)elf->header.e_shnum * sizeof(Elf64_Shdr)).data;
}

/* The first defined symbol that is called gpucc_program_… */
static const char *find_descriptor(const struct elf *elf, struct spot *spot)
{
    for (size_t i = 0; i < elf->header.e_shnum; i++) {
        Elf64_Shdr section, names;
        Elf64_Sym symbol;
        if (!section_header(elf, i, &section) || section.sh_type != SHT_SYMTAB ||
            !section_header(elf, section.sh_link, &names))
            continue;
        struct slice table = section_bytes(elf, &section), strings = section_bytes(elf, &names);
        for (uint64_t at = 0; fetch(table, at, &symbol, sizeof symbol); at += sizeof symbol) {
            const char *name = text_at(strings, symbol.st_name);
            if (!name || strncmp(name, prefix, strlen(prefix)) || symbol.st_shndx == SHN_UNDEF ||
                symbol.st_shndx >= SHN_LORESERVE)
                continue;
            *spot = (struct spot){symbol.st_shndx, symbol.st_value};
            return name;
        }
    }
    return NULL;
}

/* ---- pointers, which are relocations ---- */

static bool target_of(const struct elf *elf, const Elf64_Shdr *relocations, const Elf64_Rela *rela, struct spot *target)
{
    Elf64_Shdr symbols;
    Elf64_Sym symbol;
    uint64_t type = ELF64_R_TYPE(rela->r_info);
    if (type != (elf->header.e_machine == EM_AARCH64 ? R_AARCH64_ABS64 : R_X86_64_64) ||
        !section_header(elf, relocations->sh_link, &symbols) ||
        !fetch(section_bytes(elf, &symbols), ELF64_R_SYM(rela->r_info) * sizeof symbol, &symbol, sizeof symbol) ||
        symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE)
        return false;
    *target = (struct spot){symbol.st_shndx, symbol.st_value + (uint64_t)rela->r_addend};
    return true;
}

/* The target of the pointer at `spot`. */
static bool follow(const struct elf *elf, struct spot spot, struct spot *target)
{
    for (size_t i = 0; i < elf->header.e_shnum; i++) {
        Elf64_Shdr section;
        Elf64_Rela rela;
        if (!section_header(elf, i, &section) || section.sh_type != SHT_RELA || section.sh_info != spot.section)
            continue;
        struct slice table = section_bytes(elf, &section);
        for (uint64_t at = 0; fetch(table, at, &rela, sizeof rela); at += sizeof rela)
            if (rela.r_offset == spot.offset)
                return target_of(elf, &section, &rela, target);
    }
    return false;
}

static bool read_record(const struct elf *elf, struct spot spot, void *record, size_t size)
{
    Elf64_Shdr section;
    return section_header(elf, spot.section, &section) &&
           fetch(section_bytes(elf, &section), spot.offset, record, size);
}

static struct spot field_of(struct spot spot, size_t offset)
{
    return (struct spot){spot.section, spot.offset + offset};
}

/* The NUL-terminated text of `size` bytes that the pointer at `pointer` leads to. */
static bool read_text(const struct elf *elf, struct spot pointer, uint64_t size, struct bytes *text)
{
    struct spot target;
    Elf64_Shdr section;
    if (!follow(elf, pointer, &target) || !section_header(elf, target.section, &section))
        return false;
    const char *start = text_at(section_bytes(elf, &section), target.offset);
    if (!start || strlen(start) != size)
        return false;
    *text = (struct bytes){start, size};
    return true;
}

/* Older versions end before the last fields, which are 0 then. */
static bool read_descriptor(const struct elf *elf, struct spot spot, struct gpucc_program_image *program)
{
    *program = (struct gpucc_program_image){0};
    static const size_t ends[] = {
        [2] = offsetof(struct gpucc_program_image, codes),
        [3] = offsetof(struct gpucc_program_image, self),
        [4] = sizeof *program,
    };
    enum { LEAST = 2, LAST = GPUCC_PROGRAM_VERSION };
    _Static_assert(sizeof ends / sizeof *ends == LAST + 1, "each version says where it ends");
    return read_record(elf, spot, program, ends[LEAST]) &&
           (program->version <= LEAST ||
            read_record(elf, spot, program, ends[program->version < LAST ? program->version : LAST]));
}

static bool read_images(struct arena *arena, const struct elf *elf, struct spot descriptor,
                        const struct gpucc_program_image *program, struct object_contents *contents)
{
    struct spot images;
    if (!program->image_count)
        return true;
    if (!follow(elf, field_of(descriptor, offsetof(struct gpucc_program_image, images)), &images))
        return false;
    for (size_t i = 0; i < program->image_count; i++) {
        struct spot spot = field_of(images, i * sizeof(struct gpucc_image));
        struct gpucc_image image;
        struct ptx_image read = {0};
        if (!read_record(elf, spot, &image, sizeof image) ||
            !read_text(elf, field_of(spot, offsetof(struct gpucc_image, text)), image.size, &read.text))
            return false;
        read.arch = (int)image.arch;
        read.isa = (int)image.isa;
        contents->images = arena_grow(arena, contents->images, contents->image_count, sizeof read);
        contents->images[contents->image_count++] = read;
    }
    return true;
}

/* Objects of older versions have code for x86-64-v3. */
static bool read_codes(const struct elf *elf, struct spot descriptor, const struct gpucc_program_image *program,
                       struct object_contents *contents)
{
    struct spot codes;
    if (program->version < 3 && program->native_count)
        contents->native_targets = 1u << GPUCC_NATIVE_X86_64_V3;
    if (program->version < 3 || !program->code_count)
        return true;
    if (!follow(elf, field_of(descriptor, offsetof(struct gpucc_program_image, codes)), &codes))
        return false;
    for (uint64_t i = 0; i < program->code_count; i++) {
        struct gpucc_native_code code;
        if (!read_record(elf, field_of(codes, i * sizeof code), &code, sizeof code))
            return false;
        if (code.target < GPUCC_NATIVE_COUNT)
            contents->native_targets |= 1u << code.target;
    }
    return true;
}

bool object_read(struct arena *arena, struct bytes object, struct object_contents *contents, const char **reason)
{
    struct elf elf;
    struct spot descriptor = {0};
    struct gpucc_program_image program;
    *contents = (struct object_contents){0};
    if (!open_elf(object, &elf, reason))
        return false;
    contents->symbol = find_descriptor(&elf, &descriptor);
    *reason = "it is an object, but not made by gpucc: it has no symbol gpucc_program_…";
    if (!contents->symbol)
        return false;
    *reason = "its descriptor is damaged";
    if (!read_descriptor(&elf, descriptor, &program) ||
        !read_text(&elf, field_of(descriptor, offsetof(struct gpucc_program_image, manifest)), program.manifest_size,
                   &contents->manifest))
        return false;
    return read_codes(&elf, descriptor, &program, contents) &&
           read_images(arena, &elf, descriptor, &program, contents);
}
