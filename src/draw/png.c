/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PNG and animated PNG, from their specifications (ISO/IEC 15948; APNG 1.0), on top of zlib. Frames
   after the first hold only the rectangle that changed. Files appear under their name when they are
   whole. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "draw/draw.h"
#include "store/files.h"

#define RGB 3

typedef struct bytes {
    uint8_t *data;
    int64_t n, capacity;
} bytes;

typedef struct rectangle {
    int x, y, w, h;
} rectangle;

static void put32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 24), p[1] = (uint8_t)(v >> 16), p[2] = (uint8_t)(v >> 8),
    p[3] = (uint8_t)v;
}

static void put16(uint8_t *p, unsigned v)
{
    p[0] = (uint8_t)(v >> 8), p[1] = (uint8_t)v;
}

/* ---- compression ---- */

static int paeth(int a, int b, int c)
{
    int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/* Filters one row with type `f`; `up` is the row above or NULL. Returns the sum of small
   differences, the usual guess of how well it will compress. */
static int64_t filter_row(int f, const uint8_t *row, const uint8_t *up, int n, uint8_t *out)
{
    int64_t cost = 0;
    for (int i = 0; i < n; i++) {
        int a = i >= RGB ? row[i - RGB] : 0, b = up ? up[i] : 0;
        int c = up && i >= RGB ? up[i - RGB] : 0;
        int guess = f == 0 ? 0 : f == 1 ? a : f == 2 ? b : f == 3 ? (a + b) / 2 : paeth(a, b, c);
        out[i] = (uint8_t)(row[i] - guess);
        cost += out[i] < 128 ? out[i] : 256 - out[i];
    }
    return cost;
}

static voidpf zlib_take(voidpf opaque, uInt n, uInt size)
{
    (void)opaque;
    return mrn_alloc((size_t)n * size);
}

static void zlib_drop(voidpf opaque, voidpf p)
{
    (void)opaque;
    mrn_free(p);
}

static mrn_status pump(z_stream *z, int flush, bytes *out, mrn_message *msg)
{
    do {
        if (mrn_grow(&out->data, &out->capacity, out->n + 65536, 1))
            return mrn_fail_memory(msg);
        z->next_out = out->data + out->n;
        z->avail_out = (uInt)(out->capacity - out->n < 1 << 30 ? out->capacity - out->n : 1 << 30);
        uInt room = z->avail_out;
        int rc = deflate(z, flush);
        out->n += room - z->avail_out;
        if (rc == Z_STREAM_END)
            return MRN_OK;
        if (rc != Z_OK && rc != Z_BUF_ERROR)
            return mrn_fail(msg, MRN_ERR_INTERNAL, "compression failed (%d)", rc);
    } while (z->avail_in > 0 || z->avail_out == 0 || flush == Z_FINISH);
    return MRN_OK;
}

static mrn_status squeeze_rows(z_stream *z, const mrn_picture *p, rectangle r, uint8_t *work,
                               bytes *out, mrn_message *msg)
{
    int n = RGB * r.w;
    uint8_t *best = work, *trial = work + n + 1;
    mrn_status s = MRN_OK;
    for (int y = 0; !s && y < r.h; y++) {
        const uint8_t *row = p->rgb + RGB * ((int64_t)(r.y + y) * p->width + r.x);
        const uint8_t *up = y > 0 ? row - RGB * (int64_t)p->width : NULL;
        int64_t least = INT64_MAX;
        for (int f = 0; f < 5; f++) {
            trial[0] = (uint8_t)f;
            int64_t cost = filter_row(f, row, up, n, trial + 1);
            if (cost < least) {
                least = cost;
                memcpy(best, trial, (size_t)n + 1);
            }
        }
        z->next_in = best;
        z->avail_in = (uInt)n + 1;
        s = pump(z, Z_NO_FLUSH, out, msg);
    }
    return s ? s : pump(z, Z_FINISH, out, msg);
}

/* The rectangle of a picture as one zlib stream, appended to `out`. */
static mrn_status squeeze(const mrn_picture *p, rectangle r, bytes *out, mrn_message *msg)
{
    z_stream z = {.zalloc = zlib_take, .zfree = zlib_drop};
    uint8_t *work = mrn_alloc(2 * ((size_t)RGB * (size_t)r.w + 1));
    if (!work)
        return mrn_fail_memory(msg);
    mrn_status s;
    if (deflateInit(&z, 7) != Z_OK)
        s = mrn_fail_memory(msg);
    else
        s = squeeze_rows(&z, p, r, work, out, msg);
    deflateEnd(&z);
    mrn_free(work);
    return s;
}

/* ---- chunks ---- */

static bool chunk(FILE *f, const char *type, const uint8_t *data, int64_t n)
{
    uint8_t head[8], tail[4];
    put32(head, (uint32_t)n);
    memcpy(head + 4, type, 4);
    uLong crc = crc32(0, head + 4, 4);
    if (n > 0)
        crc = crc32_z(crc, data, (z_size_t)n);
    put32(tail, (uint32_t)crc);
    return fwrite(head, 1, 8, f) == 8 && fwrite(data, 1, (size_t)n, f) == (size_t)n &&
           fwrite(tail, 1, 4, f) == 4;
}

static bool write_head(FILE *f, int width, int height)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint8_t ihdr[13] = {0};
    put32(ihdr, (uint32_t)width);
    put32(ihdr + 4, (uint32_t)height);
    ihdr[8] = 8; /* bits */
    ihdr[9] = 2; /* red, green, blue */
    static const uint8_t srgb[1] = {0};
    return fwrite(signature, 1, 8, f) == 8 && chunk(f, "IHDR", ihdr, 13) &&
           chunk(f, "sRGB", srgb, 1);
}

static bool write_software(FILE *f)
{
    static const char text[] = "Software\0Moraine " MRN_VERSION;
    return chunk(f, "tEXt", (const uint8_t *)text, sizeof text - 1);
}

static mrn_status check_picture(const mrn_picture *p, mrn_message *msg)
{
    if (!p->rgb || p->width < 1 || p->height < 1)
        return mrn_fail(msg, MRN_ERR_RANGE, "an empty picture (%d x %d)", p->width, p->height);
    return MRN_OK;
}

static mrn_status write_failed(const char *path, mrn_message *msg)
{
    return mrn_fail_file(msg, path, "cannot write", errno ? errno : EIO);
}

mrn_status mrn_png_put(FILE *f, const mrn_picture *p, mrn_message *msg)
{
    bytes b = {0};
    mrn_status s = check_picture(p, msg);
    if (!s)
        s = squeeze(p, (rectangle){0, 0, p->width, p->height}, &b, msg);
    if (!s && !(write_head(f, p->width, p->height) && write_software(f) &&
                chunk(f, "IDAT", b.data, b.n) && chunk(f, "IEND", b.data, 0)))
        s = write_failed("PNG", msg);
    mrn_free(b.data);
    return s;
}

mrn_status mrn_png_write(const char *path, const mrn_picture *p, mrn_message *msg)
{
    mrn_atomic_file file;
    mrn_status s = check_picture(p, msg);
    if (!s)
        s = mrn_atomic_open(path, &file, msg);
    if (s)
        return s;
    s = mrn_png_put(file.f, p, msg);
    if (!s)
        return mrn_atomic_commit(&file, msg);
    mrn_atomic_abandon(&file);
    return s == MRN_ERR_IO ? write_failed(path, msg) : s;
}

/* ---- animation ---- */

struct mrn_apng {
    mrn_atomic_file file;
    int width, height, frames, done;
    uint32_t sequence;
    unsigned delay_num, delay_den;
    long actl_at;  /* place of the chunk that counts frames   */
    bool broken;   /* a write failed: the file is of no use   */
    uint8_t *last; /* the frame before                        */
    bytes buffer;
};

static bool write_actl(mrn_apng *a, int frames)
{
    uint8_t actl[8];
    put32(actl, (uint32_t)frames);
    put32(actl + 4, 0); /* plays for ever */
    return chunk(a->file.f, "acTL", actl, 8);
}

static void apng_release(mrn_apng *a)
{
    mrn_free(a->last);
    mrn_free(a->buffer.data);
    mrn_free(a);
}

/* Seconds as a ratio of 16-bit numbers. */
static void set_delay(mrn_apng *a, double seconds)
{
    a->delay_den = seconds < 6 ? 10000 : 1000;
    double n = floor(seconds * a->delay_den + 0.5);
    a->delay_num = n < 1 ? 1 : n > 65535 ? 65535 : (unsigned)n;
}

mrn_status mrn_apng_create(const char *path, int width, int height, int frames,
                           double seconds_per_frame, mrn_apng **out, mrn_message *msg)
{
    *out = NULL;
    if (width < 1 || height < 1 || width > 65535 || height > 65535 || frames < 1)
        return mrn_fail(msg, MRN_ERR_RANGE, "an animation of %d frames of %d x %d pixels", frames,
                        width, height);
    if (!(seconds_per_frame > 0) || !(seconds_per_frame <= 65))
        return mrn_fail(msg, MRN_ERR_RANGE, "%g s per frame: more than 0, at most 65",
                        seconds_per_frame);
    mrn_apng *a = mrn_alloc(sizeof *a);
    if (!a)
        return mrn_fail_memory(msg);
    a->width = width, a->height = height, a->frames = frames;
    set_delay(a, seconds_per_frame);
    mrn_status s = mrn_array(&a->last, RGB * (int64_t)width * height, 1, msg);
    if (!s)
        s = mrn_atomic_open(path, &a->file, msg);
    if (s) {
        apng_release(a);
        return s;
    }
    bool good = write_head(a->file.f, width, height) && (a->actl_at = ftell(a->file.f)) >= 0 &&
                write_actl(a, frames) && write_software(a->file.f);
    if (!good) {
        mrn_atomic_abandon(&a->file);
        apng_release(a);
        return write_failed(path, msg);
    }
    *out = a;
    return MRN_OK;
}

/* The smallest rectangle outside of which the frame equals the last one; one pixel when all is
 * equal. */
static rectangle changed(const mrn_apng *a, const mrn_picture *p)
{
    int x0 = p->width, x1 = -1, y0 = p->height, y1 = -1;
    size_t row = RGB * (size_t)p->width;
    for (int y = 0; y < p->height; y++) {
        const uint8_t *now = p->rgb + row * (size_t)y, *old = a->last + row * (size_t)y;
        if (memcmp(now, old, row) == 0)
            continue;
        y0 = y < y0 ? y : y0;
        y1 = y;
        int l = 0, r = p->width - 1;
        while (memcmp(now + RGB * l, old + RGB * l, RGB) == 0)
            l++;
        while (memcmp(now + RGB * r, old + RGB * r, RGB) == 0)
            r--;
        x0 = l < x0 ? l : x0;
        x1 = r > x1 ? r : x1;
    }
    if (x1 < 0)
        return (rectangle){0, 0, 1, 1};
    return (rectangle){x0, y0, x1 - x0 + 1, y1 - y0 + 1};
}

static bool write_fctl(mrn_apng *a, rectangle r)
{
    uint8_t c[26] = {0};
    put32(c, a->sequence++);
    put32(c + 4, (uint32_t)r.w);
    put32(c + 8, (uint32_t)r.h);
    put32(c + 12, (uint32_t)r.x);
    put32(c + 16, (uint32_t)r.y);
    put16(c + 20, a->delay_num);
    put16(c + 22, a->delay_den);
    return chunk(a->file.f, "fcTL", c, 26); /* dispose: none, blend: source */
}

static bool write_frame(mrn_apng *a, rectangle r)
{
    if (!write_fctl(a, r))
        return false;
    if (a->done == 0)
        return chunk(a->file.f, "IDAT", a->buffer.data + 4, a->buffer.n - 4);
    put32(a->buffer.data, a->sequence++);
    return chunk(a->file.f, "fdAT", a->buffer.data, a->buffer.n);
}

mrn_status mrn_apng_add(mrn_apng *a, const mrn_picture *p, mrn_message *msg)
{
    mrn_status s = check_picture(p, msg);
    if (s)
        return s;
    if (p->width != a->width || p->height != a->height)
        return mrn_fail(msg, MRN_ERR_RANGE, "a frame of %d x %d pixels in an animation of %d x %d",
                        p->width, p->height, a->width, a->height);
    if (a->done >= a->frames)
        return mrn_fail(msg, MRN_ERR_RANGE, "the animation holds its %d frames already", a->frames);
    rectangle all = {0, 0, p->width, p->height}, r = a->done ? changed(a, p) : all;
    if (mrn_grow(&a->buffer.data, &a->buffer.capacity, 4, 1))
        return mrn_fail_memory(msg);
    a->buffer.n = 4; /* room for the sequence number of fdAT */
    s = squeeze(p, r, &a->buffer, msg);
    if (s)
        return s;
    if (!write_frame(a, r)) {
        a->broken = true;
        return write_failed(a->file.path, msg);
    }
    memcpy(a->last, p->rgb, RGB * (size_t)p->width * (size_t)p->height);
    a->done++;
    return MRN_OK;
}

static bool finish(mrn_apng *a)
{
    FILE *f = a->file.f;
    if (!chunk(f, "IEND", a->buffer.data, 0))
        return false;
    if (a->done == a->frames)
        return true;
    /* fewer frames than announced: the count is put right */
    return fseek(f, a->actl_at, SEEK_SET) == 0 && write_actl(a, a->done) &&
           fseek(f, 0, SEEK_END) == 0;
}

mrn_status mrn_apng_close(mrn_apng **handle, mrn_message *msg)
{
    mrn_apng *a = *handle;
    if (!a)
        return MRN_OK;
    *handle = NULL;
    mrn_status s;
    if (a->done == 0)
        s = mrn_fail(msg, MRN_ERR_RANGE, "an animation without frames is not written");
    else if (a->broken || !finish(a))
        s = write_failed(a->file.path, msg);
    else
        s = mrn_atomic_commit(&a->file, msg);
    if (a->done == 0 || s)
        mrn_atomic_abandon(&a->file);
    apng_release(a);
    return s;
}
