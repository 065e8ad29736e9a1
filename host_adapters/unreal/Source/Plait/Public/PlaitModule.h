// The module: Plait's library, one context for the process, and one device a backend.
#pragma once

#include "Modules/ModuleInterface.h"

#include "PlaitTypes.h"

#include "plait_loader.h"

PLAIT_API DECLARE_LOG_CATEGORY_EXTERN(LogPlait, Log, All);

class PLAIT_API FPlaitModule : public IModuleInterface
{
public:
	virtual void StartupModule() override;
	virtual void ShutdownModule() override;

	static FPlaitModule& Get();

	/** Null if the library could not be opened; the log says why. */
	const plait_api* GetApi() const { return Api.library ? &Api : nullptr; }
	plait_context GetContext() const { return Context; }

	/** The device of a backend, opened when it is first asked for. Game thread. */
	plait_result GetDevice(EPlaitBackend Backend, plait_device& OutDevice);

private:
	plait_api Api = {};
	plait_context Context = {0};
	plait_device Devices[4] = {};
};
