# Headers of operating systems are included where core/platform.h has its two sides, in the block that the loader keeps for
# hosts that compile it alone, and where CUDA on Windows wants a type of its own; nowhere else in the library.
cmake_minimum_required(VERSION 3.25)
set(allowed core/platform.h core/platform_posix.c core/platform_windows.c abi/plait_loader.c backends/cuda/external.c)
set(system "(pthread|unistd|dlfcn|sched|time|fcntl|poll|threads|windows|winternl|process|io|malloc)\\.h|sys/|linux/|mach/")

cmake_path(SET root NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../..)
file(GLOB_RECURSE files RELATIVE ${root} ${root}/core/*.[ch] ${root}/backends/*.[ch] ${root}/abi/*.[ch])
list(LENGTH files count)
if(count LESS 50)
  message(FATAL_ERROR "only ${count} files were found")
endif()
foreach(file IN LISTS files)
  file(STRINGS ${root}/${file} found REGEX "^ *# *include *<(${system})")
  if(found AND NOT file IN_LIST allowed)
    message(SEND_ERROR "${file}: ${found}")
  endif()
endforeach()
