/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a scene must share with the checkpoint it goes on from, part by part, each as a number. */
#ifndef MRN_ENGINE_FINGERPRINT_H
#define MRN_ENGINE_FINGERPRINT_H

#include "model/keys.h"

/* `name` in the file; `words` for a person: "the scene has another DAMPING.LOCAL"; `usual`: the
   value of a scene that does not say it, which one made before there was such a part had. */
typedef void mrn_fingerprint_tell(void *context, const char *name, const char *words,
                                  uint64_t value, uint64_t usual);
/* All parts, after the first `entered` stages have begun. A value is the same before and after they
   are entered, and does not depend on later ones, which a user may add or change. */
void mrn_fingerprint(const mrn_scene *s, int entered, mrn_fingerprint_tell *tell, void *context);
/* Notes what it tells of groups for any number of stages, so that their lists of grains may go. */
mrn_status mrn_fingerprint_keep_groups(mrn_scene *s, mrn_message *msg);
/* Whether a key of the scene counts, or says that it need not: all do, a test sees to it. */
bool mrn_fingerprint_has(const mrn_key *k);

#endif
