// Bodies of any shape that a user drags: after each move every pair that it changes is asked again, through the one call for all shapes.
#pragma once

#include <tool/view_server.h>

#include <fathom/detect/query.h>

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
    void ask(Pair& pair) const;

    std::vector<LiveBody> bodies_;
    std::vector<Pair> pairs_;
};

} // namespace fathom::tool
