# Every target of ours: C++20, includes written from the top of the tree, warnings as errors.
add_library(simtrain_options INTERFACE)
target_compile_features(simtrain_options INTERFACE cxx_std_20)
target_include_directories(simtrain_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(simtrain_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
# What newer libraries call deprecated, those of Debian 12 may have nothing else for.
target_compile_options(simtrain_options INTERFACE -Wno-error=deprecated-declarations)
# GCC 12 and 13 warn wrongly of overlapping copies in std::string operator+ (GCC bug 105651).
target_compile_options(simtrain_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
target_compile_definitions(simtrain_options INTERFACE SIMTRAIN_VERSION="${PROJECT_VERSION}")

set(SIMTRAIN_SANITIZE "" CACHE STRING "Comma-separated sanitizers, such as address,undefined")
if(SIMTRAIN_SANITIZE)
  target_compile_options(simtrain_options INTERFACE -fsanitize=${SIMTRAIN_SANITIZE} -fno-sanitize-recover=all
                                                    -fno-omit-frame-pointer)
  target_link_options(simtrain_options INTERFACE -fsanitize=${SIMTRAIN_SANITIZE})
endif()

# simtrain_library(NAME SOURCES a.cpp ... LINKS other ...)
function(simtrain_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC simtrain_options ${ARG_LINKS})
endfunction()

add_custom_target(programs)  # all of them, without the tests

# simtrain_program(NAME SOURCES a.cpp ... LINKS other ...): lands in bin and is installed.
function(simtrain_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE simtrain_options ${ARG_LINKS})
  add_dependencies(programs ${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
