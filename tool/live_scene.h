// Bodies of any shape that a user drags: a World tells what touches after each move; pairs that are apart are asked how
// far.
#pragma once

#include <tool/view_server.h>

#include <fathom/detect/world.h>

#include <vector>

namespace fathom::tool {

struct LiveBody {
    std::string name;
    Shape shape;
    Pose pose{};
    ViewerBody drawn{}; // its surface
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
        Collision collision{};
        double separation = 0; // m; minus the depth where they overlap
        double error_bound = 0, microseconds = 0;
    };
    void ask_all();
    void ask_distance(Pair& pair) const;

    World world_; // ids are places in `drawn_`
    std::vector<ViewerBody> drawn_;
    std::vector<Pair> pairs_;
};

} // namespace fathom::tool
