# Core and the CPU backend call no function of the C library whose last bits differ from one library to another: what
# they compute is the state. Square roots, rounding and the like are exact by IEEE 754. fma should be, but MinGW's is not.
# cmake -DNM=... -DOBJECTS=... -P imports.cmake
set(inexact acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp10 exp2 expm1 fma hypot lgamma log log10
            log1p log2 pow sin sincos sinh tan tanh tgamma)
list(LENGTH OBJECTS count)
if(count LESS 20)
  message(FATAL_ERROR "only ${count} objects: ${OBJECTS}")
endif()
list(JOIN inexact "|" names)
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} --undefined-only --format=posix ${object}
                  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
  list(TRANSFORM symbols REPLACE " .*" "")
  list(FILTER symbols INCLUDE REGEX "^_*(${names})[fl]?(_finite)?$")
  foreach(symbol IN LISTS symbols)
    message(SEND_ERROR "${object} calls ${symbol}")
  endforeach()
endforeach()
