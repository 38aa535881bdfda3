/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An HDF5 file that is whole at any moment: a driver under HDF5 that changes committed bytes only
   through a journal. See h5_journal.c. */
#ifndef MRN_STORE_H5_JOURNAL_H
#define MRN_STORE_H5_JOURNAL_H

#include <hdf5.h>

#include "base/base.h"

typedef struct mrn_journal mrn_journal;

/* A driver state for the file at `path` (with a journal PATH.journal), to be given to
 * mrn_journal_access. */
mrn_status mrn_journal_create(const char *path, mrn_journal **out, mrn_message *msg);
/* After the file is closed, or could not be opened. */
void mrn_journal_destroy(mrn_journal *j);
/* The same, and the errno of what did not reach the file; 0: all did, or was thrown away. */
int mrn_journal_finish(mrn_journal *j);
/* Makes a file-access list use it. *taken becomes true when HDF5 has taken it over. < 0: failed. */
herr_t mrn_journal_access(hid_t fapl, mrn_journal *j, bool *taken);
/* That of an open file. */
mrn_journal *mrn_journal_of(hid_t file);

/* From here on all that HDF5 holds of an opened file counts as committed. */
void mrn_journal_settle(mrn_journal *j);
/* After H5Fflush: the new state becomes the committed one. MRN_ERR_IO with errno in *error. */
mrn_status mrn_journal_commit(mrn_journal *j, int *error);
/* Whatever HDF5 still writes is thrown away; the file stays as committed. */
void mrn_journal_abandon(mrn_journal *j);
int mrn_journal_descriptor(const mrn_journal *j);
/* errno of the first failure under HDF5, which does not pass it on (ENOMEM: no memory for held
 * changes); 0: none. */
int mrn_journal_error(const mrn_journal *j);

#endif
