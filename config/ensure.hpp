#pragma once

// The one way to state an invariant that must hold.

#include <cstdio>
#include <cstdlib>

/// Stops the process when the programmer was wrong. Stays on in release builds:
/// a broken invariant must not reach the disk. Never for input from outside.
#define ENSURE(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      std::fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__,          \
                   #condition);                                                \
      std::abort();                                                            \
    }                                                                          \
  } while (false)
