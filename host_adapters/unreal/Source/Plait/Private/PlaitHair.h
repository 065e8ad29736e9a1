// One head of hair, without a type of the engine: what the component does with Plait, in a form that plain tests can run.
//
// Units are Unreal's, centimetres; matrices and vectors come as arrays. Results are those of plait.h. One thread at a time.
#pragma once

#include "plait_loader.h"

#include <cstdint>
#include <string>
#include <vector>

inline constexpr float PlaitMetersPerUnit = 0.01f;
inline constexpr uint32_t PlaitTextureWidth = 1024; // texels in a row of the texture of positions

// PLAIT_ERROR_xxx, or a number's text that says that it is unknown.
const char* PlaitResultName(plait_result Result);

// A matrix as FMatrix has it, for row vectors, with the translation in its last row, to Plait's 3x4. Origin is taken off
// while it is still in double precision.
void PlaitMatrix(const double Rows[4][4], const double Origin[3], float Out[12]);

// The capsule of a physics asset: Length is that of its axis, without the caps. Radius0 is at Center + Axis * Length / 2.
// Axis: a unit vector, in the bone's space, as Center.
plait_collider PlaitCapsule(uint32_t Bone, const double Center[3], const double Axis[3], double Length, double Radius0,
	double Radius1, float Friction);
plait_collider PlaitSphere(uint32_t Bone, const double Center[3], double Radius, float Friction);

// The share of the strands to draw: all of them up to FullDetailDistance, then by its ratio to the distance.
// FullDetailDistance 0: always all.
float PlaitStrandFraction(double Distance, double FullDetailDistance, float MinFraction);

// Strands in the bind pose, in the space of the mesh. Positions: [vertices][3]. Radii may be null.
struct FPlaitStrandView
{
	uint32_t StrandCount = 0;
	uint32_t VertexCount = 0;
	const int32_t* VertexCounts = nullptr;
	const float* Positions = nullptr;
	const float* Radii = nullptr;
	const uint16_t* Groups = nullptr;
	uint32_t GroupCount = 1;
};

struct FPlaitHairSetup
{
	FPlaitStrandView Guides;  // simulated
	FPlaitStrandView Strands; // follow the guides and are what is drawn; none: the guides are
	uint32_t BoneCount = 1;	  // roots follow bone 0
	const float* BindPose = nullptr;
	const float* Bones = nullptr; // where the hair starts
	const std::vector<plait_collider>* Colliders = nullptr;
	uint32_t Solver = PLAIT_SOLVER_SHAPE;
	const void* Params = nullptr; // of the solver
	float StepRate = 60.0f;
	uint32_t Substeps = 1;
	float TeleportDistance = 0.0f;
	float TeleportAngle = 0.0f; // radians
};

struct FPlaitFrame
{
	float DeltaTime = 0.0f;
	const float* Bones = nullptr; // [BoneCount][12]
	double Origin[3] = {0, 0, 0};
	float Gravity[3] = {0, 0, 0};
	float Wind[3] = {0, 0, 0};
	float StrandFraction = 1.0f;
};

class FPlaitHair
{
public:
	FPlaitHair() = default;
	FPlaitHair(const FPlaitHair&) = delete;
	FPlaitHair& operator=(const FPlaitHair&) = delete;
	~FPlaitHair() { Close(); }

	// Api must outlive the hair.
	plait_result Open(const plait_api& Api, plait_context Context, plait_device Device, const FPlaitHairSetup& Setup);
	void Close();
	bool IsOpen() const { return Hair.id != 0; }

	plait_result Step(const FPlaitFrame& Frame);
	plait_result SetParams(const void* Params);
	// Hair-hair forces; strength 0: off.
	plait_result SetVolume(float Strength);
	// Strands go on from where they are. Output ends: call one of the two below again.
	plait_result SetDevice(plait_device Device);
	plait_result Place(uint32_t Kind, const float* Bones);

	// Output into memory of this object, x, y, z and radius a vertex, with a whole last row of the texture.
	plait_result OutputToHost();
	// Waits until the last step is in that memory, which GPUs write in their own time.
	plait_result Wait() const;
	const float* HostPositions() const { return HostOutput ? HostMemory.data() : nullptr; }

	// Output into memory that Plait allocates on its GPU. Memory: for another device to import. Done rises by one with
	// every step, Read is what each waits for. PLAIT_ERROR_UNSUPPORTED where memory or semaphores cannot be shared.
	plait_result OutputToGpu(
		plait_external_memory& Memory, plait_external_semaphore& Done, plait_external_semaphore& Read);
	bool IsOutputOnGpu() const { return DoneSemaphore.id != 0; }
	uint64_t LastDone() const { return DoneValue; }
	// The reader will raise Read to Value: later steps wait for it.
	void WillRead(uint64_t Value) { ReadValue = Value; }

	// All that is drawn, once, wherever the output goes: [DrawnVertexCount][4].
	plait_result Read(std::vector<float>& Positions) const;
	plait_result Bounds(float Min[3], float Max[3]) const;
	uint32_t DrawnVertexCount() const { return DrawnVertices; }
	uint32_t DrawnStrandCount() const;
	uint32_t BoneCount() const { return Bones; }

	// What the last call that failed was about.
	const std::string& Failed() const { return FailedCall; }

private:
	plait_result MakeGroom(const FPlaitHairSetup& Setup, const FPlaitStrandView& View, plait_groom& Groom);
	plait_result MakeBody(const FPlaitHairSetup& Setup);
	plait_result MakeHair(const FPlaitHairSetup& Setup, plait_device Device);
	plait_result MakeBinding(const FPlaitHairSetup& Setup);
	plait_result SetOutput(const plait_output_desc* Output);
	void EndOutput();
	plait_result Check(plait_result Result, const char* Call) const;

	const plait_api* Api = nullptr;
	plait_context Context = {0};
	plait_device Device = {0};
	plait_groom GuideGroom = {0}, StrandGroom = {0};
	plait_body Body = {0};
	plait_binding Binding = {0};
	plait_hair Hair = {0};
	plait_semaphore DoneSemaphore = {0}, ReadSemaphore = {0};
	uint64_t DoneValue = 0, ReadValue = 0;
	uint32_t Bones = 0, DrawnVertices = 0;
	float Fraction = 1.0f;
	bool HostOutput = false;
	std::vector<float> HostMemory;
	mutable std::string FailedCall;
};
