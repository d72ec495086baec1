// The viewer's server: the only file that knows cpp-httplib.
#include <tool/view_server.h>

#include <fathom/base/error.h>
#include <fathom/show/viewer_page.h>

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

constexpr std::size_t most_request_bytes = 4096; // a pose has some 200
constexpr const char* plain_text = "text/plain; charset=utf-8";

// "localhost:8080" without its port.
std::string_view host_name(std::string_view host) {
    const std::size_t colon = host.rfind(':');
    return colon == std::string_view::npos ? host : host.substr(0, colon);
}

bool is_this_machine(std::string_view host) { return host_name(host) == "localhost" || host_name(host) == "127.0.0.1"; }

// Browsers say where a page comes from when it asks for more than to read. None: no browser, or our own page's GET.
bool is_own_page(const httplib::Request& request) {
    const std::string origin = request.get_header_value("Origin");
    return origin.empty() || origin == "http://" + request.get_header_value("Host");
}

void answer(httplib::Response& response, int status, const std::string& words) {
    response.status = status;
    response.set_content(words + "\n", plain_text);
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
    const auto refuse = [](const char* why) { return Error(Cause::malformed, why, {.element = "request"}); };
    const nlohmann::json json = nlohmann::json::parse(body, nullptr, false);
    if (!json.is_object() || !json.contains("body") || !json["body"].is_number_unsigned() || !json.contains("pose"))
        throw refuse("wants {\"body\": 0, \"pose\": [x,y,z, qw,qx,qy,qz]}");
    const nlohmann::json& numbers = json["pose"];
    if (!numbers.is_array() || numbers.size() != 7) throw refuse("a pose has seven numbers");
    std::array<double, 7> n{};
    for (std::size_t k = 0; k < 7; ++k) {
        if (!numbers[k].is_number()) throw refuse("a pose has seven numbers");
        n[k] = numbers[k].get<double>();
    }
    const Quat rotation(n[3], n[4], n[5], n[6]);
    if (!(rotation.norm() > 1e-6 && rotation.norm() < 1e6)) throw refuse("its rotation has no direction");
    const auto index = json["body"].get<std::uint64_t>();
    return {index < no_index ? static_cast<Index>(index) : no_index, {rotation.normalized(), {n[0], n[1], n[2]}}};
}

// Signal handlers may do next to nothing: one byte wakes the thread that waits for it.
int wake_pipe[2] = {-1, -1};
extern "C" void on_signal(int) {
    const char byte = 's';
    [[maybe_unused]] const auto written = ::write(wake_pipe[1], &byte, 1);
}

// While it lives, SIGINT and SIGTERM stop the server.
class SignalWatch {
public:
    explicit SignalWatch(httplib::Server& server) {
        if (::pipe2(wake_pipe, O_CLOEXEC) != 0) throw Error(Cause::cannot_open, "no pipe to be woken by");
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
                answer(response, status_of(error.cause()), error.what());
            } catch (const std::exception& error) {
                answer(response, 500, error.what());
            }
        };
    }

    void add_live() {
        const auto say = [this](httplib::Response& response) {
            response.set_content(live->state(), "application/json");
        };
        server.Get("/live", guarded([this, say](const httplib::Request&, httplib::Response& response) {
                       const std::lock_guard lock(live_mutex);
                       say(response);
                   }));
        server.Post("/live", guarded([this, say](const httplib::Request& request, httplib::Response& response) {
                        const Move move = move_from(request.body);
                        const std::lock_guard lock(live_mutex);
                        live->move(move.body, move.pose);
                        say(response);
                    }));
    }

    void add_routes() {
        server.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                                    {"X-Frame-Options", "DENY"},
                                    {"Cross-Origin-Resource-Policy", "same-origin"},
                                    {"Cache-Control", "no-store"}});
        server.set_payload_max_length(most_request_bytes);
        server.set_read_timeout(2); // who connects and says nothing keeps a thread for this long (s)
        server.new_task_queue = [] { return new httplib::ThreadPool(24); };
        server.set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
            if (is_this_machine(request.get_header_value("Host")) && is_own_page(request))
                return httplib::Server::HandlerResponse::Unhandled;
            answer(response, 403, "only pages of this server are answered");
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
                answer(response, response.status, response.status == 413 ? "too large" : "there is nothing here");
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
    if (port < 0)
        throw Error(Cause::cannot_open, "the port is taken, or may not be used", {.element = "option --port"});
    return port;
}

void ViewServer::run() {
    const SignalWatch watch(state_->server);
    if (!state_->server.listen_after_bind()) throw Error(Cause::cannot_open, "the server ended by itself");
}

void ViewServer::stop() { state_->server.stop(); }

} // namespace fathom::tool
