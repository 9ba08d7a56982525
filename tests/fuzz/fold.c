/* Folds of any content, by the functions that take one and build nothing. */
#include "target.h"

#include <clfold/clfold.h>

#include <stdlib.h>
#include <string.h>

#define MOST_TEXTS 32

/* What a fold points to. */
struct made {
    clfold_fold fold;
    clfold_arg args[10];
    clfold_segments segments;
    char *texts[MOST_TEXTS];
    size_t num_texts;
};

static clfold_context *ctx;
static cl_mem mem;

static void check(cl_int status)
{
    require(status == CL_SUCCESS, "a device");
}

void fuzz_open_device(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;

    check(clGetPlatformIDs(1, &platform, NULL));
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status);
    mem = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &status);
    check(status);
    check(clfold_context_create(&ctx, context, device, NULL));
}

/* An enumerator of at most `most`, mostly; any number at times. */
static uint32_t take_number(struct bytes *bytes, uint32_t most)
{
    uint8_t first = take(bytes);
    uint32_t number = 0;

    if (first < 240) {
        return first % (most + 1);
    }
    for (int i = 0; i < 4; ++i) {
        number = number << 8 | take(bytes);
    }
    return first < 250 ? most + 1 : number;
}

/* NULL, a text that makes sense somewhere, or any bytes. */
static const char *take_text(struct bytes *bytes, struct made *made)
{
    static const char *const known[] = { "a + b",
                                         "{ a.a * b.a, a.b * b.a + b.b }",
                                         "{ 1, 0 }",
                                         "0",
                                         "b",
                                         "b.a != 0",
                                         "x * x",
                                         "x.x + s",
                                         "item",
                                         "{ item.a, prev.b }",
                                         "out[i] = item;",
                                         "in[i - 1] + w",
                                         "float a; float b",
                                         "ulong a; uchar b",
                                         "int a, b, c, d",
                                         "float4",
                                         "typedef struct { int x; } pair;\n#define P a\n",
                                         CLFOLD_HERE "x + 1",
                                         "serial",
                                         "reduce_tiles",
                                         "scan_lookback",
                                         "w",
                                         "s",
                                         "uint",
                                         "global const float *",
                                         "pair" };
    const size_t num = sizeof(known) / sizeof(known[0]);
    uint8_t which = take(bytes);

    if (which < 64 || made->num_texts == MOST_TEXTS) {
        return NULL;
    }
    if (which < 224) {
        return known[which % num];
    }
    size_t length = take(bytes);
    char *text = calloc(length + 1, 1);
    require(text != NULL, "memory");
    for (size_t i = 0; i < length; ++i) {
        text[i] = (char)take(bytes);
    }
    made->texts[made->num_texts++] = text;
    return text;
}

static clfold_place take_place(struct bytes *bytes)
{
    uint8_t which = take(bytes);

    return (clfold_place){ which & 64 ? mem : NULL, which & 128 ? which % 8 : 0 };
}

static void take_args(struct bytes *bytes, struct made *made)
{
    static const unsigned char value[256];

    made->fold.num_args = take_number(bytes, 3) % 11;
    made->fold.args = take(bytes) % 16 ? made->args : NULL;
    for (size_t i = 0; i < made->fold.num_args; ++i) {
        uint8_t kind = take(bytes);
        made->args[i] = (clfold_arg){
            .type = kind & 1 ? take_text(bytes, made) : NULL,
            .name = take_text(bytes, made),
            .size = kind & 2 ? take(bytes) : 0,
            .value = kind & 2 ? value : NULL,
            .element = kind & 4 ? take_number(bytes, CLFOLD_F64) : 0,
            .mem = kind & 8 ? mem : NULL,
            .offset = kind & 16 ? take(bytes) : 0,
            .reserved = { kind == 255 },
        };
    }
}

static void take_fold(struct bytes *bytes, struct made *made)
{
    static const unsigned char init[256];
    clfold_fold *fold = &made->fold;
    uint32_t has = take(bytes) | (uint32_t)take(bytes) << 8;

    memset(made, 0, sizeof(*made));
    fold->op = has & 1 ? take_number(bytes, CLFOLD_MATRIX_2X2) : 0;
    fold->type = has & 2 ? take_number(bytes, CLFOLD_F64) : CLFOLD_F32;
    fold->in = has & 4 ? take_number(bytes, CLFOLD_F64) : 0;
    fold->out = has & 8 ? take_number(bytes, CLFOLD_F64) : 0;
    fold->in_scalars = has & 16 ? take_number(bytes, 4) : 0;
    fold->out_scalars = has & 16 ? take_number(bytes, 4) : 0;
    fold->accuracy = has & 32 ? take_number(bytes, CLFOLD_REPRODUCIBLE) : 0;
    fold->flags = has & 64 ? take_number(bytes, 3) : 0;
    if (has & 128) {
        fold->type = 0;
        fold->components = take_text(bytes, made);
        fold->type_name = take_text(bytes, made);
        fold->type_size = take_number(bytes, 17);
    }
    fold->combine = has & 256 ? take_text(bytes, made) : NULL;
    fold->identity = has & 256 ? take_text(bytes, made) : NULL;
    fold->cuts = has & 512 ? take_text(bytes, made) : NULL;
    fold->load = has & 1024 ? take_text(bytes, made) : NULL;
    fold->result = has & 2048 ? take_text(bytes, made) : NULL;
    if (has & 4096) {
        fold->name = take_text(bytes, made);
        fold->source = take_text(bytes, made);
        fold->store = take_text(bytes, made);
        fold->algorithm = take_text(bytes, made);
    }
    if (has & 8192) {
        take_args(bytes, made);
    }
    if (has & 16384) {
        fold->init = take(bytes) % 2 ? init : NULL;
        fold->init_size = take(bytes);
        fold->init_at = take_place(bytes);
        fold->total_out = take_place(bytes);
        made->segments.by = take_number(bytes, CLFOLD_BY_COLUMNS);
        made->segments.num = take(bytes);
        made->segments.length = take(bytes);
        made->segments.columns = take(bytes);
        fold->segments = take(bytes) % 2 ? &made->segments : NULL;
    }
    if (has & 32768) {
        fold->equal = take_text(bytes, made);
        fold->bad_out = take_place(bytes);
        fold->reserved[take(bytes) % 6] = take(bytes);
        fold->same = take_text(bytes, made);
    }
}

static void finish(struct made *made)
{
    for (size_t i = 0; i < made->num_texts; ++i) {
        free(made->texts[i]);
    }
}

static bool has_layout(const clfold_fold *fold)
{
    clfold_layout layout = { 0 };
    clfold_status status = clfold_fold_layout(fold, &layout);

    require(status == CLFOLD_OK || status == CLFOLD_ERROR_ARGUMENT ||
                status == CLFOLD_ERROR_UNSUPPORTED,
            "a status that the header names");
    if (status) {
        return false;
    }
    require(layout.in_size > 0 && layout.num_fields > 0 && layout.num_fields <= 4,
            "an element and 1 to 4 fields");
    for (uint32_t k = 0; k < layout.num_fields; ++k) {
        const clfold_field *field = &layout.fields[k];
        require(field->size > 0 && field->offset + field->size <= layout.out_size &&
                    memchr(field->name, '\0', sizeof(field->name)) > (void *)field->name,
                "a field inside the result");
    }
    return true;
}

bool fuzz_layout(struct bytes bytes)
{
    struct made made;

    take_fold(&bytes, &made);
    bool accepted = has_layout(&made.fold);
    finish(&made);
    return accepted;
}

/* What a call takes has a layout. */
bool fuzz_explain(struct bytes bytes)
{
    clfold_operation operation = take_number(&bytes, CLFOLD_MAP);
    size_t count = (size_t)take(&bytes) << take(&bytes) % 64;
    clfold_placement placement = { .in_offset = take(&bytes),
                                   .out_offset = take(&bytes) };
    clfold_report report;
    struct made made;

    placement.in_place = take(&bytes) % 2;
    take_fold(&bytes, &made);
    clfold_status status = clfold_explain(ctx, operation, &made.fold, count,
                                          take(&bytes) % 2 ? &placement : NULL, &report);
    require(status != CLFOLD_OK || has_layout(&made.fold),
            "a layout of what is explained");
    require(status != CLFOLD_ERROR_BUILD && status != CLFOLD_ERROR_DATA,
            "a status that the header names");
    finish(&made);
    return status == CLFOLD_OK;
}
