/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Export as GSD 2.0 with the HOOMD schema 1.4 and shapes, for OVITO. Written from the public
   description of the format (file layer and schema pages of the GSD documentation): a header of 256
   bytes, chunks of plain little-endian numbers, an index of 32 bytes per chunk sorted by frame and
   name, a list of names. */
#include <stdarg.h>
#include <string.h>

#include "export/export.h"

typedef enum chunk_name { /* the order in the list of names, and in each frame */
                          STEP,
                          DIMENSIONS,
                          BOX,
                          COUNT,
                          TYPES,
                          TYPE_SHAPES,
                          TYPEID,
                          MASS,
                          DIAMETER,
                          POSITION,
                          ORIENTATION,
                          VELOCITY,
                          IMAGE,
                          LOG_TIME,
                          LOG_ID,
                          LOG_CLUSTER,
                          LOG_SPIN,
                          LOG_FORCE,
                          N_NAMES
} chunk_name;

static const char *const name_text[N_NAMES] = {"configuration/step",
                                               "configuration/dimensions",
                                               "configuration/box",
                                               "particles/N",
                                               "particles/types",
                                               "particles/type_shapes",
                                               "particles/typeid",
                                               "particles/mass",
                                               "particles/diameter",
                                               "particles/position",
                                               "particles/orientation",
                                               "particles/velocity",
                                               "particles/image",
                                               "log/time",
                                               "log/particles/id",
                                               "log/particles/cluster",
                                               "log/particles/angular_velocity",
                                               "log/particles/force"};

typedef enum chunk_type { U8 = 1, U32 = 3, U64 = 4, I8 = 5, I32 = 7, F32 = 9, F64 = 10 } chunk_type;

typedef struct file_header {
    uint64_t magic, index_location, index_entries, names_location, names_entries;
    uint32_t schema_version, gsd_version;
    char application[64], schema[64], reserved[80];
} file_header;
_Static_assert(sizeof(file_header) == 256, "the header of a GSD file has 256 bytes");

typedef struct index_entry {
    uint64_t frame, n;
    int64_t location;
    uint32_t m;
    uint16_t name;
    uint8_t type, flags;
} index_entry;
_Static_assert(sizeof(index_entry) == 32, "an index entry of a GSD file has 32 bytes");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "GSD is written as it lies in memory");

typedef struct job {
    mrn_trajectory *t;
    mrn_header header;
    FILE *out;
    index_entry *entry;
    int64_t n_entries, room;
    uint64_t frame;            /* in the GSD file                                  */
    double centre[3], size[3]; /* of the box; periodic directions: of the frame    */
    double tilt[3];            /* of the box, as factors: xy, xz, yz               */
    uint32_t first_count;      /* particles in frame 0                             */
    mrn_message *msg;
} job;

static size_t type_size(chunk_type t)
{
    return t == U8 || t == I8 ? 1 : t == U32 || t == I32 || t == F32 ? 4 : 8;
}

/* Ends a chunk that begins at `start` and notes it. */
static mrn_status note_chunk(job *j, chunk_name name, chunk_type type, uint64_t n, uint32_t m,
                             long start)
{
    if (mrn_grow(&j->entry, &j->room, j->n_entries + 1, sizeof *j->entry) != MRN_OK)
        return mrn_fail_memory(j->msg);
    j->entry[j->n_entries++] =
        (index_entry){j->frame, n, start, m, (uint16_t)name, (uint8_t)type, 0};
    return MRN_OK;
}

static mrn_status chunk(job *j, chunk_name name, chunk_type type, uint64_t n, uint32_t m,
                        const void *data)
{
    long start = ftell(j->out);
    fwrite(data, type_size(type), (size_t)n * m, j->out);
    return note_chunk(j, name, type, n, m, start);
}

/* ---- the box ---- */

/* The box of a GSD file is centred on 0 and holds every particle. Where the scene is not periodic
   it is made symmetric about 0, so that coordinates stay what they are; where it is, they are
   counted from the middle of the cell. */
static mrn_status measure_box(job *j, int64_t first, int64_t last, int64_t stride)
{
    double reach[3] = {0}, widest = 0;
    mrn_status st = MRN_OK;
    for (int64_t k = first; st == MRN_OK && k <= last; k += stride) {
        mrn_frame f = {0};
        st = mrn_trajectory_read(j->t, k, &f, j->msg);
        for (int32_t i = 0; st == MRN_OK && i < f.n; i++) {
            double r = mrn_frame_bound(&j->header, &f, i);
            widest = fmax(widest, 2 * r);
            for (size_t c = 0; c < 3; c++)
                reach[c] = fmax(reach[c], fabs(f.x[3 * (size_t)i + c]) + r);
        }
        mrn_frame_destroy(&f);
    }
    for (int c = 0; c < 3; c++)
        j->size[c] = reach[c] > 0 ? 2.02 * reach[c] : 1;
    if (j->header.dimension == 2)
        j->size[2] = widest > 0 ? widest : 1;
    return st;
}

static void frame_box(job *j, const mrn_frame *f)
{
    double middle[3];
    mrn_store3(middle, mrn_frame_shift(f, 0.5, 0.5, 0.5));
    for (int c = 0; c < 3; c++) {
        j->centre[c] = f->periodic[c] ? f->cell_origin[c] + middle[c] : 0;
        if (f->periodic[c] && f->cell_size[c] > 0)
            j->size[c] = f->cell_size[c];
    }
    mrn_vec3 b = mrn_frame_edge(f, 1), c = mrn_frame_edge(f, 2);
    j->tilt[0] = b.x / j->size[1];
    j->tilt[1] = c.x / j->size[2];
    j->tilt[2] = c.y / j->size[2];
}

/* ---- types and shapes ---- */

/* Types are the groups of grains, then the walls, then the polytopes. */
static int type_of(const job *j, const mrn_frame *f, size_t i)
{
    if (mrn_frame_polytope(&j->header, f, (int32_t)i) != NULL)
        return j->header.n_groups + j->header.n_walls + f->part[i];
    return i < (size_t)f->n_walls ? j->header.n_groups + (int)i : f->group[i];
}

static int types_of(const job *j)
{
    return j->header.n_groups + j->header.n_walls + j->header.n_polytopes;
}

/* Names of polytopes get their number: the schema wants no two types alike. */
static mrn_status put_types(job *j)
{
    long start = ftell(j->out);
    fwrite(j->header.group_name, MRN_NAME, (size_t)j->header.n_groups, j->out);
    fwrite(j->header.wall_name, MRN_NAME, (size_t)j->header.n_walls, j->out);
    for (int i = 0; i < j->header.n_polytopes; i++) {
        char name[MRN_NAME] = "";
        snprintf(name, sizeof name, "%.*s.%d", MRN_NAME - 13, j->header.polytope[i].name, i);
        fwrite(name, MRN_NAME, 1, j->out);
    }
    return note_chunk(j, TYPES, I8, (uint64_t)types_of(j), MRN_NAME, start);
}

/* A text that grows; `failed` once memory ran out. */
typedef struct text_buffer {
    char *text;
    int64_t n, room;
    bool failed;
} text_buffer;

MRN_PRINTF(2, 3) static void add_text(text_buffer *b, const char *fmt, ...)
{
    char piece[256];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(piece, sizeof piece, fmt, args);
    va_end(args);
    if (b->failed || mrn_grow(&b->text, &b->room, b->n + n + 1, 1) != MRN_OK) {
        b->failed = true;
        return;
    }
    memcpy(b->text + b->n, piece, (size_t)n + 1);
    b->n += n;
}

static void add_mesh(text_buffer *b, const mrn_triangles *t)
{
    if (t->n_points < 3 || t->n_triangles < 1) {
        add_text(b, "{}");
        return;
    }
    add_text(b, "{\"type\": \"Mesh\", \"vertices\": [");
    for (int i = 0; i < t->n_points; i++)
        add_text(b, "%s[%.9g, %.9g, %.9g]", i > 0 ? ", " : "", t->point[3 * i], t->point[3 * i + 1],
                 t->point[3 * i + 2]);
    add_text(b, "], \"indices\": [");
    for (int i = 0; i < t->n_triangles; i++)
        add_text(b, "%s[%d, %d, %d]", i > 0 ? ", " : "", (int)t->corner[3 * i],
                 (int)t->corner[3 * i + 1], (int)t->corner[3 * i + 2]);
    add_text(b, "]}");
}

static void add_points(text_buffer *b, const mrn_convex *c)
{
    for (int k = 0; k < c->n_points; k++) {
        /* corners of a polygon in their order */
        const double *p = c->point + 3 * (c->dimension == 2 ? c->corner[2 * k] : k);
        if (c->dimension == 2)
            add_text(b, "%s[%.9g, %.9g]", k > 0 ? ", " : "", p[0], p[1]);
        else
            add_text(b, "%s[%.9g, %.9g, %.9g]", k > 0 ? ", " : "", p[0], p[1], p[2]);
    }
}

/* The faces of all parts as triangles: for grains that are not convex. */
static void add_parts(text_buffer *b, const mrn_polytope *f)
{
    int first = 0, n = 0;
    add_text(b, "{\"type\": \"Mesh\", \"vertices\": [");
    for (int i = 0; i < f->n_parts; i++)
        for (int k = 0; k < f->part[i].n_points; k++) {
            const double *p = f->part[i].point + 3 * k;
            add_text(b, "%s[%.9g, %.9g, %.9g]", n++ > 0 ? ", " : "", p[0], p[1], p[2]);
        }
    add_text(b, "], \"indices\": [");
    n = 0;
    for (int i = 0; i < f->n_parts; i++) {
        const mrn_convex *c = &f->part[i];
        for (int k = 0; c->dimension == 2 && k + 2 < c->n_points; k++)
            add_text(b, "%s[%d, %d, %d]", n++ > 0 ? ", " : "", first + (int)c->corner[0],
                     first + (int)c->corner[2 * (k + 1)], first + (int)c->corner[2 * (k + 2)]);
        for (int k = 0; c->dimension == 3 && k < c->n_faces; k++)
            for (int32_t e = c->face_start[k]; e + 2 < c->face_start[k + 1]; e++)
                add_text(b, "%s[%d, %d, %d]", n++ > 0 ? ", " : "",
                         first + (int)c->corner[c->face_start[k]], first + (int)c->corner[e + 1],
                         first + (int)c->corner[e + 2]);
        first += c->n_points;
    }
    add_text(b, "]}");
}

static void add_polytope(text_buffer *b, const mrn_polytope *f)
{
    if (f->n_parts > 1) {
        add_parts(b, f);
        return;
    }
    add_text(b, "{\"type\": \"%s\", \"rounding_radius\": 0, \"vertices\": [",
             f->dimension == 2 ? "Polygon" : "ConvexPolyhedron");
    add_points(b, &f->part[0]);
    add_text(b, "]}");
}

/* The shape of a group: the schema wants one diameter per type (each particle has its own as well).
 */
static void add_sphere(text_buffer *b, const mrn_frame *f, int group)
{
    double widest = 0;
    for (int32_t i = f->n_walls; i < f->n; i++)
        if (f->group[i] == group && !(f->flags[i] & MRN_BODY_POLYTOPE))
            widest = fmax(widest, 2 * f->radius[i]);
    if (widest > 0)
        add_text(b, "{\"type\": \"Sphere\", \"diameter\": %.9g}", widest);
    else
        add_text(b, "{}");
}

/* One text per type, each with its final zero, in a row. */
static mrn_status shape_texts(const job *j, const mrn_frame *f, int n, text_buffer *out)
{
    for (int i = 0; i < n; i++) {
        if (i < j->header.n_groups)
            add_sphere(out, f, i);
        else if (i < j->header.n_groups + j->header.n_walls)
            add_mesh(out, &j->header.wall[i - j->header.n_groups]);
        else
            add_polytope(out, &j->header.polytope[i - j->header.n_groups - j->header.n_walls]);
        out->n++; /* keep the zero */
    }
    return out->failed ? mrn_fail_memory(j->msg) : MRN_OK;
}

/* The texts as rows of one matrix, as wide as the longest. */
static mrn_status put_shapes(job *j, const mrn_frame *f)
{
    int n = types_of(j);
    text_buffer b = {0};
    mrn_status st = shape_texts(j, f, n, &b);
    size_t widest = 1;
    long start = ftell(j->out);
    const char *p = b.text;
    for (int i = 0; st == MRN_OK && i < n; i++, p += strlen(p) + 1)
        widest = strlen(p) + 1 > widest ? strlen(p) + 1 : widest;
    p = b.text;
    for (int i = 0; st == MRN_OK && i < n; i++, p += strlen(p) + 1) {
        fwrite(p, 1, strlen(p), j->out);
        for (size_t k = strlen(p); k < widest; k++)
            fputc('\0', j->out);
    }
    mrn_free(b.text);
    return st == MRN_OK ? note_chunk(j, TYPE_SHAPES, I8, (uint64_t)n, (uint32_t)widest, start) : st;
}

/* ---- particles ---- */

/* Bodies in the order of the file: walls that are there, then grains by id. */
typedef struct listing {
    int32_t *body;
    uint32_t n;
} listing;

static mrn_status list_bodies(const mrn_frame *f, listing *out, mrn_message *msg)
{
    int32_t *order = NULL;
    mrn_status st = mrn_array(&out->body, f->n, sizeof *out->body, msg);
    if (st == MRN_OK)
        st = mrn_export_order(f, &order, msg);
    for (int32_t i = 0; st == MRN_OK && i < f->n; i++) {
        int32_t body = i < f->n_walls ? i : order[i - f->n_walls];
        if (!(f->flags[body] & MRN_BODY_ABSENT))
            out->body[out->n++] = body;
    }
    mrn_free(order);
    return st;
}

static mrn_status put_floats(job *j, chunk_name name, const listing *l, const double *from,
                             int width, double factor)
{
    float *v;
    if (mrn_array(&v, (int64_t)l->n * width, sizeof *v, j->msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    for (size_t i = 0; i < l->n; i++)
        for (int c = 0; c < width; c++)
            v[i * (size_t)width + (size_t)c] =
                (float)(factor * from[(size_t)l->body[i] * (size_t)width + (size_t)c]);
    mrn_status st = chunk(j, name, F32, l->n, (uint32_t)width, v);
    mrn_free(v);
    return st;
}

/* Takes off whole edges along each direction, the last one first, so that v is in the box; counts
   them in `image`. Edge c is size[c] times (factor of c on the axes before it, 1). */
static void into_box(const bool periodic[3], const double size[3], const double tilt[3],
                     double v[3], int32_t image[3])
{
    for (int c = 2; c >= 0; c--) {
        if (!periodic[c] || !(size[c] > 0))
            continue;
        double z = v[2], y = v[1] - tilt[2] * z, x = v[0] - tilt[0] * y - tilt[1] * z;
        double cells = floor((c == 2 ? z : c == 1 ? y : x) / size[c] + 0.5);
        image[c] += (int32_t)cells;
        v[c] -= cells * size[c];
        if (c == 2)
            v[1] -= cells * size[2] * tilt[2];
        if (c >= 1)
            v[0] -= cells * size[c] * tilt[c - 1];
    }
}

/* Coordinates from the middle of the box, inside it also after rounding both to single precision;
   what is taken off is added to the image. */
static void fold(const job *j, const mrn_frame *f, size_t body, float x[3], int32_t image[3])
{
    double v[3], size[3], tilt[3];
    for (size_t c = 0; c < 3; c++) {
        v[c] = f->x[3 * body + c] - j->centre[c];
        image[c] = f->image[3 * body + c];
        size[c] = (float)j->size[c];
        tilt[c] = (float)j->tilt[c];
    }
    into_box(f->periodic, j->size, j->tilt, v, image);
    for (int c = 0; c < 3; c++)
        v[c] = (float)v[c];
    into_box(f->periodic, size, tilt, v, image);
    for (int c = 0; c < 3; c++)
        x[c] = (float)v[c];
}

static mrn_status put_positions(job *j, const mrn_frame *f, const listing *l, bool images)
{
    float *x = NULL;
    int32_t *image = NULL;
    mrn_status st = mrn_array(&x, 3 * (int64_t)l->n, sizeof *x, j->msg);
    if (st == MRN_OK)
        st = mrn_array(&image, 3 * (int64_t)l->n, sizeof *image, j->msg);
    for (size_t i = 0; st == MRN_OK && i < l->n; i++)
        fold(j, f, (size_t)l->body[i], x + 3 * i, image + 3 * i);
    if (st == MRN_OK)
        st = images ? chunk(j, IMAGE, I32, l->n, 3, image) : chunk(j, POSITION, F32, l->n, 3, x);
    mrn_free(x);
    mrn_free(image);
    return st;
}

/* A wall gets diameter 2: OVITO scales a mesh by its particle's radius, which is then 1. */
static mrn_status put_diameters(job *j, const mrn_frame *f, const listing *l)
{
    float *d;
    if (mrn_array(&d, l->n, sizeof *d, j->msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    for (size_t i = 0; i < l->n; i++)
        d[i] = l->body[i] < f->n_walls ? 2 : (float)(2 * f->radius[l->body[i]]);
    mrn_status st = chunk(j, DIAMETER, F32, l->n, 1, d);
    mrn_free(d);
    return st;
}

static mrn_status put_integers(job *j, const mrn_frame *f, const listing *l, chunk_name name)
{
    int32_t *v;
    if (mrn_array(&v, l->n, sizeof *v, j->msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    for (size_t i = 0; i < l->n; i++) {
        size_t body = (size_t)l->body[i];
        v[i] = name == TYPEID   ? type_of(j, f, body)
               : name == LOG_ID ? f->id[body]
                                : f->parent[body];
    }
    mrn_status st = chunk(j, name, name == TYPEID ? U32 : I32, l->n, 1, v);
    mrn_free(v);
    return st;
}

static mrn_status put_head(job *j, const mrn_frame *f, uint32_t count)
{
    uint64_t step = (uint64_t)f->step;
    uint8_t dimension = (uint8_t)j->header.dimension;
    float box[6] = {(float)j->size[0], (float)j->size[1], (float)j->size[2],
                    (float)j->tilt[0], (float)j->tilt[1], (float)j->tilt[2]};
    mrn_status st = chunk(j, STEP, U64, 1, 1, &step);
    if (st == MRN_OK)
        st = chunk(j, DIMENSIONS, U8, 1, 1, &dimension);
    if (st == MRN_OK)
        st = chunk(j, BOX, F32, 6, 1, box);
    if (st == MRN_OK)
        st = chunk(j, COUNT, U32, 1, 1, &count);
    if (j->frame == 0)
        j->first_count = count;
    /* what a frame lacks is taken from frame 0 only when both have as many particles */
    if (st == MRN_OK && (j->frame == 0 || count != j->first_count)) {
        st = put_types(j);
        st = st == MRN_OK ? put_shapes(j, f) : st;
    }
    return st;
}

static mrn_status put_particles(job *j, const mrn_frame *f, const listing *l)
{
    mrn_status st = put_integers(j, f, l, TYPEID);
    st = st == MRN_OK ? put_floats(j, MASS, l, f->mass, 1, 1) : st;
    st = st == MRN_OK ? put_diameters(j, f, l) : st;
    st = st == MRN_OK ? put_positions(j, f, l, false) : st;
    st = st == MRN_OK ? put_floats(j, ORIENTATION, l, f->q, 4, 1) : st;
    st = st == MRN_OK ? put_floats(j, VELOCITY, l, f->v, 3, 1) : st;
    st = st == MRN_OK ? put_positions(j, f, l, true) : st;
    st = st == MRN_OK ? chunk(j, LOG_TIME, F64, 1, 1, &f->time) : st;
    st = st == MRN_OK ? put_integers(j, f, l, LOG_ID) : st;
    st = st == MRN_OK ? put_integers(j, f, l, LOG_CLUSTER) : st;
    st = st == MRN_OK ? put_floats(j, LOG_SPIN, l, f->w, 3, 1) : st;
    st = st == MRN_OK ? put_floats(j, LOG_FORCE, l, f->f, 3, 1) : st;
    return st;
}

static mrn_status check_groups(const job *j, const mrn_frame *f)
{
    bool sound = f->n_walls == j->header.n_walls;
    for (int32_t i = f->n_walls; sound && i < f->n; i++)
        sound = f->group[i] < j->header.n_groups;
    return sound
               ? MRN_OK
               : mrn_fail(j->msg, MRN_ERR_IO,
                          "the trajectory is damaged: a frame has walls or groups without a name");
}

static mrn_status put_frame(job *j, int64_t k)
{
    mrn_frame f = {0};
    listing l = {0};
    mrn_status st = mrn_trajectory_read(j->t, k, &f, j->msg);
    if (st == MRN_OK)
        st = check_groups(j, &f);
    if (st == MRN_OK)
        st = list_bodies(&f, &l, j->msg);
    if (st == MRN_OK) {
        frame_box(j, &f);
        st = put_head(j, &f, l.n);
    }
    if (st == MRN_OK)
        st = put_particles(j, &f, &l);
    j->frame++;
    mrn_free(l.body);
    mrn_frame_destroy(&f);
    return st;
}

/* ---- the file ---- */

/* Index and names stand at the end; the header, written last, says where. */
static void put_tail(job *j)
{
    char names[1024] = "";
    size_t used = 0;
    for (int i = 0; i < N_NAMES; i++) {
        size_t n = strlen(name_text[i]) + 1;
        memcpy(names + used, name_text[i], n);
        used += n;
    }
    used++; /* an empty name ends the list */
    size_t blocks = (used + 63) / 64;
    index_entry end = {0};
    file_header head = {.magic = UINT64_C(0x65DF65DF65DF65DF),
                        .schema_version = 1u << 16 | 4,
                        .gsd_version = 2u << 16,
                        .application = "moraine " MRN_VERSION,
                        .schema = "hoomd",
                        .index_entries = (uint64_t)j->n_entries + 1,
                        .names_entries = blocks};
    while (ftell(j->out) % 64 != 0) /* entries are read in place: keep them aligned */
        fputc('\0', j->out);
    head.index_location = (uint64_t)ftell(j->out);
    fwrite(j->entry, sizeof *j->entry, (size_t)j->n_entries, j->out);
    fwrite(&end, sizeof end, 1, j->out);
    head.names_location = (uint64_t)ftell(j->out);
    fwrite(names, 64, blocks, j->out);
    rewind(j->out);
    fwrite(&head, sizeof head, 1, j->out);
}

static mrn_status write_file(mrn_trajectory *t, int64_t first, int64_t last, int64_t stride,
                             const char *out_path, mrn_message *msg)
{
    job j = {.t = t, .msg = msg};
    mrn_atomic_file file = {0};
    mrn_status st = mrn_export_range(t, &first, &last, stride, msg);
    if (st == MRN_OK)
        st = mrn_trajectory_header(t, &j.header, msg);
    if (st == MRN_OK)
        st = measure_box(&j, first, last, stride);
    if (st == MRN_OK)
        st = mrn_atomic_open(out_path, &file, msg);
    if (st == MRN_OK) {
        static const char blank[sizeof(file_header)];
        j.out = file.f;
        fwrite(blank, sizeof blank, 1, j.out);
    }
    for (int64_t k = first; st == MRN_OK && k <= last; k += stride)
        st = put_frame(&j, k);
    if (st == MRN_OK) {
        put_tail(&j);
        st = mrn_atomic_commit(&file, msg);
    }
    mrn_atomic_abandon(&file);
    mrn_free(j.entry);
    mrn_header_destroy(&j.header);
    return st;
}

const mrn_export_format mrn_export_gsd = {
    .name = "gsd",
    .extension = "gsd",
    .summary = "GSD (HOOMD schema) with shapes, for OVITO",
    .doc =
        "One binary GSD 2.0 file with the HOOMD schema 1.4. Walls come first, as particles with a "
        "Mesh "
        "shape, then the grains sorted by id; types are the groups and walls by name, and the "
        "forms of polygons and polyhedra (Polygon or ConvexPolyhedron; Mesh where they are not "
        "convex) named NAME.NUMBER. The corners of a form are given at unit size: it stands "
        "multiplied by half the particle's diameter, which is that of the sphere (disk) of equal "
        "volume (OVITO scales shapes so). Single precision, "
        "SI units. The box is centred on 0: where the scene is periodic it is the cell and "
        "coordinates are counted from its middle; elsewhere it is made wide enough around 0 and "
        "coordinates are unchanged. log/time holds the time, log/particles the moraine id, number "
        "of "
        "the cluster (-1: none), angular velocity and force of each particle.",
    .write = write_file,
};
