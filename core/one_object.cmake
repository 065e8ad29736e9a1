# For the static library: makes one object of all in `objects`, in which only the functions of the headers are left to link to.
# Our other names are hidden, which is enough in a shared library; from an archive they would meet a host's own.
if(NOT CMAKE_OBJCOPY)
  message(FATAL_ERROR "Plait: the static library needs objcopy (of GNU binutils or LLVM), which was not found. Set "
                      "CMAKE_OBJCOPY, or leave BUILD_SHARED_LIBS on.")
endif()

# What is compiled when a host is linked has no names to hide yet.
target_compile_options(plait_flags INTERFACE -fno-lto)

set(object ${CMAKE_CURRENT_BINARY_DIR}/plait${CMAKE_C_OUTPUT_EXTENSION})
add_custom_command(
  OUTPUT ${object}
  COMMAND ${CMAKE_LINKER} -r -o ${object} ${objects}
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${object}
  DEPENDS ${objects}
  COMMENT "Linking C object ${object}"
  COMMAND_EXPAND_LISTS VERBATIM)
set(objects ${object})
