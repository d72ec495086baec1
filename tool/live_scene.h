// Live mode of the viewer: bodies that the user drags. After each move a World finds the contacts, and distances are
// computed for the pairs that do not overlap.
#pragma once

#include <tool/view_server.h>

#include <fathom/detect/world/world.h>

#include <optional>
#include <vector>

namespace fathom::tool {

struct LiveBody {
    std::string name;
    Shape shape;
    Pose pose{};
    ViewerBody drawn{}; // surface for the viewer
};

class ShapesScene final : public LiveScene {
public:
    explicit ShapesScene(std::vector<LiveBody> bodies);

    [[nodiscard]] ViewerDocument document() const;
    void move(Index body, const Pose& pose) override;
    [[nodiscard]] std::string state() override;

private:
    struct Pair {
        Index a, b;
        CollideResult collision{};
        std::optional<DistanceResult> distance{}; // of pairs that do not overlap
        double microseconds = 0;
    };
    void update_pairs();
    void compute_distance(Pair& pair) const;

    World world_{{.query = {.goal = CollideGoal::contacts}}}; // ids are indices into `drawn_`
    std::vector<ViewerBody> drawn_;
    std::vector<Pair> pairs_;
};

} // namespace fathom::tool
