// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/impl/execution.hpp>

namespace araios::impl {

/// What a backend does specially for operation `Op` on execution space `Space`. Nothing by default.
/// A specialisation has `run(space, args...)`, constrained by a requires clause to the argument
/// types it supports, and `can_run(args...)`, which may decline at run time. See
/// backends/README.md.
template <class Op, class Space>
struct backend {};

template <class Op, class Space, class... Args>
concept specialised = requires(Space const& space, Args const&... args) {
  backend<Op, Space>::run(space, args...);
};

/// Runs operation `Op`: the backend's own implementation where there is one that accepts the
/// arguments, else the portable `Op::run`. The choice of types is made at compile time.
template <class Op, class Space, class... Args>
void dispatch(Space const& space, Args const&... args) {
  if constexpr (specialised<Op, Space, Args...>) {
    if (backend<Op, Space>::can_run(args...)) {
      backend<Op, Space>::run(space, args...);
      return;
    }
  }
  Op::run(space, args...);
}

/// Whether `dispatch` would take the backend's implementation.
template <class Op, class Space, class... Args>
bool is_taken(Space const&, [[maybe_unused]] Args const&... args) {
  if constexpr (specialised<Op, Space, Args...>)
    return backend<Op, Space>::can_run(args...);
  else
    return false;
}

template <class Op, class Space, class... Args>
void dispatch(portable_on<Space> const& space, Args const&... args) {
  Op::run(space.space, args...);
}

}  // namespace araios::impl
