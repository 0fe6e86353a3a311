/* For the C++ lines of doc/FROM.md: what prints results. */
#include <cstdio>
#include <cstdlib>

inline void show_y() {
  for (double each : y) std::printf("%.17g\n", each);
}
