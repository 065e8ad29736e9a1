// The texture that strands are drawn from: texel (v % 1024, v / 1024) has position and radius of vertex v. Niagara reads it
// as a texture, and so does any material.
#pragma once

#include "CoreMinimal.h"

#include "PlaitHair.h"

#include <atomic>
#include <memory>

class UTexture2D;
class FPlaitVulkanCopy;

class FPlaitStrandTexture
{
public:
	/** Asks the Vulkan RHI for what sharing memory needs. Before the RHI starts. */
	static void RequestExtensions();
	/** Which card the Vulkan RHI runs on; unchanged where the RHI is another. */
	static void GetCard(uint8 OutUuid[16]);

	/** A new texture for this hair, and a way to get its strands there: on the GPU if that works, else by the CPU. */
	plait_result Open(FPlaitHair& Hair, bool bAllowGpu);
	void Close();

	/** Brings the last step into the texture. */
	plait_result Update(FPlaitHair& Hair);

	UTexture2D* GetTexture() const { return Texture; }
	bool IsOnGpu() const { return Copy != nullptr; }

private:
	bool OpenOnGpu(FPlaitHair& Hair);
	void UpdateOnGpu(FPlaitHair& Hair);
	void UpdateFromHost(const FPlaitHair& Hair);

	/** Kept alive by the component, which shows it to the garbage collector. */
	UTexture2D* Texture = nullptr;
	int32 Rows = 0;
	std::shared_ptr<FPlaitVulkanCopy> Copy;
	/** Set by the render thread when a copy could not be submitted. */
	std::shared_ptr<std::atomic<bool>> CopyFailed;
};
