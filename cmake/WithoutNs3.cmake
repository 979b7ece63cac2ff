# Stand-ins for ns-3, with which SimGrid starts without it.
#
# Debian's libsimgrid is linked with eight libraries of ns-3, which need as many again: 49 MB, of whose files every start
# reads 20 MiB and whose initialisation is two thirds of what `simtrain --version` takes, for a model of networks that
# sim/engine/engine.cpp never chooses. The loader takes a library that is there already for one of the same name
# (DT_SONAME), so programs are linked with libraries of these names that hold what libsimgrid asks for: functions that
# end the program with a message, but for those that libsimgrid calls when it is loaded and unloaded, which do nothing.
# Where the files are missing, the loader finds ns-3.
#
# Sets WITHOUT_NS3_LIBRARIES: the stand-ins; empty where SimGrid needs no ns-3, or does not start with them.
set(WITHOUT_NS3_LIBRARIES "")
set(without_ns3_folder "${CMAKE_BINARY_DIR}/lib/simtrain")
option(SIMTRAIN_WITHOUT_NS3 "Start SimGrid without the ns-3 that it is linked with" ON)

# The names of the libraries of ns-3 that a shared library needs.
function(simtrain_ns3_names library result)
  execute_process(COMMAND ${CMAKE_READELF} --dynamic --wide "${library}" OUTPUT_VARIABLE text ERROR_QUIET)
  string(REGEX MATCHALL "\\[libns3[^]]*\\]" names "${text}")
  list(TRANSFORM names REPLACE "[][]" "")
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# C++ with a definition for each symbol of ns-3 that the library does not define itself. Symbols are told apart by how
# they are mangled: vtables, type information and Time::g_markingTimes are data.
function(simtrain_ns3_source library result)
  execute_process(COMMAND ${CMAKE_NM} --dynamic --undefined-only "${library}" OUTPUT_VARIABLE text ERROR_QUIET)
  string(REGEX MATCHALL "_Z[A-Za-z0-9_]*3ns3[A-Za-z0-9_]*" symbols "${text}")
  list(REMOVE_DUPLICATES symbols)
  set(source "#include <cstdio>\n#include <cstdlib>\nextern \"C\" {\n")
  foreach(symbol IN LISTS symbols)
    if(symbol MATCHES "^_ZT[VI]" OR symbol MATCHES "g_markingTimesE$")
      string(APPEND source "void* ${symbol}[64];\n")
    elseif(symbol MATCHES "^_ZN3ns3(19InternetStackHelper[CD]1Ev|4Time10StaticInitEv)$")
      string(APPEND source "int ${symbol}() { return 0; }\n")
    else()
      string(APPEND source "void ${symbol}() { std::fputs(\"ns-3 was left out of this build: ${symbol}\\n\", stderr); "
                           "std::abort(); }\n")
    endif()
  endforeach()
  set(${result} "${source}}\n" PARENT_SCOPE)
endfunction()

# Whether a program with these libraries starts SimGrid and ends.
function(simtrain_simgrid_starts libraries result)
  set(program "${CMAKE_BINARY_DIR}/without_ns3/start.cpp")
  file(WRITE "${program}" "#include <simgrid/s4u.hpp>\nint main(int argc, char** argv) {\n"
                          "  simgrid::s4u::Engine engine(&argc, argv);\n  return argc == 1 ? 0 : 1;\n}\n")
  try_run(status compiled "${CMAKE_BINARY_DIR}/without_ns3" "${program}"
          CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${SIMGRID_INCLUDE_DIR}" "-DCMAKE_BUILD_RPATH=${without_ns3_folder}"
          LINK_OPTIONS -Wl,--no-as-needed
          LINK_LIBRARIES ${libraries} ${SIMGRID_LIBRARY}
          CXX_STANDARD 20)
  if(compiled AND status EQUAL 0)
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

simtrain_ns3_names("${SIMGRID_LIBRARY}" ns3_names)
if(SIMTRAIN_WITHOUT_NS3 AND ns3_names)
  simtrain_ns3_source("${SIMGRID_LIBRARY}" source)
  file(MAKE_DIRECTORY "${without_ns3_folder}")
  set(file "${CMAKE_BINARY_DIR}/without_ns3/stand_in.cpp")
  foreach(name IN LISTS ns3_names)  # all is in the first
    file(WRITE "${file}" "${source}")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -shared -fPIC -O1 -o "${without_ns3_folder}/${name}" "${file}"
                            "-Wl,-soname,${name}"
                    RESULT_VARIABLE failed ERROR_VARIABLE errors)
    if(failed)
      message(WARNING "no stand-in for ${name}: ${errors}")
    else()
      list(APPEND WITHOUT_NS3_LIBRARIES "${without_ns3_folder}/${name}")
    endif()
    set(source "")
  endforeach()
  simtrain_simgrid_starts("${WITHOUT_NS3_LIBRARIES}" starts)
  if(starts)
    message(STATUS "SimGrid starts without ns-3")
    install(FILES ${WITHOUT_NS3_LIBRARIES} DESTINATION "${CMAKE_INSTALL_LIBDIR}/simtrain")
  else()
    message(STATUS "SimGrid does not start without ns-3, which is therefore loaded")
    set(WITHOUT_NS3_LIBRARIES "")
  endif()
endif()
