# Installs the built library into an empty prefix and builds and runs an outside program against it.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(work ${BUILD}/install_test/find_package)
file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE}/outside -B ${work}/build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_PREFIX_PATH=${work}/prefix)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${CMAKE_COMMAND} -E chdir ${work}/build ${work}/build/outside)
