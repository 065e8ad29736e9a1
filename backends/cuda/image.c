// The kernels as the driver takes them: PTX text with its ending zero, or a fatbin; whatever PLAIT_CUDA_ARCHITECTURES
// asked for. PLAIT_CUDA_IMAGE is the file.
#if defined(_WIN32)
#define SECTION ".section .rdata,\"dr\""
#define HIDDEN
#else
#define SECTION ".section .rodata"
#define HIDDEN ".hidden plait_cuda_image\n"
#endif

__asm__(SECTION "\n"
                ".balign 16\n"
                ".globl plait_cuda_image\n" HIDDEN "plait_cuda_image:\n"
                ".incbin \"" PLAIT_CUDA_IMAGE "\"\n"
                ".byte 0\n"
                ".text\n");
