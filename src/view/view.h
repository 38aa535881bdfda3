/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the viewer share. A request is a path and a few wishes; its answer is bytes
   that this room made: no file is ever passed on as it is. */
#ifndef MRN_VIEW_VIEW_H
#define MRN_VIEW_VIEW_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"
#include "base/buffer.h"
#include "moraine/draw.h"
#include "moraine/view.h"

#define MRN_VIEW_PATH 1200
#define MRN_VIEW_CACHED                                                                            \
    8 /* frames of a file kept in memory: more than are sampled at the opening */

typedef struct mrn_view_slot {
    int64_t k; /* -1: empty */
    int64_t used;
    mrn_frame frame;
} mrn_view_slot;

struct mrn_viewer {
    pthread_mutex_t lock; /* all below but the last two: requests, and frames of a run */
    char file[MRN_VIEW_PATH], dir[MRN_VIEW_PATH], modes[MRN_VIEW_PATH]; /* dir "": none */
    mrn_header header;
    /* of a file */
    mrn_trajectory *t;
    int64_t file_size, file_time; /* as it was opened, to see that it grew */
    mrn_view_slot slot[MRN_VIEW_CACHED];
    int64_t uses;
    mrn_frame first; /* where displacements count from */
    bool has_first;
    /* of a run in progress */
    bool live;
    int64_t n_kept, kept_room, every, offered; /* every: each so-manieth frame offered is kept */
    mrn_frame *kept;
    double kept_bytes, last_clock, cost;
    int64_t epoch; /* changes when frames get other numbers */
    double lo[3], hi[3];
    bool has_extent;
    /* of the server */
    struct MHD_Daemon *daemon;
    char token[40], address[96];
    int port;
    _Atomic int64_t asked_at; /* ns of the last request; 0: none */
};

/* ---- where frames come from (source.c); the lock is held ---- */

int64_t mrn_view_frames(const mrn_viewer *v);
double mrn_view_time(const mrn_viewer *v, int64_t k);
/* Valid until the next call. */
mrn_status mrn_view_frame(mrn_viewer *v, int64_t k, const mrn_frame **out, mrn_message *msg);
/* The first frame, for displacements; NULL: there is none. */
const mrn_frame *mrn_view_first(mrn_viewer *v);
/* Looks whether the file of a run that goes on has grown. */
void mrn_view_refresh(mrn_viewer *v);
bool mrn_view_running(const mrn_viewer *v);
/* A small file of the folder as text, to be given to mrn_free; NULL: not there, a link, too large.
 */
char *mrn_view_file(const mrn_viewer *v, const char *name, int64_t most);
/* Path of a file of the folder; false: there is none. */
bool mrn_view_name(const mrn_viewer *v, const char *name, char out[MRN_VIEW_PATH]);
bool mrn_view_has(const mrn_viewer *v, const char *name);
/* All but the server. */
void mrn_view_release(mrn_viewer *v);

/* ---- bytes (encode.c) ---- */

typedef struct mrn_view_wish {
    const char *const *fields; /* values wanted */
    int n_fields;
    bool contacts, whole; /* whole: with what rarely changes, even if the key fits */
    bool small;           /* numbers of 16 bits where that is enough to see        */
    uint64_t have;        /* key of what the reader has                            */
} mrn_view_wish;
mrn_status mrn_view_encode(mrn_viewer *v, int64_t k, const mrn_view_wish *w, mrn_buffer *out,
                           mrn_message *msg);
/* The head of a binary answer in front of `arrays`: its length, the head itself. */
void mrn_view_pack(mrn_buffer *out, const mrn_buffer *head, const mrn_buffer *arrays);
void mrn_view_align(mrn_buffer *t); /* to 8 bytes */
/* A look with colours by this field, counted from the first frame. */
mrn_look mrn_view_look(mrn_viewer *v, const char *field);

/* ---- words (describe.c) ---- */

void mrn_view_quote(mrn_buffer *t, const char *text); /* as a JSON string        */
void mrn_view_number(mrn_buffer *t, double v);        /* null when it is not finite */
mrn_status mrn_view_info(mrn_viewer *v, mrn_buffer *out, mrn_message *msg);
mrn_status mrn_view_status(mrn_viewer *v, int64_t from, mrn_buffer *out);
mrn_status mrn_view_range(mrn_viewer *v, const char *field, mrn_buffer *out, mrn_message *msg);
mrn_status mrn_view_grain(mrn_viewer *v, int64_t k, int64_t id, mrn_buffer *out, mrn_message *msg);
/* probes.csv as a binary answer with an array per column, at most `most` rows (table.c). */
mrn_status mrn_view_probes(mrn_viewer *v, int64_t most, mrn_buffer *out, mrn_message *msg);

/* ---- requests (answer.c) ---- */

typedef struct mrn_view_request {
    const char *path;                           /* "frame/12", after the token */
    const char *field, *have, *from, *contacts; /* NULL: not said */
} mrn_view_request;
typedef enum mrn_view_code {
    MRN_VIEW_OK = 200,
    MRN_VIEW_BAD = 400,
    MRN_VIEW_MISSING = 404,
    MRN_VIEW_FAILED = 500,
} mrn_view_code;
/* Fills `out` with what was asked for, or with words about what is wrong. */
mrn_view_code mrn_view_answer(mrn_viewer *v, const mrn_view_request *r, mrn_buffer *out,
                              const char **type);

/* Whether there is a server (server.c); if not, the message says how to get one. */
mrn_status mrn_view_server(mrn_message *msg);

/* ---- the page, made at build time (page.c of the build folder) ---- */

extern const unsigned char mrn_view_page[]; /* gzip */
extern const size_t mrn_view_page_bytes;    /* 0: built without npm */

#endif
