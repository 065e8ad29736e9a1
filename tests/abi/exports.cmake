# The shared library exports the functions of PLAIT_FOR_EACH_FUNCTION and nothing else.
# cmake -DNM=... -DLIBRARY=... -DHEADER=... -P exports.cmake
file(READ ${HEADER} header)
get_filename_component(folder ${HEADER} DIRECTORY)
foreach(interface cuda vulkan)
  file(READ ${folder}/plait_${interface}.h interface_header)
  string(APPEND header "${interface_header}")
endforeach()
string(REGEX MATCHALL "X\\(plait_[a-z_]+\\)" listed "${header}")
list(TRANSFORM listed REPLACE "X\\((.*)\\)" "\\1")
string(REGEX MATCHALL "PLAIT_FUNCTION\\(plait_[a-z_]+|PLAIT_CALL plait_[a-z_]+\\(" declared "${header}")
list(TRANSFORM declared REPLACE ".*(plait_[a-z_]+).*" "\\1")

execute_process(COMMAND ${NM} --dynamic --defined-only --format=posix ${LIBRARY}
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
list(TRANSFORM symbols REPLACE " .*" "")
# Ignores what the linker, the C runtime and the sanitizers put into every library.
list(FILTER symbols EXCLUDE REGEX "^(_init|_fini|_edata|_end|__bss_start)$")
list(FILTER symbols EXCLUDE REGEX "^_*(odr_|start_|stop_)?(asan|ubsan|tsan|lsan|sanitizer)")

function(expect_same what a b)
  list(SORT a)
  list(SORT b)
  if(NOT "${a}" STREQUAL "${b}")
    set(extra ${a})
    list(REMOVE_ITEM extra ${b})
    set(missing ${b})
    list(REMOVE_ITEM missing ${a})
    message(FATAL_ERROR "${what}\n  too many: ${extra}\n  missing: ${missing}")
  endif()
endfunction()

list(LENGTH listed count)
if(count LESS 30)
  message(FATAL_ERROR "only ${count} functions found in ${HEADER}")
endif()
expect_same("functions declared in the header, against PLAIT_FOR_EACH_FUNCTION" "${declared}" "${listed}")
expect_same("symbols of the library, against PLAIT_FOR_EACH_FUNCTION" "${symbols}" "${listed}")
