/*
 * Programs that outlive the process: entries (base/entry.h) in a folder of the user's, or
 * wherever the caller's callbacks put them.
 *
 *     key = facts + options + text --> load --> clCreateProgramWithBinary, clBuildProgram
 *                                       |
 *                                       +--> any defect: a note, and the text is built
 *
 * The key has every fact that decides what a driver makes of a text, so an entry is never
 * stale: one of another driver has another key.
 */
#ifndef CLFOLD_DEVICE_ARCHIVE_H
#define CLFOLD_DEVICE_ARCHIVE_H

#include "base/folder.h"
#include "device/caps.h"

struct archive {
    bool is_open;         /* programs are kept */
    bool is_fed;          /* and new ones join them */
    bool saves_last;      /* only when the context ends, see struct driver */
    struct folder folder; /* closed: the callbacks serve */
    uint64_t limit;       /* bytes in the folder */
    size_t (*load)(void *user, const char *key, void *program, size_t size);
    void (*save)(void *user, const char *key, const void *program, size_t size);
    void *user;
    struct text facts; /* the first part of every key */
};

/* Opens the folder, or takes the callbacks. It stays closed if none is given, if the
 * folder cannot be used, which is logged as a warning, or if the driver gains nothing.
 * Only a lack of host memory fails. */
clfold_status clfold_archive_init(struct archive *archive, const struct site *site,
                                  cl_device_id device, const struct caps *caps,
                                  const clfold_context_params *params);
/* A zeroed archive too. */
void clfold_archive_finish(struct archive *archive);

/* Appends a fact to the first part of a key. */
void clfold_archive_print_fact(struct text *text, const char *name, const char *value);

/* A sentence on a load or a save that went wrong. The caller logs it when no thread
 * waits. Where nothing went wrong it is left as it was. */
#define CLFOLD_ARCHIVE_NOTE 256

/* A program that is built from the entry for this text; NULL: there is none, or it has a
 * defect. */
cl_program clfold_archive_load(const struct archive *archive, cl_context context,
                               cl_device_id device, const char *options,
                               const struct text *source, char note[CLFOLD_ARCHIVE_NOTE]);

/* Saves a program that was built from this text. False: it was not kept, and `note` says
 * why. */
bool clfold_archive_save(const struct archive *archive, cl_device_id device,
                         cl_program program, const struct text *source,
                         char note[CLFOLD_ARCHIVE_NOTE]);

/* Removes what exceeds the limit. */
void clfold_archive_tidy(const struct archive *archive);

#endif
