using System;
using System.Collections.Generic;
using UnityEngine;
using static Plait.Native;

namespace Plait
{
    /// <summary>Bones as Plait wants them: those that roots follow, then one for each object that has colliders.</summary>
    sealed class PlaitRig
    {
        readonly Transform[] bones;
        readonly List<Transform> carriers = new List<Transform>();
        readonly List<plait_collider> shapes = new List<plait_collider>();

        /// <summary>[bones][12], as of the last Gather.</summary>
        public readonly float[] Matrices;
        public int BoneCount => bones.Length + carriers.Count;
        public plait_collider[] Colliders => shapes.ToArray();

        public PlaitRig(Transform[] bones, Collider[] colliders, float friction)
        {
            this.bones = bones;
            for (int i = 0; i < bones.Length; i++)
                if (bones[i] == null) throw new ArgumentException("bones[" + i + "] is empty");
            foreach (Collider collider in colliders)
                if (collider != null) Add(collider, friction);
            Matrices = new float[BoneCount * 12];
            Gather();
        }

        /// <summary>Where everything is now.</summary>
        public void Gather()
        {
            for (int i = 0; i < bones.Length; i++) Write(bones[i].localToWorldMatrix, Matrices, i);
            // Without scale, which is in the radii: Unity scales colliders in its own way.
            for (int i = 0; i < carriers.Count; i++)
                Write(Matrix4x4.TRS(carriers[i].position, carriers[i].rotation, Vector3.one), Matrices, bones.Length + i);
        }

        /// <summary>Unity's matrices are for column vectors, as Plait's: the first three rows, row by row.</summary>
        public static void Write(Matrix4x4 m, float[] to, int index)
        {
            int i = index * 12;
            to[i] = m.m00; to[i + 1] = m.m01; to[i + 2] = m.m02; to[i + 3] = m.m03;
            to[i + 4] = m.m10; to[i + 5] = m.m11; to[i + 6] = m.m12; to[i + 7] = m.m13;
            to[i + 8] = m.m20; to[i + 9] = m.m21; to[i + 10] = m.m22; to[i + 11] = m.m23;
        }

        // As Unity's physics does: a sphere's radius goes with the largest scale, a capsule's with the larger one across.
        void Add(Collider collider, float friction)
        {
            Vector3 scale = collider.transform.lossyScale;
            float x = Math.Abs(scale.x), y = Math.Abs(scale.y), z = Math.Abs(scale.z);
            var sphere = collider as SphereCollider;
            var capsule = collider as CapsuleCollider;
            if (sphere != null)
            {
                Vector3 c = Vector3.Scale(sphere.center, scale);
                shapes.Add(Body.Sphere(Carrier(collider.transform), c.x, c.y, c.z, sphere.radius * Math.Max(x, Math.Max(y, z)), friction));
            }
            else if (capsule != null)
            {
                float along = capsule.direction == 0 ? x : capsule.direction == 1 ? y : z;
                float across = capsule.direction == 0 ? Math.Max(y, z) : capsule.direction == 1 ? Math.Max(x, z) : Math.Max(x, y);
                float radius = capsule.radius * across, half = Math.Max(capsule.height * along / 2 - radius, 0);
                var axis = new Vector3(capsule.direction == 0 ? half : 0, capsule.direction == 1 ? half : 0, capsule.direction == 2 ? half : 0);
                Vector3 c = Vector3.Scale(capsule.center, scale), a = c - axis, b = c + axis;
                var end = Body.Sphere(Carrier(collider.transform), a.x, a.y, a.z, radius, friction);
                shapes.Add(Body.Capsule(end, b.x, b.y, b.z, radius));
            }
            else
            {
                throw new ArgumentException("the collider of " + collider.name + " is neither a sphere nor a capsule");
            }
        }

        int Carrier(Transform transform)
        {
            int index = carriers.IndexOf(transform);
            if (index < 0)
            {
                index = carriers.Count;
                carriers.Add(transform);
            }
            return bones.Length + index;
        }
    }
}
