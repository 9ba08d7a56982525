/* Buffers on a session's device, and data on their way into them and out of them. */
#ifndef CLFOLD_COMMAND_BUFFER_H
#define CLFOLD_COMMAND_BUFFER_H

#include "session.h"

/* How many bytes the device takes in one buffer. */
bool buffer_limit(const struct session *session, uint64_t *limit,
                  struct message *message);

/* How many bytes the device has. */
bool buffer_memory(const struct session *session, uint64_t *memory,
                   struct message *message);

/* bytes may be 0, though OpenCL has no such buffer. On failure *out is NULL. */
bool buffer_create(const struct session *session, cl_mem *out, cl_mem_flags flags,
                   uint64_t bytes, struct message *message);

/* Releases those that are there. */
void buffer_release(const cl_mem *buffers, size_t num);

/* Reads the begin of a buffer, and waits. */
bool buffer_read(cl_command_queue queue, cl_mem buffer, size_t size, void *to,
                 struct message *message);

/* Reads or writes the next `size` bytes of a buffer. */
typedef bool buffer_visitor(void *user, void *data, size_t size, struct message *message);

/* Maps one part of a buffer, whole elements, and visits it. What was written is there for
 * later commands of the queue. */
bool buffer_map(cl_command_queue queue, cl_mem buffer, cl_map_flags flags, size_t offset,
                size_t size, buffer_visitor *visit, void *user, struct message *message);

/* As much as is sensible to map at once, since a driver copies it through memory of the
 * host where the device has memory of its own. */
enum { BUFFER_STEP = 32 * 1024 * 1024 };

/* Maps `count` elements of a buffer, from the one numbered `first` on, step by step, and
 * waits for the queue. */
bool buffer_visit(cl_command_queue queue, cl_mem buffer, cl_map_flags flags,
                  size_t element, size_t first, size_t count, buffer_visitor *visit,
                  void *user, struct message *message);

#endif
