/* libFuzzer target: any bytes as a .npz file.  Members lie within the bytes, unpack to what they say or not at all, and
 * are .npy files or none. */
#include "base/base.h"
#include "run/run_internal.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_reason(const char *reason)
{
    if (!reason[0] || !memchr(reason, 0, NPY_REASON))
        abort();
}

static bool lies_within(const struct zip_member *member, const uint8_t *data, size_t size)
{
    const uint8_t *end = data + size;
    return member->data >= data && member->data <= end && member->packed <= (size_t)(end - member->data) &&
           (const uint8_t *)member->name >= data && (const uint8_t *)member->name + member->name_length <= end;
}

static void unpack(const struct zip_member *member)
{
    struct npy_header header;
    char reason[NPY_REASON] = "";
    if (!zip_check(member, reason)) {
        check_reason(reason);
        return;
    }
    if (member->size > MOST_BYTES)
        return;
    uint8_t *out = malloc(member->size + 1);
    const bool right = zip_unpack(member, out, reason);
    if (!right)
        check_reason(reason);
    else
        npy_parse(zip_is_stored(member) ? member->data : out, member->size, &header, reason);
    free(out);
}

static void find_again(const uint8_t *data, size_t size, const struct zip_member *member)
{
    char name[64], reason[NPY_REASON] = "";
    struct zip_member found;
    const size_t length = member->name_length < sizeof name ? member->name_length : sizeof name - 1;
    memcpy(name, member->name, length);
    name[length] = '\0';
    if (!npz_find(data, size, name, &found, reason))
        check_reason(reason);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zip zip;
    struct zip_member member;
    char reason[NPY_REASON] = "";
    int looked = 0;
    if (!zip_open(&zip, data, size, reason)) {
        check_reason(reason);
        return 0;
    }
    while (zip_next(&zip, &member)) {
        if (!lies_within(&member, data, size))
            abort();
        if (looked++ < 16) {
            unpack(&member);
            find_again(data, size, &member);
        }
    }
    if (!npz_find(data, size, NULL, &member, reason))
        check_reason(reason);
    return 0;
}
