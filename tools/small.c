/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a library of the engines alone must still do, and what it must refuse with words. For
   tools/test-embedding.sh. */
#include <moraine/moraine.h>
#include <stdio.h>
#include <string.h>

static const char scene_text[] =
    "moraine: 1\n"
    "gravity: [0, 0, -9.81 m/s2]\n"
    "materials:\n"
    "  glass: {density: 2.5 g/cm3, young: 5 MPa, poisson: 0.22}\n"
    "interactions:\n"
    "  - {between: [glass, glass], law: hertz-mindlin, "
    "restitution: 0.8, friction: 0.4}\n"
    "bodies:\n"
    "  - {name: ball, material: glass, shape: {sphere: {radius: 2 mm}}, "
    "place: {list: [[0, 0, 10 cm]]}}\n"
    "stages:\n"
    "  - {name: fall, until: {time: 100 ms}}\n";

static int refuses(mrn_status s, const mrn_message *msg)
{
    return s == MRN_ERR_INPUT && strstr(msg->text, "built without") != NULL && msg->hint[0] != '\0';
}

int main(void)
{
    mrn_message msg = {0};
    mrn_scene scene = {0};
    mrn_world *world = NULL;
    mrn_scene_read_text(scene_text, "small.yaml", NULL, 0, &scene, &msg);
    mrn_world_create(&scene, &world, &msg);
    mrn_world_advance(world, 0.1, &msg);
    if (msg.status != MRN_OK) {
        printf("%s %s\n", msg.text, msg.hint);
        return 1;
    }
    const mrn_state *s = mrn_world_state(world);
    double fallen = 0.1 - s->body.x[3 * (s->body.n - 1) + 2]; /* g t^2/2 */
    mrn_plot plot = mrn_plot_default();
    int good = fallen > 0.0490 && fallen < 0.0491;
    good = good && refuses(mrn_plot_write(&plot, "plot.svg", &msg), &msg);
    msg = (mrn_message){0};
    good = good && refuses(mrn_world_draw(world, "world.png", &msg), &msg);
    mrn_world_destroy(&world);
    mrn_scene_destroy(&scene);
    return good ? 0 : 1;
}
