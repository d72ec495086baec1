// HTTP server of the viewer: the page, its packets, and the queries of live mode. Listens on 127.0.0.1 only.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/show/viewer_packets.h>

#include <memory>
#include <string>

namespace fathom::tool {

// Movable bodies and their contacts. Not thread-safe: one caller at a time.
class LiveScene {
public:
    virtual ~LiveScene() = default;
    // Throws Error{index_out_of_range} for an unknown body, Error{invalid_argument} for a static one,
    // Error{non_finite}.
    virtual void move(Index body, const Pose& pose) = 0;
    [[nodiscard]] virtual std::string state() = 0; // JSON as described in docs/viewer.md
};

// Accepts only requests whose Host header names this machine and whose Origin is absent or the server's own page, so
// that pages of other sites can neither read data through DNS rebinding nor move bodies. Unknown paths and methods and
// requests above the size limit are rejected.
class ViewServer {
public:
    // The arguments must outlive the server. `live` may be null. Throws Error{unsupported} if the library was built
    // without the viewer page.
    ViewServer(const PacketSource& packets, LiveScene* live);
    ~ViewServer();

    // Binds to the port (0: any free port) and returns it. Throws Error{cannot_open} if the port is not available.
    int listen(int port);
    void run(); // serves until stop() is called (from any thread) or SIGINT or SIGTERM arrives
    void stop();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom::tool
