using System;
using UnityEngine;
using static Plait.Native;

namespace Plait
{
    /// <summary>How hair is simulated.</summary>
    public enum PlaitSolver : uint
    {
        /// <summary>Keeps the groomed shape; cheapest.</summary>
        Shape = PLAIT_SOLVER_SHAPE,
        /// <summary>Elastic rods; realistic.</summary>
        Hybrid = PLAIT_SOLVER_HYBRID,
    }

    /// <summary>Where hair is simulated.</summary>
    public enum PlaitBackend : uint
    {
        /// <summary>The best device of this machine.</summary>
        Best = PLAIT_BACKEND_BEST,
        /// <summary>The processor.</summary>
        Cpu = PLAIT_BACKEND_CPU,
        /// <summary>A graphics card, through Vulkan.</summary>
        Vulkan = PLAIT_BACKEND_VULKAN,
        /// <summary>A graphics card, through CUDA.</summary>
        Cuda = PLAIT_BACKEND_CUDA,
        /// <summary>Nothing moves; for tests.</summary>
        Null = PLAIT_BACKEND_NULL,
    }

    /// <summary>Of solver shape; plait_shape_params. Values here are the library's defaults.</summary>
    [Serializable]
    public sealed class PlaitShapeParameters
    {
        [Range(0, 0.2f), Tooltip("Softness at the root, s². 0: rigid; 0.001: stiff; 0.1: limp")]
        public float complianceRoot = 0.01f;
        [Range(0, 0.2f), Tooltip("Softness at the tip, s²; linear in between")]
        public float complianceTip = 0.02f;
        [Range(0, 2), Tooltip("Damping of bending, in units of the root of the softness. Below 0.1 soft curls may tremble")]
        public float shapeDamping = 0.3f;
        [Range(0, 20), Tooltip("Rate at which velocity approaches the wind's, 1/s")]
        public float drag = 2;
        [Range(0, 20), Tooltip("Rate at which velocity approaches the root's, 1/s: calms swinging")]
        public float damping = 2;
        [Range(0, 1), Tooltip("How much of its child's pull a vertex feels. 1: least damping")]
        public float velocityCorrection = 0.9f;
        [Range(0, 0.05f), Tooltip("Clearance from colliders, beyond the strand's radius, metres")]
        public float collisionRadius = 0;

        /// <summary>As the library wants it.</summary>
        public plait_shape_params ToNative()
        {
            var value = plait_shape_params.Init;
            value.compliance_root_s2 = complianceRoot;
            value.compliance_tip_s2 = complianceTip;
            value.shape_damping = shapeDamping;
            value.drag_per_s = drag;
            value.damping_per_s = damping;
            value.velocity_correction = velocityCorrection;
            value.collision_radius = collisionRadius;
            return value;
        }
    }

    /// <summary>Of solver hybrid; plait_hybrid_params. Values here are the library's defaults.</summary>
    [Serializable]
    public sealed class PlaitHybridParameters
    {
        [Min(0), Tooltip("Stiffness against stretching, Pa, up to 1e12")]
        public float stretchModulus = 1.6e7f;
        [Min(0), Tooltip("Stiffness against bending, Pa, up to 1e12. Real hair: 3e9")]
        public float bendModulus = 1.5e10f;
        [Min(0), Tooltip("Stiffness against twist, Pa, up to 1e12. Real hair: 1e9")]
        public float twistModulus = 7.7e9f;
        [Range(1, 5000), Tooltip("Density of hair, kg/m³")]
        public float density = 1300;
        [Range(0, 0.95f), Tooltip("Of the section. 0: round; more: an ellipse whose short axis is 1 - flatness times the long one")]
        public float flatness = 0;
        [Range(0, 0.1f), Tooltip("Damping of strain, s")]
        public float damping = 0.002f;
        [Range(0, 20), Tooltip("Rate at which velocity approaches the wind's, 1/s")]
        public float drag = 3;
        [Range(0, 1), Tooltip("How much of the first segment bends. 1: the strand is clamped at its root")]
        public float clampExtension = 1;
        [Range(0, 1), Tooltip("Which part of the way to their bones held vertices go in 1/120 s")]
        public float heldBlend = 1;
        [Range(0, 100), Tooltip("What a root moves beyond this, its strand moves along rigidly, m/s. 0: no limit")]
        public float maxRootSpeed = 10;
        [Range(0, 100), Tooltip("The same for its rotation, radians per second. 0: no limit")]
        public float maxRootTurn = 30;
        [Range(0, 0.05f), Tooltip("Clearance from colliders, beyond the strand's radius, metres")]
        public float collisionRadius = 0;
        [Tooltip("Gravity under which the groom rests as it was drawn, m/s², in the space of the groom. Zero: it sags")]
        public Vector3 restGravity;

        /// <summary>As the library wants it.</summary>
        public unsafe plait_hybrid_params ToNative()
        {
            var value = plait_hybrid_params.Init;
            value.stretch_modulus = stretchModulus;
            value.bend_modulus = bendModulus;
            value.twist_modulus = twistModulus;
            value.density = density;
            value.flatness = flatness;
            value.damping_s = damping;
            value.drag_per_s = drag;
            value.clamp_extension = clampExtension;
            value.held_blend = heldBlend;
            value.max_root_speed = maxRootSpeed;
            value.max_root_turn = maxRootTurn;
            value.collision_radius = collisionRadius;
            value.rest_gravity[0] = restGravity.x;
            value.rest_gravity[1] = restGravity.y;
            value.rest_gravity[2] = restGravity.z;
            return value;
        }
    }

    /// <summary>Of render strands; plait_render_params. Values here are the library's defaults.</summary>
    [Serializable]
    public sealed class PlaitDetail
    {
        [Range(0.001f, 1), Tooltip("Level of detail: share of the render strands that are drawn, wider to cover as much")]
        public float strandFraction = 1;
        [Range(0.001f, 1), Tooltip("Level of detail: share of the vertices of a strand")]
        public float vertexFraction = 1;
        [Range(0.01f, 1), Tooltip("Share of a strand's length that is left")]
        public float length = 1;
        [Range(0, 10), Tooltip("Multiplies radii at the root")]
        public float widthRoot = 1;
        [Range(0, 10), Tooltip("Multiplies radii at the tip")]
        public float widthTip = 1;
        [Range(0, 1), Tooltip("How much strands gather about their nearest guide at the root")]
        public float singleRoot = 0;
        [Range(0, 1), Tooltip("The same at the tip")]
        public float singleTip = 0;
        [Tooltip("Push strands out of colliders")]
        public bool pushOut;

        /// <summary>As the library wants it.</summary>
        public plait_render_params ToNative()
        {
            var value = plait_render_params.Init;
            value.strand_fraction = strandFraction;
            value.vertex_fraction = vertexFraction;
            value.length = length;
            value.width_root = widthRoot;
            value.width_tip = widthTip;
            value.single_root = singleRoot;
            value.single_tip = singleTip;
            value.flags = pushOut ? PLAIT_RENDER_PUSH_OUT : 0;
            return value;
        }
    }
}
