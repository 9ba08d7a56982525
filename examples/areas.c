/*
 * A summed-area table of a picture: one scan of its rows, and one of their columns. The
 * sum of any box then takes four entries, so a blur costs the same for every radius.
 *
 *     picture  1 2 3    rows  1 3  6    table  1  3  6     the sum of 5 6 is
 *              4 5 6          4 9 15           5 12 21     21 - 6 - 5 + 1
 *
 *     cc -o areas areas.c $(pkg-config --cflags --libs clfold libpng)
 *     ./areas PICTURE.png TABLE.png BLUR.png      writes two pictures in grey
 */
#include "example.h"

#include <png.h>

struct picture {
    size_t width, num;
    unsigned char *pixels;
    cl_ulong *table;
};

static bool scan(const struct example *e, const struct picture *p)
{
    const size_t num = p->num, w = p->width, h = num / w;
    const clfold_segments rows = { .by = CLFOLD_BY_LENGTH, .length = w };
    const clfold_segments columns = { .by = CLFOLD_BY_COLUMNS,
                                      .columns = w,
                                      .length = h };
    clfold_fold fold = { .op = CLFOLD_ADD, .in = CLFOLD_U8, .type = CLFOLD_U64 };
    cl_mem in = example_buffer(e, num, p->pixels);
    cl_mem out = example_buffer(e, num * sizeof(*p->table), NULL);
    clfold_context *ctx = NULL; /* made once a program, not once a call */

    fold.segments = &rows;
    bool done = in && out &&
                clfold_ok(clfold_context_create(&ctx, e->context, e->device, NULL)) &&
                clfold_ok(clfold_inclusive_scan(ctx, e->queue, &fold, in, 0, out, 0, num,
                                                0, NULL, NULL));
    fold.segments = &columns;
    fold.in = CLFOLD_U64;
    done = done &&
           clfold_ok(clfold_inclusive_scan(ctx, e->queue, &fold, out, 0, out, 0, num, 0,
                                           NULL, NULL)) &&
           example_fetch(e, out, num * sizeof(*p->table), p->table);
    clfold_context_destroy(&ctx);
    example_release(out);
    example_release(in);
    return done;
}

/* The sum of the pixels left of x and above y. */
static cl_ulong sum(const struct picture *p, size_t x, size_t y)
{
    return x > 0 && y > 0 ? p->table[(y - 1) * p->width + x - 1] : 0;
}

/* A loop on the host: each sum must be its pixel and the sums before it. */
static bool is_right(const struct picture *p)
{
    for (size_t i = 0; i < p->num; ++i) {
        const size_t x = i % p->width, y = i / p->width;
        if (p->table[i] !=
            p->pixels[i] + sum(p, x, y + 1) + sum(p, x + 1, y) - sum(p, x, y)) {
            fprintf(stderr, "the sum up to column %zu, row %zu is wrong\n", x, y);
            return false;
        }
    }
    return true;
}

/* Of a box round x and y, which ends at the picture's edges. */
static unsigned char mean(const struct picture *p, size_t x, size_t y)
{
    const size_t width = p->width, height = p->num / width, radius = 6;
    const size_t left = x > radius ? x - radius : 0, top = y > radius ? y - radius : 0;
    const size_t right = x + radius < width ? x + radius + 1 : width;
    const size_t bottom = y + radius < height ? y + radius + 1 : height;
    const cl_ulong box = sum(p, right, bottom) - sum(p, left, bottom) -
                         sum(p, right, top) + sum(p, left, top);
    return (unsigned char)((double)box / (double)((right - left) * (bottom - top)));
}

static bool show(png_image *image, const struct picture *p, bool blur, const char *to)
{
    const cl_ulong all = p->table[p->num - 1], most = all > 0 ? all : 1;

    for (size_t i = 0; i < p->num; ++i) {
        p->pixels[i] = (unsigned char)(blur ? mean(p, i % p->width, i / p->width)
                                            : p->table[i] * 255 / most);
    }
    return png_image_write_to_file(image, to, 0, p->pixels, 0, NULL);
}

int main(int argc, char **argv)
{
    example_usage(argc == 4, "areas PICTURE.png TABLE.png BLUR.png");
    png_image image = { .version = PNG_IMAGE_VERSION };
    struct example e = example_open();
    struct picture p = { 0 };
    bool done = false;

    if (png_image_begin_read_from_file(&image, argv[1])) {
        image.format = PNG_FORMAT_GRAY;
        p = (struct picture){ .width = image.width, .num = PNG_IMAGE_SIZE(image) };
        p.pixels = example_zeros(p.num, sizeof(*p.pixels));
        p.table = example_zeros(p.num, sizeof(*p.table));
        done = p.pixels && p.table && e.queue &&
               png_image_finish_read(&image, NULL, p.pixels, 0, NULL) && scan(&e, &p) &&
               is_right(&p) && show(&image, &p, false, argv[2]) &&
               show(&image, &p, true, argv[3]);
    }
    if (done) {
        printf("%zu x %zu pixels\n", p.width, p.num / p.width);
    } else if (image.message[0]) {
        fprintf(stderr, "areas: %s\n", image.message);
    }
    png_image_free(&image);
    example_close(&e);
    free(p.table);
    free(p.pixels);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
