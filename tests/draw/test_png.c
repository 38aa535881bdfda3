/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PNG and animated PNG files: libpng reads back what was written; the chunks of an animation are
   checked one by one against its specification, and every frame is decoded. */
/* ctest-needs: png */
#include "draw/draw_scenes.h"

#include <png.h>
#include <zlib.h>

static mrn_picture noise(int width, int height, uint64_t seed)
{
    mrn_picture p = {width, height, scene_array(3 * (size_t)width * (size_t)height, 1)};
    mrn_rng r = mrn_rng_seed(seed, 0);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < 3; c++) /* gradients, a flat part, noise: every filter has its turn
                                         */
                p.rgb[3 * (y * width + x) + c] =
                    (uint8_t)(x < width / 3   ? 5 * x + 3 * y + c
                              : x < width / 2 ? 77
                                              : (int)(mrn_rng_next(&r) >> 56));
    return p;
}

typedef struct file_bytes {
    uint8_t *data;
    size_t n;
} file_bytes;

static file_bytes read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    file_bytes b = {.n = (size_t)ftell(f)};
    rewind(f);
    b.data = malloc(b.n);
    assert_non_null(b.data);
    assert_int_equal(fread(b.data, 1, b.n, f), b.n);
    fclose(f);
    return b;
}

static uint32_t get32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void assert_decodes_to(const uint8_t *data, size_t n, const mrn_picture *p, int x, int y,
                              int w, int h)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_memory(&image, data, n));
    image.format = PNG_FORMAT_RGB;
    assert_int_equal(image.width, w);
    assert_int_equal(image.height, h);
    uint8_t *rgb = malloc(PNG_IMAGE_SIZE(image));
    assert_true(png_image_finish_read(&image, NULL, rgb, 0, NULL));
    for (int row = 0; row < h; row++)
        assert_memory_equal(rgb + 3 * row * w, p->rgb + 3 * ((y + row) * p->width + x),
                            3 * (size_t)w);
    free(rgb);
}

static void png_reads_back(void **state)
{
    (void)state;
    char dir[64], path[96], part[112];
    make_folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/a.png", dir);
    snprintf(part, sizeof part, "%s.part", path);
    const int size[3][2] = {{1, 1}, {7, 300}, {123, 45}};
    for (int k = 0; k < 3; k++) {
        mrn_picture p = noise(size[k][0], size[k][1], 7);
        assert_int_equal(mrn_png_write(path, &p, NULL), MRN_OK);
        file_bytes b = read_all(path);
        assert_decodes_to(b.data, b.n, &p, 0, 0, p.width, p.height);
        free(b.data);
        mrn_picture_destroy(&p);
    }
    assert_int_not_equal(access(part, F_OK), 0);
    remove_folder(dir);
}

static void png_tells_its_troubles(void **state)
{
    (void)state;
    mrn_message msg = {0};
    mrn_picture none = {0}, p = noise(4, 4, 1);
    assert_int_equal(mrn_png_write("/tmp/moraine-none.png", &none, &msg), MRN_ERR_RANGE);
    assert_int_equal(mrn_png_write("/nowhere/at/all.png", &p, &msg), MRN_ERR_IO);
    assert_true(msg.text[0] != 0);
    mrn_picture_destroy(&p);
}

/* Makes of one frame's data a PNG of its own and decodes that. */
static void assert_frame(const uint8_t *fctl, const uint8_t *data, size_t n, const mrn_picture *p)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint8_t *file = calloc(1, n + 100), *w = file;
    memcpy(w, signature, 8), w += 8;
    uint8_t ihdr[25] = {0, 0, 0, 13, 'I', 'H', 'D', 'R'};
    memcpy(ihdr + 8, fctl + 4, 8); /* width and height of the rectangle */
    ihdr[16] = 8, ihdr[17] = 2;
    uint32_t crc = (uint32_t)crc32(0, ihdr + 4, 17);
    for (int k = 0; k < 4; k++)
        ihdr[21 + k] = (uint8_t)(crc >> (24 - 8 * k));
    memcpy(w, ihdr, 25), w += 25;
    for (int k = 0; k < 4; k++)
        w[k] = (uint8_t)(n >> (24 - 8 * k));
    memcpy(w + 4, "IDAT", 4);
    memcpy(w + 8, data, n);
    crc = (uint32_t)crc32(0, w + 4, (uInt)n + 4);
    for (int k = 0; k < 4; k++)
        w[8 + n + (size_t)k] = (uint8_t)(crc >> (24 - 8 * k));
    w += 12 + n;
    static const uint8_t iend[12] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
    memcpy(w, iend, 12), w += 12;
    assert_decodes_to(file, (size_t)(w - file), p, (int)get32(fctl + 12), (int)get32(fctl + 16),
                      (int)get32(fctl + 4), (int)get32(fctl + 8));
    free(file);
}

/* Walks the chunks: lengths, checksums, order, sequence numbers; frames equal the pictures. */
static void assert_animation(const char *path, const mrn_picture *p, int frames)
{
    file_bytes b = read_all(path);
    size_t at = 8;
    uint32_t sequence = 0;
    int shown = 0, idat = 0, end = 0, n_actl = 0;
    const uint8_t *fctl = NULL;
    while (at < b.n) {
        assert_true(at + 12 <= b.n);
        uint32_t n = get32(b.data + at);
        const uint8_t *type = b.data + at + 4, *data = type + 4;
        assert_true(at + 12 + n <= b.n);
        assert_int_equal(get32(data + n), crc32(0, type, n + 4));
        if (memcmp(type, "IHDR", 4) == 0)
            assert_int_equal(at, 8);
        if (memcmp(type, "acTL", 4) == 0) {
            assert_int_equal(idat + shown, 0); /* before the first picture */
            assert_int_equal(get32(data), frames);
            n_actl++;
        }
        if (memcmp(type, "fcTL", 4) == 0) {
            assert_int_equal(n, 26);
            assert_int_equal(get32(data), sequence++);
            assert_null(fctl); /* each is followed by its picture */
            fctl = data;
        }
        if (memcmp(type, "IDAT", 4) == 0) {
            assert_non_null(fctl);
            assert_frame(fctl, data, n, &p[shown++]);
            fctl = NULL;
            idat++;
        }
        if (memcmp(type, "fdAT", 4) == 0) {
            assert_non_null(fctl);
            assert_int_equal(get32(data), sequence++);
            assert_frame(fctl, data + 4, n - 4, &p[shown++]);
            fctl = NULL;
        }
        end = memcmp(type, "IEND", 4) == 0;
        at += 12 + n;
    }
    assert_int_equal(at, b.n);
    assert_int_equal(n_actl, 1);
    assert_int_equal(idat, 1);
    assert_int_equal(shown, frames);
    assert_true(end);
    assert_decodes_to(b.data, b.n, &p[0], 0, 0, p->width, p->height); /* and as a plain PNG */
    free(b.data);
}

static void animation_is_valid(void **state)
{
    (void)state;
    char dir[64], path[96];
    make_folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/m.png", dir);
    mrn_picture p[5];
    for (int k = 0; k < 5; k++)
        p[k] = noise(61, 37, (uint64_t)(k / 2)); /* 0 = 1, 2 = 3: frames that do not change */
    p[4].rgb[3 * (20 * 61 + 30)] ^= 255;
    /* announced and written: as many; and one that ends early */
    for (int announced = 5; announced <= 9; announced += 4) {
        mrn_apng *a = NULL;
        assert_int_equal(mrn_apng_create(path, 61, 37, announced, 0.04, &a, NULL), MRN_OK);
        for (int k = 0; k < 5; k++)
            assert_int_equal(mrn_apng_add(a, &p[k], NULL), MRN_OK);
        assert_int_equal(mrn_apng_close(&a, NULL), MRN_OK);
        assert_null(a);
        assert_animation(path, p, 5);
    }
    for (int k = 0; k < 5; k++)
        mrn_picture_destroy(&p[k]);
    remove_folder(dir);
}

static void animation_refuses(void **state)
{
    (void)state;
    char dir[64], path[96];
    mrn_message msg = {0};
    mrn_apng *a = NULL;
    make_folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/m.png", dir);
    assert_int_equal(mrn_apng_create(path, 0, 5, 1, 0.1, &a, &msg), MRN_ERR_RANGE);
    assert_int_equal(mrn_apng_create(path, 5, 5, 0, 0.1, &a, &msg), MRN_ERR_RANGE);
    assert_int_equal(mrn_apng_create(path, 5, 5, 1, 0, &a, &msg), MRN_ERR_RANGE);
    assert_int_equal(mrn_apng_create("/nowhere/m.png", 5, 5, 1, 0.1, &a, &msg), MRN_ERR_IO);
    assert_null(a);
    assert_int_equal(mrn_apng_create(path, 5, 5, 1, 0.1, &a, &msg), MRN_OK);
    assert_int_equal(mrn_apng_close(&a, &msg), MRN_ERR_RANGE); /* no frames: no file */
    assert_int_not_equal(access(path, F_OK), 0);
    mrn_picture p = noise(5, 5, 1), wide = noise(6, 5, 1);
    assert_int_equal(mrn_apng_create(path, 5, 5, 1, 0.1, &a, &msg), MRN_OK);
    assert_int_equal(mrn_apng_add(a, &wide, &msg), MRN_ERR_RANGE);
    assert_int_equal(mrn_apng_add(a, &p, &msg), MRN_OK);
    assert_int_equal(mrn_apng_add(a, &p, &msg), MRN_ERR_RANGE);
    assert_int_not_equal(access(path, F_OK), 0); /* nothing under the name before it is whole */
    assert_int_equal(mrn_apng_close(&a, &msg), MRN_OK);
    assert_int_equal(access(path, F_OK), 0);
    mrn_picture_destroy(&p);
    mrn_picture_destroy(&wide);
    remove_folder(dir);
}

static mrn_status write_both(const char *path, const mrn_picture *p)
{
    mrn_apng *a = NULL;
    mrn_message msg = {0}, late = {0};
    mrn_status s = mrn_png_write(path, p, &msg);
    if (!s)
        s = mrn_apng_create(path, p->width, p->height, 2, 0.1, &a, &msg);
    for (int k = 0; !s && k < 2; k++)
        s = mrn_apng_add(a, p, &msg);
    mrn_status closed = mrn_apng_close(&a, &late);
    return s ? s : closed;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char dir[64], path[96];
    make_folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/m.png", dir);
    mrn_picture p = noise(40, 30, 1);
    size_t before = mrn_bytes_in_use();
    mrn_status s = MRN_ERR_MEMORY;
    int k = 0;
    while (s == MRN_ERR_MEMORY) {
        mrn_alloc_fail_at(++k);
        s = write_both(path, &p);
        mrn_alloc_fail_at(0);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_int_equal(s, MRN_OK);
    assert_true(k > 5);
    mrn_picture_destroy(&p);
    remove_folder(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_reads_back),
        cmocka_unit_test(png_tells_its_troubles),
        cmocka_unit_test(animation_is_valid),
        cmocka_unit_test(animation_refuses),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
