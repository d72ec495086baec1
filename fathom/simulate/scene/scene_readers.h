// The parts of a scene file, each read by a function. For scene_file.cpp alone.
#pragma once

#include <fathom/simulate/scene/key_reader.h>
#include <fathom/simulate/scene/scene.h>

namespace fathom {

// Tables of kinds, scene_kinds_file.cpp.
void read_springs(KeyReader keys, SceneSprings& springs);
void read_solids(KeyReader keys, SceneSolids& solids);
void read_particles(KeyReader keys, SceneParticles& particles);
[[nodiscard]] ParticleEmitter read_emitter(KeyReader keys);
void read_motion(KeyReader keys, MovedOptions& motion);
void read_spring_contact(KeyReader keys, WeightedContactLaw& law);
void read_rigid_contact(KeyReader keys, Scene& scene);
void read_coupling(KeyReader keys, CouplingOptions& coupling);

// `[[body]]`, scene_body_file.cpp. Settings of its kind that the scene lacks are added.
[[nodiscard]] SceneBody read_body(KeyReader keys, std::size_t number, Scene& scene);

} // namespace fathom
