# An outside program takes the source tree in as a subfolder: it is configured and compiled against the targets of the
# subfolder. Building the library a second time takes minutes, so that only FATHOM_LONG=1 links and runs the program.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(work ${BUILD}/install_test/add_subdirectory)
file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} -S ${SOURCE}/outside -B ${work} -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX}
    "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" -DFATHOM_SUBDIRECTORY=${FATHOM})
run(${CMAKE_COMMAND} --build ${work} --target CMakeFiles/outside.dir/main.cpp.o)
if("$ENV{FATHOM_LONG}" STREQUAL "1")
    run(${CMAKE_COMMAND} --build ${work} --target outside)
    run(${CMAKE_COMMAND} -E chdir ${work} ${work}/outside)
endif()
