// Frames of several worlds put together, each body once.
#include <fathom/simulate/world/mixed_state.h>

#include <fathom/simulate/record/recording.h>

#include <algorithm>

namespace fathom {

std::vector<const SimulatedWorld*> MixedWorld::State::all() const {
    std::vector<const SimulatedWorld*> worlds;
    if (rigid) worlds.push_back(&*rigid);
    if (solids) worlds.push_back(&*solids);
    if (surfaces) worlds.push_back(&*surfaces);
    if (particles) worlds.push_back(&*particles);
    return worlds;
}

// Bodies of the first three kinds come first, then the obstacles of solids and surfaces that no one before has, then
// what only particles have.
std::vector<RecordedRow> MixedWorld::State::rows() const {
    std::vector<RecordedRow> rows;
    Index next = 0;
    std::vector<std::pair<const Field*, Index>> formulas;
    const auto add_row = [&](std::size_t bodies) {
        rows.emplace_back();
        for (std::size_t k = 0; k < bodies; ++k) rows.back().number.push_back(next++), rows.back().first.push_back(1);
    };
    if (rigid) {
        add_row(rigid->bodies().size());
        for (Index b = 0; b < rigid->bodies().size(); ++b)
            if (!matters(b) && rigid->bodies()[b].shape->caster)
                formulas.emplace_back(&rigid->bodies()[b].shape->caster->field(), b);
    }
    if (solids) add_row(solids->bodies().size() + solids->tissues().size());
    if (surfaces) add_row(surfaces->bodies().size());
    const auto add_obstacles = [&](RecordedRow& row, std::span<const FieldObstacle> obstacles) {
        for (const FieldObstacle& obstacle : obstacles) {
            const auto known = std::find_if(formulas.begin(), formulas.end(),
                                            [&](const auto& f) { return f.first == obstacle.field.get(); });
            row.first.push_back(known == formulas.end());
            row.number.push_back(known == formulas.end() ? next++ : known->second);
            if (row.first.back()) formulas.emplace_back(obstacle.field.get(), row.number.back());
        }
    };
    if (solids) add_obstacles(rows[rigid ? 1 : 0], solids->obstacles());
    if (surfaces) add_obstacles(rows[(rigid ? 1u : 0u) + (solids ? 1u : 0u)], surfaces->obstacles());
    if (!particles) return rows;
    const auto cloud = static_cast<Index>(next + particles->obstacles().size() - seen);
    RecordedRow row{{cloud}, {1}};
    for (std::size_t k = 0; k < particles->obstacles().size(); ++k)
        row.number.push_back(k < seen ? static_cast<Index>(k) : next++), row.first.push_back(k >= seen);
    rows.push_back(std::move(row));
    return rows;
}

std::vector<RecordedBody> MixedWorld::recorded_bodies() const {
    const auto rows = state_->rows();
    const auto worlds = state_->all();
    std::size_t count = 0;
    for (const RecordedRow& row : rows)
        for (const char first : row.first) count += first ? 1 : 0;
    std::vector<RecordedBody> bodies(count);
    for (std::size_t w = 0; w < worlds.size(); ++w) {
        std::vector<RecordedBody> own = worlds[w]->recorded_bodies();
        for (std::size_t k = 0; k < own.size(); ++k)
            if (rows[w].first[k]) bodies[rows[w].number[k]] = std::move(own[k]);
    }
    return bodies;
}

RecordedStep MixedWorld::recorded_step() const {
    RecordedStep sum{.step = steps(), .time = time(), .energy = energy()};
    for (const SimulatedWorld* world : state_->all()) {
        const RecordedStep own = world->recorded_step();
        sum.deepest = std::max(sum.deepest, own.deepest);
        sum.contact_count += own.contact_count;
        sum.detect_seconds += own.detect_seconds;
        sum.respond_seconds += own.respond_seconds;
    }
    for (const CoupledContact& c : coupling().contacts()) sum.deepest = std::max(sum.deepest, c.depth);
    sum.contact_count += coupling().contacts().size();
    sum.detect_seconds += state_->coupling_seconds;
    return sum;
}

void MixedWorld::fill(RecordedFrame& frame, bool wanted) const {
    const auto rows = state_->rows();
    const auto worlds = state_->all();
    for (std::size_t w = 0; w < worlds.size(); ++w) {
        RecordedFrame own;
        worlds[w]->fill(own, wanted);
        for (std::size_t k = 0; k < own.bodies.size(); ++k) {
            if (!rows[w].first[k]) continue;
            frame.bodies.resize(std::max<std::size_t>(frame.bodies.size(), rows[w].number[k] + std::size_t{1}));
            frame.bodies[rows[w].number[k]] = std::move(own.bodies[k]);
        }
        for (RecordedContact c : own.contacts) {
            c.body = rows[w].number[c.body];
            c.other = rows[w].number[c.other];
            frame.contacts.push_back(c);
        }
    }
    for (const CoupledContact& c : coupling().contacts())
        if (wanted) frame.contacts.push_back({c.body, c.other, c.point, c.position, c.normal, c.depth});
}

} // namespace fathom
