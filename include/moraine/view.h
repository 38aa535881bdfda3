/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs in the browser: a viewer holds a stored run, or one that goes on, and answers the page of
   `moraine view` over HTTP on the loopback interface, or becomes one file of HTML that needs no
   server. */
#ifndef MORAINE_VIEW_H
#define MORAINE_VIEW_H

#include "moraine/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mrn_viewer mrn_viewer;

/* Opens the folder of a run or its trajectory.h5. `modes`: a file of mrn_modes_write with the
   ending .json; NULL: modes.json of the folder, if it is there. Files that are links are refused:
   a folder of somebody else shows its own content alone. */
MRN_API mrn_status mrn_viewer_open(const char *path, const char *modes, mrn_viewer **out,
                                   mrn_message *msg);
/* A run in progress, in this process; `dir` is its folder (NULL: it writes none). */
MRN_API mrn_status mrn_viewer_live(const mrn_scene *scene, const mrn_state *s, const char *dir,
                                   mrn_viewer **out, mrn_message *msg);
/* Takes the state as a new frame, from the thread that runs, if it is time: as often as costs one
   part in a hundred of the run at most. Frames are kept in memory, fewer of them when there are
   many. Never waits for those who look. */
MRN_API void mrn_viewer_publish(mrn_viewer *v, const mrn_scene *scene, const mrn_state *s);
/* The run is over: its files are shown from now on. */
MRN_API mrn_status mrn_viewer_settle(mrn_viewer *v, mrn_message *msg);
MRN_API void mrn_viewer_close(mrn_viewer **v);

/* Whether the library was built with the server, and with the page; if not, the message says how to
   get them. */
MRN_API mrn_status mrn_viewer_able(bool server, bool page, mrn_message *msg);
/* Answers on 127.0.0.1 in a thread of its own, at `port` (0: any that is free), to those who know
   the token in the address. */
MRN_API mrn_status mrn_viewer_serve(mrn_viewer *v, int port, mrn_message *msg);
/* "http://127.0.0.1:PORT/TOKEN/"; "" before it serves. */
MRN_API const char *mrn_viewer_address(const mrn_viewer *v);
/* Seconds since the last request; INFINITY: there was none. */
MRN_API double mrn_viewer_idle(const mrn_viewer *v);

/* One file of HTML with page and data, which works without a server. */
typedef struct mrn_viewer_export_options {
    double bytes;              /* at most so many; frames are left out to stay below  */
    const char *const *fields; /* to colour by; n_fields 0: speed and those of the scene */
    int n_fields;
    bool contacts; /* with force chains, where they are stored           */
} mrn_viewer_export_options;
typedef struct mrn_viewer_export_facts {
    int64_t frames, of; /* written, and in the trajectory */
    double bytes;
} mrn_viewer_export_facts;
MRN_API mrn_viewer_export_options mrn_viewer_export_default(void);
MRN_API mrn_status mrn_viewer_export(mrn_viewer *v, const mrn_viewer_export_options *o,
                                     const char *path, mrn_viewer_export_facts *facts,
                                     mrn_message *msg);

#ifdef __cplusplus
}
#endif

#endif
