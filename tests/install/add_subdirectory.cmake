# Builds and runs an outside program that takes the source tree in as a subfolder.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(work ${BUILD}/install_test/add_subdirectory)
file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} -S ${SOURCE}/outside -B ${work} -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX}
    "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" -DFATHOM_SUBDIRECTORY=${FATHOM})
run(${CMAKE_COMMAND} --build ${work} --target outside)
run(${work}/outside)
