/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that stay together for many short loops. OpenMP wakes its threads for every parallel
   region and lets them meet at the end of each, which costs more than a loop of some ten
   microseconds. A crew is gathered once: its lead goes through the sequential code and shares loops
   with the others as it meets them. */
#ifndef MRN_BASE_CREW_H
#define MRN_BASE_CREW_H

#include <stdint.h>

typedef struct mrn_crew mrn_crew;

/* Calls lead(of, crew) on this thread, while the other threads of OpenMP wait for what it shares;
   `crew` is NULL where there are none, or where a parallel region is open already. */
typedef void mrn_crew_lead(void *of, mrn_crew *crew);
void mrn_crew_gather(mrn_crew_lead *lead, void *of);

/* part(of, k) for all 0 <= k < parts, each by whoever is free; returns when all are done. Nobody is
   waited for who has not begun: where other programs hold the cores the lead does all by itself.
   Without a crew: a parallel loop. What parts compute must not hang on who does them. */
typedef void mrn_crew_part(void *of, int64_t k);
void mrn_crew_share(mrn_crew *crew, int64_t parts, mrn_crew_part *part, void *of);

#endif
