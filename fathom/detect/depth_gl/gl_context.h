// An OpenGL 4.5 context, own or the caller's: current for the length of a call, and the errors of that
// call.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace fathom::gl {

class Context {
public:
    // Both throw Error{unsupported} with the reason.
    [[nodiscard]] static std::shared_ptr<Context> create(); // through EGL, without a window
    [[nodiscard]] static std::shared_ptr<Context> adopt();  // the current one

    virtual ~Context() = default;
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    [[nodiscard]] virtual bool adopted() const = 0;
    [[nodiscard]] bool entered() const { return depth_ > 0; } // may objects be deleted now?
    [[nodiscard]] const std::string& renderer() const { return renderer_; }
    [[nodiscard]] bool software() const;

protected:
    Context() = default;
    void describe(); // while current; throws where it is not OpenGL 4.5

private:
    friend class Scope;
    virtual void enter() = 0; // throws Error
    virtual void leave() noexcept = 0;

    int depth_ = 0;
    std::string renderer_;
    std::vector<std::string> errors_; // of the calls since the scope began
};

// The context is current while this lives.
class Scope {
public:
    explicit Scope(std::shared_ptr<Context> context);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    // Throws Error for what OpenGL complained about since the last check; `culprit` is told as the place.
    void check(const char* culprit = "OpenGL");

private:
    std::shared_ptr<Context> context_;
    void* former_callback_ = nullptr;
    void* former_user_ = nullptr;
    bool former_output_ = false, former_synchronous_ = false;
};

} // namespace fathom::gl
