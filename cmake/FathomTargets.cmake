# Flags that belong to this project's own targets, never to those of its users.

set(FATHOM_SANITIZE "" CACHE STRING "Sanitizers for every target of this build, e.g. address,undefined")

function(fathom_flags target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    # Contraction into fused multiply-add would break the exact predicates and make results depend on the CPU.
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -ffp-contract=off
        $<$<BOOL:${FATHOM_WERROR}>:-Werror>)
    # g++ collects garbage whenever its heap has grown by a third: with a larger step a build takes a tenth less time.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)
    if(FATHOM_SANITIZE)
        target_compile_options(${target} PRIVATE -fsanitize=${FATHOM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
        target_link_options(${target} PUBLIC -fsanitize=${FATHOM_SANITIZE})
    endif()
endfunction()

option(FATHOM_UNITY "Compile the files of a folder together" ON)

# fathom_unity(TARGET SOURCES...): compiles the files of each folder together, at most eight at a time. Files that Highway
# compiles once a CPU target include themselves and stay on their own.
function(fathom_unity target)
    if(NOT FATHOM_UNITY)
        return()
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    # In a unity build g++ takes a .cpp for a header, where members of unnamed-namespace types would be a fault.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    set(previous "")
    foreach(source IN LISTS ARGN)
        file(STRINGS ${source} own REGEX "HWY_TARGET_INCLUDE" LIMIT_COUNT 1)
        get_filename_component(folder ${source} DIRECTORY)
        if(NOT folder STREQUAL previous)
            set(previous "${folder}")
            set(count 0)
        endif()
        if(own)
            continue()
        endif()
        math(EXPR batch "${count} / 8")
        math(EXPR count "${count} + 1")
        file(RELATIVE_PATH name ${CMAKE_CURRENT_SOURCE_DIR} ${folder})
        string(MAKE_C_IDENTIFIER "${target}_${name}_${batch}" name)
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name})
    endforeach()
endfunction()
