/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays in VTK's XML files. Layout of compressed data: a header of UInt64 (blocks, size of a
   block, size of the last one if it is shorter, compressed size of each), base64 on its own; then
   the blocks, one base64. */
#include <string.h>
#include <zlib.h>

#include "export/vtk_xml.h"

#define BLOCK (1 << 16)

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTE_ORDER_NAME "LittleEndian"
#else
#define BYTE_ORDER_NAME "BigEndian"
#endif

void mrn_vtk_begin(FILE *out, const char *kind, double time)
{
    mrn_vtk_begin_with(out, kind, "", time);
}

void mrn_vtk_begin_with(FILE *out, const char *kind, const char *attributes, double time)
{
    char buf[32];
    fprintf(
        out,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" "
        "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n<%s%s>\n<FieldData>\n"
        "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%s"
        "</DataArray>\n</FieldData>\n",
        kind, BYTE_ORDER_NAME, kind, attributes, mrn_number_text(time, buf));
}

void mrn_vtk_end(FILE *out, const char *kind)
{
    fprintf(out, "</%s>\n</VTKFile>\n", kind);
}

static void base64(FILE *out, const unsigned char *p, size_t n)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        unsigned b = i + 1 < n ? p[i + 1] : 0, c = i + 2 < n ? p[i + 2] : 0;
        unsigned v = (unsigned)p[i] << 16 | b << 8 | c;
        char four[4] = {letter[v >> 18], letter[v >> 12 & 63],
                        i + 1 < n ? letter[v >> 6 & 63] : '=', i + 2 < n ? letter[v & 63] : '='};
        fwrite(four, 1, 4, out);
    }
}

/* Compresses `bytes` bytes in blocks into `packed`; header[3 + i] gets the size of block i. */
static mrn_status pack(const unsigned char *data, size_t bytes, uint64_t *header,
                       unsigned char *packed, size_t room, size_t *used, mrn_message *msg)
{
    *used = 0;
    for (size_t i = 0; i < header[0]; i++) {
        size_t left = bytes - i * BLOCK;
        uLongf size = room - *used;
        int code =
            compress2(packed + *used, &size, data + i * BLOCK, left < BLOCK ? left : BLOCK, 4);
        if (code == Z_MEM_ERROR)
            return mrn_fail_memory(msg);
        if (code != Z_OK)
            return mrn_fail(msg, MRN_ERR_INTERNAL, "zlib refuses to compress (%d)", code);
        header[3 + i] = size;
        *used += size;
    }
    return MRN_OK;
}

mrn_status mrn_vtk_put(FILE *out, const mrn_vtk_array *a, mrn_message *msg)
{
    size_t bytes = (size_t)a->n * (size_t)a->width * (size_t)a->bytes;
    size_t blocks = (bytes + BLOCK - 1) / BLOCK, room = blocks * compressBound(BLOCK), used = 0;
    uint64_t *header = NULL;
    unsigned char *packed = NULL;
    mrn_status st = mrn_array(&header, (int64_t)(3 + blocks), sizeof *header, msg);
    if (st == MRN_OK)
        st = mrn_array(&packed, (int64_t)room, 1, msg);
    if (st == MRN_OK) {
        header[0] = blocks;
        header[1] = BLOCK;
        header[2] = bytes % BLOCK;
        st = pack(a->data, bytes, header, packed, room, &used, msg);
    }
    if (st == MRN_OK) {
        fprintf(out,
                "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">",
                a->type, a->name, a->width);
        base64(out, (unsigned char *)header, (3 + blocks) * sizeof *header);
        base64(out, packed, used);
        fprintf(out, "</DataArray>\n");
    }
    mrn_free(header);
    mrn_free(packed);
    return st;
}
