# Target header_checks: every header compiled alone, so that each includes what it uses. The file that is compiled holds
# the include twice: a header without its guard fails as well. Not part of "all"; ./dev lint and a test build it.
#
# A folder's headers see the libraries that its sources see; train/ is written for both worlds and checked in both.
add_custom_target(header_checks)

# simtrain_check_headers(NAME FOLDERS folder ... LINKS target ...)
function(simtrain_check_headers name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;LINKS" ${ARGN})
  set(sources "")
  foreach(folder IN LISTS ARG_FOLDERS)
    file(GLOB headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/${folder}/*.hpp")
    foreach(header IN LISTS headers)
      set(source "${PROJECT_BINARY_DIR}/header_checks/${name}/${header}.cpp")
      file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"@header@\"\n#include \"@header@\"\n" @ONLY)
      list(APPEND sources "${source}")
    endforeach()
  endforeach()
  add_library(header_checks_${name} OBJECT EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(header_checks_${name} PRIVATE simtrain_options ${ARG_LINKS})
  target_compile_options(header_checks_${name} PRIVATE -O0)  # nobody runs them
  add_dependencies(header_checks header_checks_${name})
endfunction()

simtrain_check_headers(native FOLDERS base kernels calibrate report train
                       LINKS nlohmann_json::nlohmann_json PkgConfig::OPENBLAS Boost::program_options MPI::MPI_CXX)
simtrain_check_headers(smpi FOLDERS train sim/commands sim/engine sim/placement sim/platform sim/prediction sim/sweep
                       LINKS nlohmann_json::nlohmann_json Boost::program_options smpi)
