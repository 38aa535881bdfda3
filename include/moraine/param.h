/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters as data: how laws, shapes and drives say what they want. The scene reader, the
   checker, the JSON schema, the help texts and the reference pages all read these tables. */
#ifndef MORAINE_PARAM_H
#define MORAINE_PARAM_H

#include "moraine/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mrn_param_kind {
    MRN_P_NUMBER, /* one quantity with a unit                                 */
    MRN_P_VECTOR, /* a point or direction: 3 quantities (2 in a 2D scene)     */
    MRN_P_BOX,    /* two corners [[x, y, z], [x, y, z]]                       */
    MRN_P_FLAG,   /* true or false                                            */
    MRN_P_CHOICE, /* one of the words in `choices`                            */
    MRN_P_FILE,   /* a path, relative to the scene file                       */
} mrn_param_kind;

typedef struct mrn_param {
    const char *name;   /* key in the scene: lower case with hyphens, "normal-stiffness"          */
    const char *symbol; /* as in the papers: "k_n"; may be ""                                     */
    mrn_param_kind kind;
    const char *unit; /* SI unit, udunits spelling: "N/m", "1" for a pure number, "rad", …      */
    double min, max;  /* accepted range, ends included; use ±INFINITY                           */
    bool min_open;    /* min itself is excluded                                                 */
    bool required;
    double fallback; /* default when not required; NAN: derived (doc says how)                 */
    const char *const *choices; /* MRN_P_CHOICE: NULL-terminated */
    const char *doc; /* one or two sentences for a user                                        */
} mrn_param;

/* A parameter as read from a scene (or filled with its default). */
typedef struct mrn_value {
    bool given;       /* stands in the scene (else: the default)   */
    double number;    /* NUMBER; CHOICE: index of the word         */
    bool flag;        /* FLAG                                      */
    mrn_vec3 a, b;    /* VECTOR uses a; BOX both                   */
    char text[256];   /* FILE: path resolved against the scene     */
    int line, column; /* where it stands, for messages             */
} mrn_value;

#define MRN_PARAM_MAX 48 /* most parameters a law model or a shape may have */

#ifdef __cplusplus
}
#endif

#endif
