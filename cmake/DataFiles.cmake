# The programs look for data in ../share/simtrain beside their own folder (base/files.hpp).
set(data "${CMAKE_BINARY_DIR}/share/simtrain")
file(MAKE_DIRECTORY "${data}")
foreach(pair "platforms:platforms" "scenarios:scenarios" "calibrate/profiles:profiles" "docs/help:help"
        "report/page:page")
  string(REPLACE ":" ";" pair "${pair}")
  list(GET pair 0 source)
  list(GET pair 1 name)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${source}" "${data}/${name}" SYMBOLIC)
  install(DIRECTORY "${source}/" DESTINATION "${CMAKE_INSTALL_DATADIR}/simtrain/${name}")
endforeach()

install(FILES completions/simtrain.bash DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME simtrain)
foreach(program mpitrain calibrate)
  install(FILES completions/simtrain.bash DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
          RENAME ${program})
endforeach()

# Manual pages are what --help says.
find_program(HELP2MAN help2man REQUIRED)
foreach(program simtrain mpitrain calibrate)
  set(page "${CMAKE_BINARY_DIR}/share/man/man1/${program}.1")
  add_custom_command(
    OUTPUT "${page}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${CMAKE_BINARY_DIR}/share/man/man1"
    COMMAND ${CMAKE_COMMAND} -E env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
            ${HELP2MAN} --no-info --no-discard-stderr --version-string=${PROJECT_VERSION} --output=${page}
            $<TARGET_FILE:${program}>
    DEPENDS ${program}
    COMMENT "Manual page ${program}.1"
    VERBATIM)
  list(APPEND pages "${page}")
endforeach()
add_custom_target(manual_pages ALL DEPENDS ${pages})
install(FILES ${pages} DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")

# What pages draw their charts with is copied at installation, so that the programs do not need the package later.
file(MAKE_DIRECTORY "${data}/javascript")
file(CREATE_LINK "${CHART_JS}" "${data}/javascript/chart.min.js" SYMBOLIC)
file(REAL_PATH "${CHART_JS}" chart_js)
install(FILES "${chart_js}" DESTINATION "${CMAKE_INSTALL_DATADIR}/simtrain/javascript" RENAME chart.min.js)
