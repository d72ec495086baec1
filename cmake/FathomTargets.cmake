# Flags that belong to this project's own targets, never to those of its users.

set(FATHOM_SANITIZE "" CACHE STRING "Sanitizers for every target of this build, e.g. address,undefined")

function(fathom_flags target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    # Contraction into fused multiply-add would break the exact predicates and make results depend on the CPU.
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -ffp-contract=off
        $<$<BOOL:${FATHOM_WERROR}>:-Werror>)
    if(FATHOM_SANITIZE)
        target_compile_options(${target} PRIVATE -fsanitize=${FATHOM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
        target_link_options(${target} PUBLIC -fsanitize=${FATHOM_SANITIZE})
    endif()
endfunction()
