// The viewer's server: the page, its packets, and in live mode the questions that dragging asks. On 127.0.0.1 alone.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/show/viewer_packets.h>

#include <memory>
#include <string>

namespace fathom::tool {

// Bodies that can be moved, and what touches. One caller at a time.
class LiveScene {
public:
    virtual ~LiveScene() = default;
    // Error{index_out_of_range, invalid_argument} where there is no such body, or it is fixed; Error{non_finite}.
    virtual void move(Index body, const Pose& pose) = 0;
    [[nodiscard]] virtual std::string state() = 0; // JSON, as docs/viewer.md has it
};

// Answers only requests that name this machine as their host: a page from elsewhere must not reach it by a name that
// leads here, and may not move bodies. Every other path, method or size is refused.
class ViewServer {
public:
    // What is given must outlive it. `live` may be null. Error{unsupported} where the page was not built.
    ViewServer(const PacketSource& packets, LiveScene* live);
    ~ViewServer();

    // 0: a free port. The one that it is; Error{cannot_open} where it is taken.
    int listen(int port);
    void run(); // until stop(), which any thread may call, or until the program is told to end (SIGINT, SIGTERM)
    void stop();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom::tool
