# The warnings, definitions and sanitizers that every target of ours shares.
set(QUEEN_SANITIZE "" CACHE STRING "address,undefined or thread")
add_library(queen_options INTERFACE)
target_compile_options(queen_options INTERFACE -Wall -Wextra -Werror)
target_compile_definitions(queen_options INTERFACE
  BOOST_ASIO_NO_DEPRECATED RAPIDJSON_HAS_STDSTRING=1
  QUEEN_VERSION="${PROJECT_VERSION}")
target_include_directories(queen_options INTERFACE ${CMAKE_SOURCE_DIR})
target_include_directories(queen_options SYSTEM INTERFACE ${RapidJSON_INCLUDE_DIRS})
if(QUEEN_SANITIZE)
  target_compile_options(queen_options INTERFACE
    -fsanitize=${QUEEN_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(queen_options INTERFACE -fsanitize=${QUEEN_SANITIZE})
  if(QUEEN_SANITIZE MATCHES undefined)
    # A null reference inside a CAF 0.17 header (init_fun_factory.hpp), harmless.
    target_compile_options(queen_options INTERFACE -fno-sanitize=null)
  endif()
endif()

# queen_library(<name> <dependency>...): every .cpp below the current folder.
function(queen_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/queen[a-z_]+[.]cpp$") # the mains
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC queen_options ${ARGN})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE queen_options ${ARGN})
  endif()
endfunction()

# queen_test(<name> <source> LIBS <library>... [LABELS ...]): one Catch2 binary.
function(queen_test name)
  cmake_parse_arguments(T "" "" "SOURCES;LIBS;LABELS" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE catch_main ${T_LIBS} queen_options)
  if(QUEEN_SANITIZE)
    # GCC 12 takes what the sanitizers add to std::regex and std::optional for
    # reads of nothing.
    target_compile_options(${name} PRIVATE -Wno-maybe-uninitialized)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${T_LABELS}" TIMEOUT 900)
endfunction()
