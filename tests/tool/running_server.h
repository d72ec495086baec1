// Starts `fathom view` as a child process, sends HTTP requests to it, and stops it with a signal.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// Skips the test if the viewer's page was not built.
#define FATHOM_NEEDS_VIEWER()                                                                                          \
    if (!has_viewer_page()) GTEST_SKIP() << "built without the viewer"

namespace fathom::testing {

class RunningServer {
public:
    explicit RunningServer(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), FATHOM_TOOL);
        std::vector<char*> argv;
        for (std::string& argument : arguments) argv.push_back(argument.data());
        argv.push_back(nullptr);
        int out[2] = {};
        if (::pipe(out) != 0) return;
        child_ = ::fork();
        if (child_ == 0) {
            ::dup2(out[1], STDOUT_FILENO);
            ::close(out[0]);
            ::close(out[1]);
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
        ::close(out[1]);
        char letter = 0;
        while (::read(out[0], &letter, 1) == 1 && letter != '\n') address_ += letter;
        ::close(out[0]);
    }
    ~RunningServer() {
        if (child_ > 0) stop(SIGKILL);
    }
    RunningServer(const RunningServer&) = delete;
    RunningServer& operator=(const RunningServer&) = delete;

    [[nodiscard]] const std::string& address() const { return address_; }
    [[nodiscard]] int port() const { return std::atoi(address_.c_str() + address_.rfind(':') + 1); }

    // Sends a request and returns the whole response: status line, headers and body. Empty if there is no response.
    [[nodiscard]] std::string request(const std::string& first_line, const std::string& host,
                                      const std::string& more_headers = {}, const std::string& body = {}) const {
        const int connection = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in server{};
        server.sin_family = AF_INET;
        server.sin_port = htons(static_cast<std::uint16_t>(port()));
        server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        std::string response;
        if (::connect(connection, reinterpret_cast<const sockaddr*>(&server), sizeof server) == 0) {
            const std::string message = first_line + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" +
                                        more_headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                                        body;
            for (std::size_t sent = 0; sent < message.size();) {
                const ssize_t step = ::send(connection, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
                if (step <= 0) break;
                sent += static_cast<std::size_t>(step);
            }
            char buffer[4096];
            for (ssize_t n = 0; (n = ::recv(connection, buffer, sizeof buffer, 0)) > 0;)
                response.append(buffer, static_cast<std::size_t>(n));
        }
        ::close(connection);
        return response;
    }
    [[nodiscard]] std::string own_host() const { return "127.0.0.1:" + std::to_string(port()); }
    [[nodiscard]] std::string get(const std::string& path) const { return request("GET " + path, own_host()); }

    // Sends the signal and waits. Returns the exit code, or minus the signal that terminated the process.
    int stop(int signal) {
        ::kill(child_, signal);
        int status = 0;
        ::waitpid(child_, &status, 0);
        child_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

private:
    pid_t child_ = -1;
    std::string address_;
};

[[nodiscard]] inline int status_of(const std::string& response) {
    return response.size() > 12 ? std::atoi(response.c_str() + 9) : 0;
}
[[nodiscard]] inline std::string body_of(const std::string& response) {
    const std::size_t at = response.find("\r\n\r\n");
    return at == std::string::npos ? "" : response.substr(at + 4);
}

} // namespace fathom::testing
