# Debian packages: see the list in ./dev.
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Boost REQUIRED COMPONENTS program_options)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(EXPAT REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(PkgConfig REQUIRED)

pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)

# A simulation allocates and frees some objects of each rank in turns, rank after rank: with jemalloc it takes a third less
# time than with glibc's allocator (docs/performance.md). Sanitizers bring their own.
pkg_check_modules(JEMALLOC REQUIRED IMPORTED_TARGET jemalloc)
add_library(allocator INTERFACE)
if(NOT SIMTRAIN_SANITIZE)
  target_link_libraries(allocator INTERFACE PkgConfig::JEMALLOC)
endif()

# Open MPI, in C. The C++ wrappers of MPI-2 are not used.
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI REQUIRED COMPONENTS CXX)

# SimGrid, with plain g++: its smpicxx wrapper redefines malloc, exit, sleep and getpid.
find_path(SIMGRID_INCLUDE_DIR simgrid/s4u.hpp REQUIRED)
find_library(SIMGRID_LIBRARY simgrid REQUIRED)
file(STRINGS "${SIMGRID_INCLUDE_DIR}/simgrid/version.h" SIMGRID_MAJOR_VERSION REGEX "^#define SIMGRID_VERSION_MAJOR ")
string(REGEX MATCH "[0-9]+" SIMGRID_MAJOR_VERSION "${SIMGRID_MAJOR_VERSION}")
add_library(simgrid INTERFACE)
target_include_directories(simgrid SYSTEM INTERFACE "${SIMGRID_INCLUDE_DIR}")
include(WithoutNs3)
set(CMAKE_CXX_LINK_LIBRARY_USING_without_reference "LINKER:--push-state,--no-as-needed" "<LINK_ITEM>" "LINKER:--pop-state")
set(CMAKE_CXX_LINK_LIBRARY_USING_without_reference_SUPPORTED TRUE)
foreach(library IN LISTS WITHOUT_NS3_LIBRARIES)
  target_link_libraries(simgrid INTERFACE "$<LINK_LIBRARY:without_reference,${library}>")
endforeach()
target_link_libraries(simgrid INTERFACE "${SIMGRID_LIBRARY}")
# <mpi.h> for sources that are compiled against SMPI.
add_library(smpi INTERFACE)
target_include_directories(smpi SYSTEM BEFORE INTERFACE "${PROJECT_SOURCE_DIR}/sim/smpi_include")
target_link_libraries(smpi INTERFACE simgrid)

# The charts of pages (simtrain --report), put into them as it is.
find_file(CHART_JS chart.min.js PATH_SUFFIXES share/javascript/chart.js share/nodejs/chart.js/dist
          DOC "Chart.js 3, minified")
if(NOT CHART_JS)
  message(FATAL_ERROR "Chart.js was not found (chart.min.js, Debian's package libjs-chart.js); -DCHART_JS=FILE names it")
endif()
