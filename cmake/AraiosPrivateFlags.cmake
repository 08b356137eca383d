# Warnings and sanitizers (and no search for modules) for a target of Araios itself; nothing of it reaches a consumer.
function(araios_private_flags target)
  set_target_properties(${target} PROPERTIES CXX_SCAN_FOR_MODULES OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra)
  if(ARAIOS_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
    if(CUDA IN_LIST ARAIOS_BACKENDS)
      # nvcc_wrapper hands -Werror to nvcc with its list of kinds, and to the host compiler as it is
      target_compile_options(${target} PRIVATE -Werror=all-warnings)
    endif()
  endif()
  if(ARAIOS_SANITIZE)
    string(REPLACE ";" "," sanitizers "${ARAIOS_SANITIZE}")
    target_compile_options(${target} PRIVATE -fsanitize=${sanitizers} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer -g1)
    target_link_options(${target} PRIVATE -fsanitize=${sanitizers})
  endif()
endfunction()
