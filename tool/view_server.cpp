// HTTP server of the viewer. This is the only file that uses cpp-httplib.
#include <tool/view_server.h>

#include <fathom/base/error.h>
#include <fathom/show/viewer_file.h>

#include <fmt/format.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

#include <array>
#include <csignal>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

namespace fathom::tool {

namespace {

constexpr std::size_t max_request_bytes = 4096; // a pose needs about 200
constexpr const char* plain_text = "text/plain; charset=utf-8";

// "localhost:8080" without its port.
std::string_view host_name(std::string_view host) {
    const std::size_t colon = host.rfind(':');
    return colon == std::string_view::npos ? host : host.substr(0, colon);
}

bool is_this_machine(std::string_view host) { return host_name(host) == "localhost" || host_name(host) == "127.0.0.1"; }

// Browsers send an Origin header with all but simple read requests. It is absent for other clients and for GET requests
// of our own page.
bool is_own_page(const httplib::Request& request) {
    const std::string origin = request.get_header_value("Origin");
    return origin.empty() || origin == "http://" + request.get_header_value("Host");
}

void respond(httplib::Response& response, int status, const std::string& message) {
    response.status = status;
    response.set_content(message + "\n", plain_text);
}

int status_of(Cause cause) {
    switch (cause) {
    case Cause::index_out_of_range:
        return 404;
    case Cause::invalid_argument:
    case Cause::non_finite:
    case Cause::malformed:
        return 400;
    default:
        return 500;
    }
}

struct Move {
    Index body;
    Pose pose;
};

Move move_from(const std::string& body) {
    const auto malformed = [](const char* reason) { return Error(Cause::malformed, reason, {.element = "request"}); };
    const nlohmann::json json = nlohmann::json::parse(body, nullptr, false);
    if (!json.is_object() || !json.contains("body") || !json["body"].is_number_unsigned() || !json.contains("pose"))
        throw malformed("expected {\"body\": 0, \"pose\": [x,y,z, qw,qx,qy,qz]}");
    const nlohmann::json& numbers = json["pose"];
    if (!numbers.is_array() || numbers.size() != 7) throw malformed("expected a pose of seven numbers");
    std::array<double, 7> n{};
    for (std::size_t k = 0; k < 7; ++k) {
        if (!numbers[k].is_number()) throw malformed("expected a pose of seven numbers");
        n[k] = numbers[k].get<double>();
    }
    const Quat rotation(n[3], n[4], n[5], n[6]);
    if (!(rotation.norm() > 1e-6 && rotation.norm() < 1e6))
        throw malformed("the quaternion of the pose has an invalid length");
    const auto index = json["body"].get<std::uint64_t>();
    return {index < no_index ? static_cast<Index>(index) : no_index, {rotation.normalized(), {n[0], n[1], n[2]}}};
}

// Signal handlers may call only async-signal-safe functions: writing one byte wakes the thread that reads the pipe.
int wake_pipe[2] = {-1, -1};
extern "C" void on_signal(int) {
    const char byte = 's';
    [[maybe_unused]] const auto written = ::write(wake_pipe[1], &byte, 1);
}

// SIGINT and SIGTERM stop the server while this object exists.
class SignalWatch {
public:
    explicit SignalWatch(httplib::Server& server) {
        if (::pipe2(wake_pipe, O_CLOEXEC) != 0) throw Error(Cause::cannot_open, "cannot create a pipe for signals");
        struct sigaction action {};
        action.sa_handler = on_signal;
        ::sigaction(SIGINT, &action, &before_[0]);
        ::sigaction(SIGTERM, &action, &before_[1]);
        thread_ = std::thread([&server] {
            char byte = 0;
            while (::read(wake_pipe[0], &byte, 1) < 0 && errno == EINTR) {
            }
            if (byte == 's') server.stop();
        });
    }
    ~SignalWatch() {
        ::sigaction(SIGINT, &before_[0], nullptr);
        ::sigaction(SIGTERM, &before_[1], nullptr);
        const char byte = 'q';
        [[maybe_unused]] const auto written = ::write(wake_pipe[1], &byte, 1);
        thread_.join();
        ::close(wake_pipe[0]);
        ::close(wake_pipe[1]);
    }
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

private:
    struct sigaction before_[2]{};
    std::thread thread_;
};

} // namespace

struct ViewServer::State {
    const PacketSource& packets;
    LiveScene* live;
    std::mutex live_mutex;
    httplib::Server server;

    State(const PacketSource& source, LiveScene* scene) : packets(source), live(scene) {}

    template <class Work>
    httplib::Server::Handler guarded(const Work& work) {
        return [work](const httplib::Request& request, httplib::Response& response) {
            try {
                work(request, response);
            } catch (const Error& error) {
                respond(response, status_of(error.cause()), error.what());
            } catch (const std::exception& error) {
                respond(response, 500, error.what());
            }
        };
    }

    void add_live() {
        const auto send_state = [this](httplib::Response& response) {
            response.set_content(live->state(), "application/json");
        };
        server.Get("/live", guarded([this, send_state](const httplib::Request&, httplib::Response& response) {
                       const std::lock_guard lock(live_mutex);
                       send_state(response);
                   }));
        server.Post("/live", guarded([this, send_state](const httplib::Request& request, httplib::Response& response) {
                        const Move move = move_from(request.body);
                        const std::lock_guard lock(live_mutex);
                        live->move(move.body, move.pose);
                        send_state(response);
                    }));
    }

    void add_routes() {
        server.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                                    {"X-Frame-Options", "DENY"},
                                    {"Cross-Origin-Resource-Policy", "same-origin"},
                                    {"Cache-Control", "no-store"}});
        server.set_payload_max_length(max_request_bytes);
        server.set_read_timeout(2); // an idle connection occupies a thread for this time (s)
        server.new_task_queue = [] { return new httplib::ThreadPool(24); };
        server.set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
            if (is_this_machine(request.get_header_value("Host")) && is_own_page(request))
                return httplib::Server::HandlerResponse::Unhandled;
            respond(response, 403, "only requests from pages of this server are accepted");
            return httplib::Server::HandlerResponse::Handled;
        });
        server.Get("/", guarded([](const httplib::Request&, httplib::Response& response) {
                       response.set_content(std::string(viewer_page()), "text/html; charset=utf-8");
                   }));
        server.Get(
            R"(/packets/(\d{1,9}))", guarded([this](const httplib::Request& request, httplib::Response& response) {
                response.set_content(packets.packet(std::stoul(request.matches[1].str())), "application/octet-stream");
            }));
        if (live) add_live();
        server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
            if (response.body.empty())
                respond(response, response.status, response.status == 413 ? "request too large" : "not found");
        });
    }
};

ViewServer::ViewServer(const PacketSource& packets, LiveScene* live) : state_(std::make_unique<State>(packets, live)) {
    static_cast<void>(viewer_page());
    state_->add_routes();
}

ViewServer::~ViewServer() = default;

int ViewServer::listen(int port) {
    if (port == 0)
        port = state_->server.bind_to_any_port("127.0.0.1");
    else if (!state_->server.bind_to_port("127.0.0.1", port))
        port = -1;
    if (port < 0) throw Error(Cause::cannot_open, "the port is in use or not permitted", {.element = "option --port"});
    return port;
}

void ViewServer::run() {
    const SignalWatch watch(state_->server);
    if (!state_->server.listen_after_bind()) throw Error(Cause::cannot_open, "the server stopped unexpectedly");
}

void ViewServer::stop() { state_->server.stop(); }

} // namespace fathom::tool
