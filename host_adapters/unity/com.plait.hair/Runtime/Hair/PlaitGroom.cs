using System;
using UnityEngine;

namespace Plait
{
    /// <summary>Strands as an artist made them, as an asset.</summary>
    [CreateAssetMenu(menuName = "Plait/Groom")]
    public sealed class PlaitGroom : ScriptableObject
    {
        /// <summary>Vertices of each strand, 2 or more.</summary>
        [Tooltip("Vertices of each strand, the root included; 2 to 1024")]
        public int[] vertexCounts = new int[0];

        /// <summary>All vertices, strand by strand, root first, metres.</summary>
        [Tooltip("All vertices, strand by strand, root first, in metres, in the space of the groom")]
        public Vector3[] positions = new Vector3[0];

        /// <summary>Of each vertex, metres.</summary>
        [Tooltip("Radius of each vertex in metres; empty: a human hair")]
        public float[] radii = new float[0];

        /// <summary>Which bone each root follows.</summary>
        [Tooltip("Which of the component's bones the root of each strand follows; empty: the first one")]
        public int[] rootBones = new int[0];

        /// <summary>Where bones were when the strands were drawn.</summary>
        [Tooltip("Matrices of the component's bones when the strands were drawn, in the space of the groom; empty: strands are in the space of their bone")]
        public Matrix4x4[] bindPose = new Matrix4x4[0];

        /// <summary>As the library wants it. boneCount: all bones of the component, those of colliders included, which come last.</summary>
        public GroomData ToData(int boneCount)
        {
            var data = new GroomData {
                BoneCount = boneCount,
                VertexCounts = Array.ConvertAll(vertexCounts, count => checked((uint)count)),
                Positions = new float[positions.Length * 3],
                Radii = radii.Length == 0 ? null : radii,
                RootBones = rootBones.Length == 0 ? null : Array.ConvertAll(rootBones, bone => checked((uint)bone)),
            };
            for (int i = 0; i < positions.Length; i++)
            {
                data.Positions[3 * i] = positions[i].x;
                data.Positions[3 * i + 1] = positions[i].y;
                data.Positions[3 * i + 2] = positions[i].z;
            }
            if (bindPose.Length == 0) return data;
            data.BindPose = new float[boneCount * 12];
            for (int i = 0; i < boneCount; i++)
                PlaitRig.Write(i < bindPose.Length ? bindPose[i] : Matrix4x4.identity, data.BindPose, i);
            return data;
        }
    }
}
