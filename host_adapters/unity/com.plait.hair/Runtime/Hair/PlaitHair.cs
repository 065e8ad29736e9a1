using System;
using Unity.Collections;
using Unity.Collections.LowLevel.Unsafe;
using UnityEngine;
using static Plait.Native;

namespace Plait
{
    /// <summary>Hair on bones. Lengths are metres and axes are Unity's. It steps after animation, in LateUpdate.</summary>
    [AddComponentMenu("Plait/Plait Hair"), DefaultExecutionOrder(1000)]
    public sealed unsafe class PlaitHair : MonoBehaviour
    {
        [Header("Asset")]
        [Tooltip("Strands that are simulated")]
        public PlaitGroom groom;
        [Tooltip("Strands that are drawn and follow the simulated ones; empty: those themselves")]
        public PlaitGroom renderGroom;
        [Tooltip("What roots follow, in the groom's order. Mirrored (negatively scaled) bones are refused")]
        public Transform[] bones = new Transform[0];

        [Header("Simulation")]
        public PlaitSolver solver = PlaitSolver.Hybrid;
        [Tooltip("Where it is simulated; may change while it runs")]
        public PlaitBackend backend = PlaitBackend.Cpu;
        [Tooltip("Where Unity draws with Vulkan: simulate on its device, on the render thread, into the buffer that is drawn, without a copy. The backend above is then where hair is when that is not possible")]
        public bool onRenderThread;
        public PlaitShapeParameters shape = new PlaitShapeParameters();
        public PlaitHybridParameters hybrid = new PlaitHybridParameters();
        [Range(1, 480), Tooltip("Fixed internal steps per second, Hz")]
        public float stepRate = 60;
        [Range(1, 8), Tooltip("Parts that each step is cut into")]
        public int substeps = 1;
        [Min(0), Tooltip("Hair is carried along when a bone moves farther in a frame, metres; 0: never")]
        public float teleportDistance = 1;

        [Header("World")]
        [Tooltip("Sphere and capsule colliders that hair stays out of; shapes are taken when the component is enabled")]
        public Collider[] colliders = new Collider[0];
        [Range(0, 2), Tooltip("Coulomb coefficient of the colliders")]
        public float friction = 0.3f;
        [Tooltip("Velocity of the air, m/s")]
        public Vector3 wind;
        [Range(0, 2), Tooltip("Multiplies the gravity of Unity's physics")]
        public float gravityScale = 1;

        [Header("Look")]
        [Tooltip("Level of detail and shape of the render strands")]
        public PlaitDetail detail = new PlaitDetail();
        [Tooltip("With the shader Plait/Hair, or one that reads the same buffers; empty: nothing is drawn")]
        public Material material;

        Hair hair;
        PlaitRig rig;
        PlaitStrips strips;
        PlaitChannel channel; // null: the hair is stepped here
        PlaitBackend current;
        Context context;
        NativeArray<Vector4> positions;
        bool acquired, changed, reset;

        /// <summary>What is drawn: x, y, z in the world and the radius, metres, as of the last LateUpdate. Valid while enabled; not
        /// written on the render thread.</summary>
        public NativeArray<Vector4> Positions => positions;

        /// <summary>Whether strands go to the graphics card without a copy.</summary>
        public bool WithoutCopy => channel != null;

        /// <summary>The running hair, for everything that this component does not offer; null while disabled. Not to be used while
        /// WithoutCopy.</summary>
        public Hair Hair => hair;

        /// <summary>Call it when parameters or detail were changed from a script.</summary>
        public void ApplyParameters() => changed = true;

        /// <summary>Strands go to their rest shape at the next LateUpdate, as after a cut.</summary>
        public void ResetStrands() => reset = true;

        void OnValidate() => changed = true;

        void OnEnable()
        {
            try
            {
                Open();
            }
            catch (Exception error) when (error is PlaitException || error is ArgumentException || error is DllNotFoundException ||
                                          error is OverflowException)
            {
                Fail(error);
            }
        }

        void OnDisable() => Close();

        void LateUpdate()
        {
            if (hair == null) return;
            try
            {
                Follow();
                Step(Time.deltaTime);
                if (strips == null) return;
                if (channel == null) strips.Write(positions);
                strips.Draw(channel == null ? hair.Query() : channel.Poll(), renderGroom != null, gameObject.layer);
            }
            catch (PlaitException error)
            {
                Fail(error);
            }
        }

        void Open()
        {
            if (groom == null) throw new ArgumentException("there is no groom");
            if (bones.Length == 0) throw new ArgumentException("there are no bones");
            context = PlaitShared.Acquire();
            acquired = true;
            rig = new PlaitRig(bones, colliders, friction);
            current = backend;
            using (var guides = new Groom(context, groom.ToData(rig.BoneCount)))
            using (var body = new Body(context, rig.BoneCount, rig.Colliders))
            {
                Create(context, guides, body);
                PlaitGroom drawn = renderGroom != null ? renderGroom : groom;
                positions = new NativeArray<Vector4>(drawn.positions.Length, Allocator.Persistent);
                if (renderGroom != null)
                {
                    using (var render = new Groom(context, renderGroom.ToData(rig.BoneCount)))
                    using (var binding = new Binding(context, guides, render))
                        hair.SetBinding(binding);
                    hair.SetRenderParams(detail.ToNative());
                }
                if (material != null) strips = new PlaitStrips(drawn, material);
                Connect(true);
            }
        }

        // Strands go to the buffer that is drawn, by the render thread, or to an array. warn: tell why not the former.
        void Connect(bool warn)
        {
            if (onRenderThread && strips != null)
            {
                string reason = PlaitChannel.WhyNot();
                if (reason == null)
                {
                    channel = new PlaitChannel(context, hair, PlaitShared.Open(current), strips.Buffer, positions.Length * 16L,
                                               rig.BoneCount, renderGroom != null);
                    return;
                }
                if (warn) Debug.LogWarning(name + " is not simulated on the render thread: " + reason, this);
            }
            void* memory = NativeArrayUnsafeUtility.GetUnsafePtr(positions);
            if (renderGroom != null) hair.SetRenderOutput(memory, positions.Length * 16L, PLAIT_FORMAT_FLOAT32X4);
            else hair.SetOutput(memory, positions.Length * 16L, PLAIT_FORMAT_FLOAT32X4);
        }

        void Create(Context context, Groom guides, Body body)
        {
            plait_shape_params shapeParams = shape.ToNative();
            plait_hybrid_params hybridParams = hybrid.ToNative();
            var desc = plait_hair_desc.Init;
            desc.solver = (uint)solver;
            desc.params_count = 1;
            desc.@params = solver == PlaitSolver.Shape ? (void*)&shapeParams : &hybridParams;
            desc.step_rate_hz = stepRate;
            desc.substeps = (uint)substeps;
            desc.teleport_distance = teleportDistance;
            fixed (float* matrices = rig.Matrices)
            {
                desc.bones = matrices;
                hair = new Hair(context, guides, PlaitShared.Open(backend), body, desc);
            }
        }

        // What was changed since the last frame. For that the hair comes back from the render thread, which takes some milliseconds.
        void Follow()
        {
            rig.Gather();
            if (backend == current && !changed && !reset) return;
            bool away = channel != null;
            if (away) Disconnect();
            if (backend != current) Move();
            if (changed)
            {
                if (solver == PlaitSolver.Shape) hair.SetParams(shape.ToNative());
                else hair.SetParams(hybrid.ToNative());
                if (renderGroom != null) hair.SetRenderParams(detail.ToNative());
            }
            if (reset) hair.Reset(rig.Matrices);
            changed = reset = false;
            if (away) Connect(false);
        }

        void Move()
        {
            current = backend; // also where it fails, so that it is tried once
            try
            {
                hair.SetDevice(PlaitShared.Open(backend));
            }
            catch (PlaitException error)
            {
                Debug.LogWarning(name + " stays where it is simulated: " + error.Message, this);
            }
        }

        void Step(float dt)
        {
            var frame = plait_frame_desc.Init;
            frame.dt = dt;
            Vector3 gravity = Physics.gravity * gravityScale;
            frame.gravity[0] = gravity.x;
            frame.gravity[1] = gravity.y;
            frame.gravity[2] = gravity.z;
            frame.wind[0] = wind.x;
            frame.wind[1] = wind.y;
            frame.wind[2] = wind.z;
            frame.bone_count = (uint)rig.BoneCount;
            fixed (float* matrices = rig.Matrices)
            {
                frame.bones = matrices;
                if (channel != null) channel.Push(frame); // copies it
                else hair.Step(frame);
            }
            if (channel == null) hair.Wait();
        }

        void Fail(Exception error)
        {
            Debug.LogError(name + ": " + error.Message, this);
            Close();
            enabled = false;
        }

        void Disconnect()
        {
            PlaitChannel closing = channel;
            channel = null;
            closing.Close();
        }

        void Close()
        {
            try
            {
                if (channel != null) Disconnect();
            }
            catch (PlaitException error)
            {
                Debug.LogError(name + ": " + error.Message, this);
            }
            if (hair != null) hair.Dispose();
            hair = null;
            if (strips != null) strips.Dispose();
            strips = null;
            if (positions.IsCreated) positions.Dispose();
            if (acquired) PlaitShared.Release();
            acquired = false;
        }
    }
}
