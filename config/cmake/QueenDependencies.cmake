# Finds every package; all of them are Debian 12's own.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Boost 1.81 CONFIG REQUIRED)
find_package(RapidJSON CONFIG REQUIRED)
find_package(RocksDB 7.8 CONFIG REQUIRED)
find_package(Catch2 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)

# CAF ships neither a CMake config nor a .pc file in Debian. The tsan preset
# points QUEEN_CAF_ROOT at a build of Debian's source with -fsanitize=thread.
set(QUEEN_CAF_ROOT "" CACHE PATH "Where to look for CAF before the system")
find_path(CAF_INCLUDE_DIR caf/all.hpp HINTS ${QUEEN_CAF_ROOT}/include REQUIRED)
find_library(CAF_CORE_LIBRARY caf_core HINTS ${QUEEN_CAF_ROOT}/lib REQUIRED)
add_library(CAF::core SHARED IMPORTED)
set_target_properties(CAF::core PROPERTIES IMPORTED_LOCATION ${CAF_CORE_LIBRARY})
target_include_directories(CAF::core SYSTEM INTERFACE ${CAF_INCLUDE_DIR})
target_link_libraries(CAF::core INTERFACE Threads::Threads)

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_library(XXHASH_LIBRARY xxhash REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)
find_library(MIMALLOC_LIBRARY mimalloc REQUIRED)
