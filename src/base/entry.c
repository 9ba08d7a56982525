#include "base/entry.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

#define MAGIC  "clfold\r\n"
#define FORMAT 1
#define ORDER  UINT32_C(0x01020304)

struct head {
    char magic[8];
    uint32_t format;
    uint32_t order; /* shows whose byte order the numbers have */
    uint64_t key_length, program_length;
    uint64_t checksum; /* the last member: of what is before it and what follows */
};

_Static_assert(sizeof(struct head) == 40, "a head has no padding");

/* FNV-1a: each step is one-to-one, so one changed byte always shows. */
static uint64_t hash(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < length; ++i) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t checksum(const char *bytes, size_t length)
{
    uint64_t sum = hash(CLFOLD_HASH_START, bytes, offsetof(struct head, checksum));

    return hash(sum, bytes + sizeof(struct head), length - sizeof(struct head));
}

void clfold_entry_name(char name[CLFOLD_ENTRY_NAME], const char *key, size_t length)
{
    snprintf(name, CLFOLD_ENTRY_NAME, "%016llx",
             (unsigned long long)hash(CLFOLD_HASH_START, key, length));
}

char *clfold_entry_create(const char *key, size_t key_length, size_t program_length,
                          unsigned char **program, size_t *length)
{
    const struct head head = {
        .magic = MAGIC,
        .format = FORMAT,
        .order = ORDER,
        .key_length = key_length,
        .program_length = program_length,
    };
    char *bytes;

    *length = sizeof(head) + key_length + program_length;
    bytes = clfold_alloc(*length);
    if (bytes) {
        memcpy(bytes, &head, sizeof(head));
        memcpy(bytes + sizeof(head), key, key_length);
        *program = (unsigned char *)bytes + sizeof(head) + key_length;
    }
    return bytes;
}

void clfold_entry_seal(char *bytes, size_t length)
{
    struct head head;

    memcpy(&head, bytes, sizeof(head));
    head.checksum = checksum(bytes, length);
    memcpy(bytes, &head, sizeof(head));
}

const char *clfold_entry_read(struct entry *entry, const char *bytes, size_t length)
{
    struct head head;

    if (length < sizeof(head)) {
        return "it is shorter than an entry's head";
    }
    memcpy(&head, bytes, sizeof(head));
    if (memcmp(head.magic, MAGIC, sizeof(head.magic)) != 0) {
        return "it is not an entry";
    }
    if (head.format != FORMAT || head.order != ORDER) {
        return "it is of another format";
    }
    length -= sizeof(head);
    if (head.key_length > length || head.program_length != length - head.key_length) {
        return "its length is wrong";
    }
    if (head.checksum != checksum(bytes, length + sizeof(head))) {
        return "its checksum is wrong";
    }
    *entry = (struct entry){
        .key = bytes + sizeof(head),
        .key_length = (size_t)head.key_length,
        .program = (const unsigned char *)bytes + sizeof(head) + head.key_length,
        .program_length = (size_t)head.program_length,
    };
    return NULL;
}
