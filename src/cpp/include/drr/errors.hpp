// What the core throws, always from the thread that called it.
#pragma once

#include <stdexcept>

namespace drr {

// The caller's input cannot be used; the message names the argument, the position and the remedy.
struct InvalidInput : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// The caller asked to stop (Ctrl-C, or an exception in a callback).
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

} // namespace drr
