#include "vulkan_rhi.h"

#include <cstdio>
#include <thread>

const FVector FVector::ZeroVector(0, 0, 0), FVector::UpVector(0, 0, 1), FVector::OneVector(1, 1, 1);
IModuleInterface *(*FModuleManager::Make)() = nullptr;
std::string IPlugin::Folder;
FDynamicRHI *GDynamicRHI = nullptr;
FTextureRHIRef (*stand_in_make_image)(int32 x, int32 y) = nullptr;

std::atomic<int> &stand_in_live_blocks() {
    static std::atomic<int> count;
    return count;
}

std::vector<std::string> &stand_in_log() {
    static std::vector<std::string> lines;
    return lines;
}

void stand_in_write(stand_in_verbosity verbosity, const TCHAR *format, ...) {
    std::wstring wide; // Unreal's %s is a TCHAR string, the C library's %ls
    for (; *format; format++) {
        wide += *format;
        if (format[0] == L'%' && format[1] == L's') wide += L'l';
    }
    wchar_t text[1024];
    va_list arguments;
    va_start(arguments, format);
    vswprintf(text, sizeof text / sizeof *text, wide.c_str(), arguments);
    va_end(arguments);
    static const char *const names[] = {"Error: ", "Warning: ", "Log: "};
    stand_in_log().push_back(names[(int)verbosity] + stand_in_narrow(text));
    printf("  LogPlait: %s\n", stand_in_log().back().c_str());
}

static IModuleInterface *module_;

IModuleInterface *FModuleManager::Started() {
    if (!module_) {
        module_ = Make();
        module_->StartupModule();
    }
    return module_;
}

void FModuleManager::Unload() {
    if (module_) module_->ShutdownModule();
    delete module_;
    module_ = nullptr;
}

void ParallelFor(int32 count, const std::function<void(int32)> &body) {
    std::thread half([&] {
        for (int32 i = 1; i < count; i += 2) body(i);
    });
    for (int32 i = 0; i < count; i += 2) body(i);
    half.join();
}

static std::vector<std::unique_ptr<UTexture2D>> textures;

UTexture2D *UTexture2D::CreateTransient(int32 x, int32 y, EPixelFormat) {
    textures.push_back(std::make_unique<UTexture2D>());
    textures.back()->SizeX = x;
    textures.back()->SizeY = y;
    return textures.back().get();
}

void stand_in_collect() { textures.clear(); }

void UTexture2D::UpdateResource() {
    resource.TextureRHI = stand_in_make_image ? stand_in_make_image(SizeX, SizeY) : nullptr;
}

void UTexture2D::UpdateTextureRegions(int32, uint32 count, const FUpdateTextureRegion2D *regions, uint32 pitch,
                                      uint32 texel, uint8 *data,
                                      TFunction<void(uint8 *, const FUpdateTextureRegion2D *)> done) {
    Pixels.resize(4 * (size_t)SizeX * (size_t)SizeY);
    for (uint32 i = 0; i < count; i++)
        for (uint32 y = 0; y < regions[i].Height; y++)
            memcpy(&Pixels[4 * ((size_t)(regions[i].DestY + y) * (size_t)SizeX + regions[i].DestX)],
                   data + (size_t)y * pitch, (size_t)regions[i].Width * texel);
    done(data, regions);
}

std::vector<std::string> &IVulkanDynamicRHI::Extensions() {
    static std::vector<std::string> names;
    return names;
}

void IVulkanDynamicRHI::AddEnabledDeviceExtensionsAndLayers(TArrayView<const ANSICHAR *const> extensions,
                                                            TArrayView<const ANSICHAR *const>) {
    for (const char *name : extensions) Extensions().push_back(name);
}
