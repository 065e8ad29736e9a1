// A libvulkan.so.1 without the one function that it is opened for.
int nothing_of_vulkan = 1;
