/* The identity of a program or library. */
#define _XOPEN_SOURCE 700
#include "command/command.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SEGMENTS = 64, MOST_NOTES = 4096 };

static bool read_at(int file, void *data, size_t size, off_t offset)
{
    return pread(file, data, size, offset) == (ssize_t)size;
}

static size_t aligned(size_t size)
{
    return (size + 3) / 4 * 4;
}

/* Adds the build ID where it is among these notes. */
static bool add_build_id(const char *notes, size_t size, struct sha256 *sum)
{
    Elf64_Nhdr note;
    for (size_t at = 0; at + sizeof note <= size;) {
        memcpy(&note, notes + at, sizeof note);
        const size_t name = at + sizeof note, data = name + aligned(note.n_namesz);
        at = data + aligned(note.n_descsz);
        if (at > size || at < data || data < name)
            return false;
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof ELF_NOTE_GNU ||
            memcmp(notes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) != 0)
            continue;
        sha256_add(sum, notes + data, note.n_descsz);
        return true;
    }
    return false;
}

static bool find_build_id(int file, struct sha256 *sum)
{
    Elf64_Ehdr head;
    Elf64_Phdr segments[MOST_SEGMENTS];
    char notes[MOST_NOTES];
    bool found = false;
    if (!read_at(file, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof *segments ||
        head.e_phnum > MOST_SEGMENTS || !read_at(file, segments, head.e_phnum * sizeof *segments, (off_t)head.e_phoff))
        return false;
    for (size_t i = 0; i < head.e_phnum && !found; i++) {
        const size_t size = segments[i].p_filesz;
        found = segments[i].p_type == PT_NOTE && size <= sizeof notes &&
                read_at(file, notes, size, (off_t)segments[i].p_offset) && add_build_id(notes, size, sum);
    }
    return found;
}

bool program_id(const char *path, struct sha256 *sum)
{
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool found = file >= 0 && !fstat(file, &status);
    if (found && !find_build_id(file, sum)) {
        sha256_add(sum, &status.st_size, sizeof status.st_size);
        sha256_add(sum, &status.st_mtim, sizeof status.st_mtim);
    }
    if (file >= 0)
        close(file);
    return found;
}
