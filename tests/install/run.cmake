# run(COMMAND...): stops the test where the command fails.
function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE code)
    if(NOT code EQUAL 0)
        message(FATAL_ERROR "failed: ${ARGV}")
    endif()
endfunction()
