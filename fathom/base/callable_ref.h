// Non-owning reference to a callable, used for visitors: no allocation, one indirect call.
#pragma once

#include <memory>
#include <type_traits>

namespace fathom {

// Reference to a callable. The callable must outlive the call that the reference is passed to.
template <class Signature>
class CallableRef;
template <class Result, class... Arguments>
class CallableRef<Result(Arguments...)> {
public:
    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, CallableRef>) CallableRef(F&& f) // NOLINT: implicit on purpose
        : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
          call_([](void* object, Arguments... arguments) -> Result {
              return (*static_cast<std::remove_reference_t<F>*>(object))(arguments...);
          }) {}
    Result operator()(Arguments... arguments) const { return call_(object_, arguments...); }

private:
    void* object_;
    Result (*call_)(void*, Arguments...);
};

} // namespace fathom
