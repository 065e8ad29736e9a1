using System;
using static Plait.Native;

namespace Plait
{
    /// <summary>Where hair is simulated.</summary>
    public sealed unsafe class Device : Owned
    {
        /// <summary>backend: PLAIT_BACKEND_xxx</summary>
        public Device(Context context, uint backend, uint index = 0)
        {
            var desc = plait_device_desc.Init;
            desc.backend = backend;
            desc.index = index;
            Open(context, &desc);
        }

        /// <summary>With all that the C interface offers, such as structs chained to desc.</summary>
        public Device(Context context, plait_device_desc desc) => Open(context, &desc);

        /// <summary>For calls of the C interface.</summary>
        public plait_device Handle => new plait_device { id = Id };

        /// <summary>What it is and can.</summary>
        public plait_device_info Query()
        {
            var info = plait_device_info.Init;
            Context.Check(plait_device_query(Handle, &info), nameof(plait_device_query));
            return info;
        }

        void Open(Context context, plait_device_desc* desc)
        {
            plait_device device;
            Context.Check(plait_device_open(context.Handle, desc, &device), nameof(plait_device_open));
            Take(device.id);
        }

        /// <summary>Closes the device; hairs on it keep it alive.</summary>
        protected override bool ReleaseHandle() => plait_device_close(new plait_device { id = Last }) >= 0;
    }

    /// <summary>Arrays of a groom, as in plait_groom_desc; null where the library has a default.</summary>
    public sealed class GroomData
    {
        /// <summary>Vertices of each strand.</summary>
        public uint[] VertexCounts;
        /// <summary>[vertices][3], strand by strand, root first, in the bind pose.</summary>
        public float[] Positions;
        /// <summary>[vertices]</summary>
        public float[] Radii;
        /// <summary>[strands] the bone of each root.</summary>
        public uint[] RootBones;
        /// <summary>[bones][12]</summary>
        public float[] BindPose;
        /// <summary>Bones that roots and colliders follow.</summary>
        public int BoneCount = 1;
    }

    /// <summary>The asset: rest strands.</summary>
    public sealed unsafe class Groom : Owned
    {
        /// <summary>Strands in it.</summary>
        public int StrandCount { get; }
        /// <summary>Vertices of all strands.</summary>
        public int VertexCount { get; }
        /// <summary>Bones that a frame must have.</summary>
        public int BoneCount { get; }

        /// <summary>Checks and copies the arrays.</summary>
        public Groom(Context context, GroomData data)
        {
            if (data.VertexCounts == null) throw new ArgumentNullException(nameof(data.VertexCounts));
            StrandCount = data.VertexCounts.Length;
            BoneCount = data.BoneCount;
            long vertices = 0;
            foreach (uint count in data.VertexCounts) vertices += count;
            VertexCount = checked((int)vertices);
            Need(data.Positions, vertices * 3, nameof(data.Positions), false);
            Need(data.Radii, vertices, nameof(data.Radii), true);
            Need(data.RootBones, StrandCount, nameof(data.RootBones), true);
            Need(data.BindPose, BoneCount * 12L, nameof(data.BindPose), true);
            var desc = plait_groom_desc.Init;
            desc.strand_count = (uint)StrandCount;
            desc.bone_count = (uint)BoneCount;
            fixed (uint* counts = data.VertexCounts, bones = data.RootBones)
            fixed (float* positions = data.Positions, radii = data.Radii, pose = data.BindPose)
            {
                desc.vertex_counts = counts;
                desc.positions = positions;
                desc.radii = radii;
                desc.root_bones = bones;
                desc.bind_pose = pose;
                plait_groom groom;
                Context.Check(plait_groom_create(context.Handle, &desc, &groom), nameof(plait_groom_create));
                Take(groom.id);
            }
        }

        /// <summary>For calls of the C interface.</summary>
        public plait_groom Handle => new plait_groom { id = Id };

        static void Need(Array array, long length, string name, bool optional)
        {
            if (array == null ? !optional : array.LongLength != length)
                throw new ArgumentException(name + " has " + (array == null ? 0 : array.LongLength) + " elements instead of " +
                                            length);
        }

        /// <summary>Hairs made from it keep the groom alive.</summary>
        protected override bool ReleaseHandle() => plait_groom_destroy(new plait_groom { id = Last }) >= 0;
    }

    /// <summary>Colliders that follow bones.</summary>
    public sealed unsafe class Body : Owned
    {
        /// <summary>Checks and copies the colliders.</summary>
        public Body(Context context, int boneCount, plait_collider[] colliders)
        {
            var desc = plait_body_desc.Init;
            desc.bone_count = (uint)boneCount;
            desc.collider_count = (uint)colliders.Length;
            fixed (plait_collider* first = colliders)
            {
                desc.colliders = first;
                plait_body body;
                Context.Check(plait_body_create(context.Handle, &desc, &body), nameof(plait_body_create));
                Take(body.id);
            }
        }

        /// <summary>For calls of the C interface.</summary>
        public plait_body Handle => new plait_body { id = Id };

        /// <summary>A sphere in the bone's space.</summary>
        public static plait_collider Sphere(int bone, float x, float y, float z, float radius, float friction)
        {
            var collider = plait_collider.Init;
            collider.kind = PLAIT_COLLIDER_SPHERE;
            collider.bone = (uint)bone;
            collider.points[0] = x;
            collider.points[1] = y;
            collider.points[2] = z;
            collider.radii[0] = radius;
            collider.friction = friction;
            return collider;
        }

        /// <summary>The same as Sphere, stretched to a second point with its own radius.</summary>
        public static plait_collider Capsule(plait_collider sphere, float x, float y, float z, float radius)
        {
            sphere.kind = PLAIT_COLLIDER_CAPSULE;
            sphere.points[3] = x;
            sphere.points[4] = y;
            sphere.points[5] = z;
            sphere.radii[1] = radius;
            return sphere;
        }

        /// <summary>Hairs that use it keep the body alive.</summary>
        protected override bool ReleaseHandle() => plait_body_destroy(new plait_body { id = Last }) >= 0;
    }

    /// <summary>Which guides each render strand follows.</summary>
    public sealed unsafe class Binding : Owned
    {
        /// <summary>Finds the guides of every strand.</summary>
        public Binding(Context context, Groom guides, Groom render)
        {
            var desc = plait_binding_desc.Init;
            desc.guides = guides.Handle;
            desc.render = render.Handle;
            plait_binding binding;
            Context.Check(plait_binding_create(context.Handle, &desc, &binding), nameof(plait_binding_create));
            Take(binding.id);
        }

        /// <summary>For calls of the C interface.</summary>
        public plait_binding Handle => new plait_binding { id = Id };

        /// <summary>Hairs that carry it keep the binding alive.</summary>
        protected override bool ReleaseHandle() => plait_binding_destroy(new plait_binding { id = Last }) >= 0;
    }
}
