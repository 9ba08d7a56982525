/*
 * An exponential moving average of a sound, without a loop over its samples: each sample
 * is a map y -> a y + b, and the scan composes the maps.
 *
 *     average     y[i] = (1 - k) y[i - 1] + k x[i]     from y[-1] = 0
 *     map         a = 1 - k, b = k x[i]                made by the fold's load
 *     scan        { a, b } of the maps up to i         of which b is y[i]
 *
 * A loop on the host must find the same but for rounding. For little-endian hosts.
 *
 *     cc -o smooth smooth.c $(pkg-config --cflags --libs clfold) -lm
 *     ./smooth IN.wav OUT.wav      16 bits a sample, any number of channels
 */
#include "example.h"

#include <math.h>
#include <string.h>

static const cl_float k = 0.1f;

/* How a plain WAV file begins. Frames follow, with a sample of each channel. */
struct header {
    char riff[4];
    cl_uint file_length;
    char wave[8], format_length[4];
    cl_ushort format, num_channels; /* format 1: integers */
    cl_uint rate, bytes_a_second;
    cl_ushort bytes_a_frame, bits_a_sample;
    char data[4];
    cl_uint length;
};

static bool is_sound(const struct header *h, size_t size)
{
    return size >= sizeof(*h) && memcmp(h->riff, "RIFF", 4) == 0 &&
           memcmp(h->wave, "WAVEfmt ", 8) == 0 && memcmp(h->data, "data", 4) == 0 &&
           h->format == 1 && h->num_channels > 0 && h->bits_a_sample == 16 &&
           h->length <= size - sizeof(*h);
}

/* Puts the averages in the place of one channel's samples. */
static bool replace(cl_short *samples, size_t num_channels, cl_float2 *maps, size_t num)
{
    double y = 0;

    for (size_t i = 0; i < num; ++i) {
        cl_short *const sample = &samples[i * num_channels];
        y += (double)k * (*sample - y);
        if (!(fabs((double)maps[i].s[1] - y) < 0.1)) {
            fprintf(stderr, "frame %zu is %g, not %g\n", i, (double)maps[i].s[1], y);
            return false;
        }
        *sample = (cl_short)lrintf(maps[i].s[1]);
    }
    return true;
}

static bool smooth(const struct example *e, cl_short *samples, cl_uint num_channels,
                   cl_float2 *maps, size_t num)
{
    cl_uint channel = 0;
    const clfold_arg args[] = { CLFOLD_VALUE("float", k, k),
                                CLFOLD_VALUE("uint", channels, num_channels),
                                CLFOLD_VALUE("uint", channel, channel) };
    const clfold_fold averages = { .op = CLFOLD_AFFINE,
                                   .type = CLFOLD_F32,
                                   .in = CLFOLD_I16,
                                   .load = "{ 1 - k, k * in[channels * i + channel] }",
                                   .args = args,
                                   .num_args = 3 };
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    cl_mem in = example_buffer(e, num * num_channels * sizeof(*samples), samples);
    cl_mem out = example_buffer(e, num * sizeof(*maps), NULL);
    bool done =
        in && out && clfold_ok(clfold_context_create(&ctx, e->context, e->device, NULL));

    for (; done && num > 0 && channel < num_channels; ++channel) {
        done = clfold_ok(clfold_inclusive_scan(ctx, e->queue, &averages, in, 0, out, 0,
                                               num, 0, NULL, NULL)) &&
               example_fetch(e, out, num * sizeof(*maps), maps) &&
               replace(samples + channel, num_channels, maps, num);
    }
    clfold_context_destroy(&ctx);
    example_release(out);
    example_release(in);
    return done;
}

int main(int argc, char **argv)
{
    example_usage(argc == 3, "smooth IN.wav OUT.wav");
    size_t size;
    void *const bytes = example_read(argv[1], &size);
    const struct header *const h = bytes;
    struct example e = example_open();
    bool done = false;

    if (bytes && !is_sound(h, size)) {
        fprintf(stderr, "%s is not a plain WAV file of 16 bits a sample\n", argv[1]);
    } else if (bytes && e.queue) {
        const size_t num = h->length / 2 / h->num_channels;
        cl_float2 *const maps = example_zeros(num, sizeof(*maps));
        cl_short *const samples = (void *)((char *)bytes + sizeof(*h));
        done = maps && smooth(&e, samples, h->num_channels, maps, num);
        free(maps);
        FILE *const file = done ? fopen(argv[2], "wb") : NULL;
        const bool is_written = file && fwrite(bytes, 1, size, file) == size;
        const bool is_closed = file && fclose(file) == 0;
        if (done && !(is_written && is_closed)) {
            perror(argv[2]);
            done = false;
        } else if (done) {
            printf("%zu frames, %u channels, %u Hz\n", num, h->num_channels, h->rate);
        }
    }
    example_close(&e);
    free(bytes);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
