/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Glass beads fall into a box; a larger one is dropped onto them while the world runs. */
#include <moraine/world.h>
#include <stdio.h>

int main(void)
{
    mrn_message msg = {0}; /* keeps the first error: one look at the end is enough */
    mrn_scene scene = mrn_scene_default();
    mrn_scene_set_gravity(&scene, mrn_v3(0, 0, -9.81), &msg);
    mrn_scene_add_material(&scene, "glass", 2500, 5e6, 0.22, &msg);
    mrn_scene_add_law(&scene, "glass", "glass", "hertz-mindlin", &msg);
    mrn_scene_set_law(&scene, "glass", "glass", "restitution", 0.6, &msg);
    mrn_scene_set_law(&scene, "glass", "glass", "friction", 0.4, &msg);
    mrn_wall_def box = mrn_wall_default("box");
    mrn_wall_set_box(&box, "corners", mrn_v3(0, 0, 0), mrn_v3(0.06, 0.06, 0.3), &msg);
    mrn_scene_add_wall(&scene, &box, &msg);
    mrn_region above = mrn_region_box(mrn_v3(0, 0, 0.02), mrn_v3(0.06, 0.06, 0.1));
    mrn_group beads = mrn_group_fill(above, 200, mrn_size_uniform(3e-3, 4e-3));
    mrn_scene_add_grains(&scene, "beads", "glass", NULL, &beads, &msg);
    mrn_world *world = NULL;
    mrn_world_create(&scene, &world, &msg);
    mrn_scene_destroy(&scene); /* the world has a copy */
    mrn_body ball = {0};
    for (int k = 1; k <= 5 && msg.status == MRN_OK; k++) {
        mrn_world_advance(world, 0.1 * k, &msg);
        if (k == 3)
            ball =
                mrn_world_add_sphere(world, 8e-3, mrn_v3(0.03, 0.03, 0.15), mrn_v3(0, 0, -1), &msg);
        printf("%.1f s: %lld grains, beads at %.2f mm, ball at %.1f mm, %.3f mJ\n",
               mrn_world_time(world), (long long)mrn_world_grains(world),
               1e3 * mrn_world_probe(world, "groups.beads.mean-z"),
               1e3 * mrn_world_position(world, ball).z, 1e3 * mrn_world_energies(world).kinetic);
    }
    mrn_world_draw(world, "world.png", &msg);
    mrn_world_destroy(&world);
    if (msg.status != MRN_OK)
        fprintf(stderr, "%s\n%s\n", msg.text, msg.hint);
    return msg.status == MRN_OK ? 0 : 1;
}
