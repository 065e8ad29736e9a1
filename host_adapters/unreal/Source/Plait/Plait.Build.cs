// Where the module finds Plait: headers and the loader's source in Source/ThirdParty/Plait, libraries in
// Binaries/ThirdParty/Plait/<platform>. `cmake --install <build> --component unreal` fills both.
using System.IO;
using UnrealBuildTool;

public class Plait : ModuleRules
{
	public Plait(ReadOnlyTargetRules Target) : base(Target)
	{
		// The loader's source includes windows.h, which the engine's headers must not meet.
		PCHUsage = PCHUsageMode.NoPCHs;
		bUseUnity = false;
		PublicDependencyModuleNames.AddRange(new string[] { "Core", "CoreUObject", "Engine" });
		PrivateDependencyModuleNames.AddRange(new string[] { "PhysicsCore", "Projects", "RenderCore", "RHI" });
		if (Target.bBuildEditor)
		{
			// Guides are read from Groom assets in the editor only: games have them in UPlaitGroom.
			PrivateDependencyModuleNames.Add("HairStrandsCore");
		}

		string ThirdParty = Path.Combine(PluginDirectory, "Source", "ThirdParty", "Plait");
		if (!File.Exists(Path.Combine(ThirdParty, "plait.h")))
		{
			throw new BuildException("Plait: " + ThirdParty + " has no plait.h; see the plugin's README.md.");
		}
		PublicSystemIncludePaths.Add(ThirdParty);

		// The library is opened by its path when the module starts (plait_loader.c), so nothing is linked and there is
		// no import for the linker to delay. Modules of GPUs are opened by the library, from beside it.
		bool bWindows = Target.Platform == UnrealTargetPlatform.Win64;
		string Folder = bWindows ? "Win64" : "Linux";
		string[] Names = bWindows
			? new string[] { "plait.dll", "plait_vulkan.dll", "plait_cuda.dll" }
			: new string[] { "libplait.so.1", "libplait_vulkan.so.1", "libplait_cuda.so.1" };
		foreach (string Name in Names)
		{
			string File_ = Path.Combine(PluginDirectory, "Binaries", "ThirdParty", "Plait", Folder, Name);
			if (File.Exists(File_))
			{
				RuntimeDependencies.Add(File_);
			}
			else if (Name == Names[0])
			{
				throw new BuildException("Plait: " + File_ + " is missing; see the plugin's README.md.");
			}
		}

		// Strands go from Plait's memory to a texture on the GPU where the RHI is Vulkan's.
		PrivateDependencyModuleNames.Add("VulkanRHI");
		AddEngineThirdPartyPrivateStaticDependencies(Target, "Vulkan");
	}
}
