/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames on their way to the file: with several threads a thread of its own writes the last one
   while steps go on. One frame is under way at a time; whoever brings the next, or a checkpoint
   that must not be ahead of the frames, waits for it and hears how it went. */
#include <pthread.h>
#include <signal.h>

#include "base/base.h"
#include "run/job.h"

struct mrn_writer {
    mrn_trajectory *to;
    bool beside;    /* a thread may be taken */
    bool under_way; /* it has one: `frame` and what follows are the thread's until it is joined */
    pthread_t thread;
    mrn_frame frame;
    mrn_status status;
    mrn_message msg;
};

static void write_one(mrn_writer *w)
{
    w->status = mrn_trajectory_append(w->to, &w->frame, &w->msg);
    mrn_frame_destroy(&w->frame);
}

static void *work(void *self)
{
    write_one(self);
    return NULL;
}

/* Signals are for the thread that makes the steps. */
static bool begin_thread(mrn_writer *w)
{
    sigset_t all, before;
    sigfillset(&all);
    bool held = pthread_sigmask(SIG_BLOCK, &all, &before) == 0;
    bool begun = pthread_create(&w->thread, NULL, work, w) == 0;
    if (held)
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return begun;
}

mrn_status mrn_writer_create(mrn_trajectory *to, bool beside, mrn_writer **out, mrn_message *msg)
{
    mrn_status status = mrn_array(out, 1, sizeof **out, msg);
    if (status == MRN_OK)
        **out = (mrn_writer){.to = to, .beside = beside};
    return status;
}

mrn_status mrn_writer_wait(mrn_writer *w, mrn_message *msg)
{
    if (w == NULL)
        return MRN_OK;
    if (w->under_way)
        (void)pthread_join(w->thread, NULL);
    w->under_way = false;
    mrn_status status = w->status;
    if (status != MRN_OK)
        *msg = w->msg;
    w->status = MRN_OK; /* told once */
    return status;
}

mrn_status mrn_writer_put(mrn_writer *w, mrn_frame *frame, mrn_message *msg)
{
    mrn_status status = mrn_writer_wait(w, msg);
    if (status != MRN_OK) {
        mrn_frame_destroy(frame);
        return status;
    }
    w->frame = *frame;
    *frame = (mrn_frame){0};
    w->under_way = w->beside && begin_thread(w);
    if (w->under_way)
        return MRN_OK;
    write_one(w);
    return mrn_writer_wait(w, msg);
}

mrn_status mrn_writer_destroy(mrn_writer **slot, mrn_message *msg)
{
    mrn_status status = mrn_writer_wait(*slot, msg);
    mrn_free(*slot);
    *slot = NULL;
    return status;
}
