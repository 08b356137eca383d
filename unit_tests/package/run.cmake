# Configures SOURCE_DIR in WORK_DIR with OPTIONS. If there are texts in REFUSED, this must fail with a
# message that holds all of them; otherwise everything is built and each program run.
file(REMOVE_RECURSE ${WORK_DIR})
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR} -G ${GENERATOR}
          -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
          -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O0  # compiles in half the time
          ${OPTIONS}
  RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
message(STATUS "${text}")
if(NOT REFUSED STREQUAL "")
  string(REGEX REPLACE "[ \n]+" " " text "${text}")  # CMake wraps its messages
  if(status EQUAL 0)
    message(FATAL_ERROR "configuring succeeded, but should have been refused")
  endif()
  foreach(part IN LISTS REFUSED)
    string(FIND "${text}" "${part}" found)
    if(found EQUAL -1)
      message(FATAL_ERROR "refused, but the message does not say '${part}'")
    endif()
  endforeach()
  return()
endif()
if(NOT status EQUAL 0)
  message(FATAL_ERROR "configuring failed")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB programs ${WORK_DIR}/consumer_*)
if(NOT programs)
  message(FATAL_ERROR "no program was built")
endif()
foreach(program IN LISTS programs)
  execute_process(COMMAND ${program} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
