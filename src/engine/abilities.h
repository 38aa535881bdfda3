/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What scenes ask of methods, against what methods can: one table (abilities.c) from which every
   refusal is made. */
#ifndef MRN_ENGINE_ABILITIES_H
#define MRN_ENGINE_ABILITIES_H

#include "moraine/method.h"

/* "method smooth has no joints", expected: the methods that can. `subject`, what asks for it (a
   wall, a law), may be NULL. Always MRN_ERR_INPUT. */
mrn_status mrn_ability_refuse(const mrn_method *m, mrn_ability a, const char *subject,
                              mrn_message *msg);
/* Whether the method can do with a law; the message has no place. */
mrn_status mrn_abilities_check_law(const mrn_method *m, const mrn_law_model *law, mrn_message *msg);
/* Whether the method can do what the scene asks for as it stands. */
mrn_status mrn_abilities_check(const mrn_method *m, const mrn_scene *s, mrn_message *msg);
/* The same for every stage to come, each with its method and with what those before it changed. For
   a scene that has entered none. */
mrn_status mrn_abilities_check_stages(const mrn_scene *s, mrn_message *msg);

#endif
