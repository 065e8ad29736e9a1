# Cross build for Windows on x86-64, with the headers and libraries of MinGW-w64 (Debian: g++-mingw-w64-x86-64-posix, clang,
# lld). The compiler is clang: gcc for this system keeps the stack at 16 bytes, where the 32-byte vectors of AVX2 that it puts
# there fault (its bug 54412). The linker is lld: its import libraries are in the format of Microsoft's, so that linkers of
# both kinds take them. MinGW's posix flavour has std::mutex, which VulkanMemoryAllocator wants.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER clang)
set(CMAKE_CXX_COMPILER clang++)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_C_COMPILER_TARGET x86_64-w64-mingw32)
set(CMAKE_CXX_COMPILER_TARGET x86_64-w64-mingw32)

# clang does not find Debian's folders by flavour itself.
find_program(PLAIT_MINGW_GCC NAMES x86_64-w64-mingw32-gcc-posix x86_64-w64-mingw32-gcc)
if(NOT PLAIT_MINGW_GCC)
  message(FATAL_ERROR "MinGW-w64 was not found (Debian: g++-mingw-w64-x86-64-posix)")
endif()
execute_process(COMMAND ${PLAIT_MINGW_GCC} -print-libgcc-file-name OUTPUT_VARIABLE libgcc OUTPUT_STRIP_TRAILING_WHITESPACE)
get_filename_component(mingw ${libgcc} DIRECTORY)
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${mingw}/include/c++ ${mingw}/include/c++/x86_64-w64-mingw32)
# -static: what the compiler brings is linked in, and all files need DLLs of Windows alone.
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-fuse-ld=lld -static -L${mingw}")
endforeach()
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT -lpthread) # of libstdc++

# Of the system's headers those that are the same for every system: what the Vulkan backend is made of.
get_property(trying GLOBAL PROPERTY IN_TRY_COMPILE)
set(portable ${CMAKE_BINARY_DIR}/portable)
if(NOT trying)
  file(MAKE_DIRECTORY ${portable}/include)
  foreach(name vulkan vk_video volk.c volk.h vk_mem_alloc.h)
    if(EXISTS /usr/include/${name})
      file(CREATE_LINK /usr/include/${name} ${portable}/include/${name} SYMBOLIC)
    endif()
  endforeach()
endif()

set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32 ${portable})
set(ENV{PKG_CONFIG_LIBDIR} /usr/x86_64-w64-mingw32/lib/pkgconfig)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH) # CMAKE_PREFIX_PATH is where it says
