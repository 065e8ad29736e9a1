#include "PlaitModule.h"

#include "PlaitHair.h"
#include "PlaitStrandTexture.h"

#include "Async/ParallelFor.h"
#include "Async/TaskGraphInterfaces.h"
#include "HAL/UnrealMemory.h"
#include "Interfaces/IPluginManager.h"
#include "Misc/Paths.h"
#include "Modules/ModuleManager.h"

DEFINE_LOG_CATEGORY(LogPlait);

IMPLEMENT_MODULE(FPlaitModule, Plait)

namespace
{
void* PLAIT_CALL Allocate(void*, size_t Size, size_t Alignment)
{
	return FMemory::Malloc(Size, static_cast<uint32>(Alignment));
}

void PLAIT_CALL Release(void*, void* Pointer, size_t, size_t)
{
	FMemory::Free(Pointer);
}

void PLAIT_CALL Log(void*, uint32_t Level, int32_t Id, const char* Text)
{
	const FString Message = UTF8_TO_TCHAR(Text);
	if (Level >= PLAIT_LOG_ERROR)
	{
		const FString Name = UTF8_TO_TCHAR(PlaitResultName(Id));
		UE_LOG(LogPlait, Error, TEXT("%s: %s"), *Name, *Message);
	}
	else if (Level == PLAIT_LOG_WARNING)
	{
		UE_LOG(LogPlait, Warning, TEXT("%s"), *Message);
	}
	else
	{
		UE_LOG(LogPlait, Log, TEXT("%s"), *Message);
	}
}

void PLAIT_CALL RunParallel(void*, uint32_t Count, plait_job Job, void* Argument)
{
	ParallelFor(
		static_cast<int32>(Count), [Job, Argument](int32 Index) { Job(Argument, static_cast<uint32_t>(Index)); });
}

// Where Build.cs expects the library.
FString LibraryPath()
{
	const TSharedPtr<IPlugin> Plugin = IPluginManager::Get().FindPlugin(TEXT("Plait"));
	const FString Base = Plugin.IsValid() ? Plugin->GetBaseDir() : FString();
#if PLATFORM_WINDOWS
	return FPaths::ConvertRelativePathToFull(Base / TEXT("Binaries/ThirdParty/Plait/Win64/plait.dll"));
#else
	return FPaths::ConvertRelativePathToFull(Base / TEXT("Binaries/ThirdParty/Plait/Linux/libplait.so.1"));
#endif
}
} // namespace

FPlaitModule& FPlaitModule::Get()
{
	return FModuleManager::LoadModuleChecked<FPlaitModule>(TEXT("Plait"));
}

void FPlaitModule::StartupModule()
{
	FPlaitStrandTexture::RequestExtensions();
	const FString Path = LibraryPath();
	char Why[512];
	if (plait_loader_open(TCHAR_TO_UTF8(*Path), &Api, Why, sizeof Why) != PLAIT_OK)
	{
		const FString Reason = UTF8_TO_TCHAR(Why);
		UE_LOG(LogPlait, Error, TEXT("The library cannot be opened, so there is no hair: %s"), *Reason);
		return;
	}
	plait_allocator Allocator = PLAIT_ALLOCATOR_INIT;
	Allocator.allocate = Allocate;
	Allocator.release = Release;
	plait_logger Logger = PLAIT_LOGGER_INIT;
	Logger.log = Log;
	Logger.min_level = PLAIT_LOG_INFO;
	plait_jobs Jobs = PLAIT_JOBS_INIT;
	Jobs.parallel_for = RunParallel;
	Jobs.thread_count = static_cast<uint32_t>(FTaskGraphInterface::Get().GetNumWorkerThreads()) + 1;
	plait_context_desc Desc = PLAIT_CONTEXT_DESC_INIT;
	Desc.allocator = &Allocator;
	Desc.logger = &Logger;
	Desc.jobs = &Jobs;
	const plait_result Result = Api.plait_context_create(&Desc, &Context);
	if (Result < 0)
	{
		const FString Name = UTF8_TO_TCHAR(PlaitResultName(Result));
		UE_LOG(LogPlait, Error, TEXT("plait_context_create: %s"), *Name);
		plait_loader_close(&Api);
	}
}

void FPlaitModule::ShutdownModule()
{
	for (plait_device& Device : Devices)
	{
		if (Device.id)
		{
			Api.plait_device_close(Device);
		}
		Device.id = 0;
	}
	if (Context.id)
	{
		Api.plait_context_destroy(Context);
	}
	Context.id = 0;
	plait_loader_close(&Api);
}

plait_result FPlaitModule::GetDevice(EPlaitBackend Backend, plait_device& OutDevice)
{
	static const uint32 Backends[] = {PLAIT_BACKEND_BEST, PLAIT_BACKEND_CPU, PLAIT_BACKEND_VULKAN, PLAIT_BACKEND_CUDA};
	plait_device& Device = Devices[static_cast<uint8>(Backend)];
	if (!Device.id)
	{
		plait_device_desc Desc = PLAIT_DEVICE_DESC_INIT;
		Desc.backend = Backends[static_cast<uint8>(Backend)];
		if (Backend == EPlaitBackend::Vulkan)
		{
			FPlaitStrandTexture::GetCard(Desc.uuid); // the renderer's, so that memory can be shared
		}
		const plait_result Result = Api.plait_device_open(Context, &Desc, &Device);
		if (Result < 0)
		{
			return Result;
		}
	}
	OutDevice = Device;
	return PLAIT_OK;
}
