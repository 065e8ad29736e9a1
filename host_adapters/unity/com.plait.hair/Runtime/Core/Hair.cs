using System;
using static Plait.Native;

namespace Plait
{
    /// <summary>One running head of hair. One call at a time.</summary>
    public sealed unsafe class Hair : Owned
    {
        /// <summary>desc: solver, parameters and rates; groom, device and body (or null) are filled in.</summary>
        public Hair(Context context, Groom groom, Device device, Body body, plait_hair_desc desc)
        {
            desc.groom = groom.Handle;
            desc.device = device.Handle;
            if (body != null) desc.body = body.Handle;
            plait_hair hair;
            Context.Check(plait_hair_create(context.Handle, &desc, &hair), nameof(plait_hair_create));
            Take(hair.id);
        }

        /// <summary>For calls of the C interface.</summary>
        public plait_hair Handle => new plait_hair { id = Id };

        /// <summary>Advances by one frame. What frame points to must stay where it is during the call.</summary>
        public void Step(plait_frame_desc frame)
        {
            int result = plait_hair_step(Handle, &frame);
            if (result < 0) Context.Check(result, nameof(plait_hair_step));
        }

        /// <summary>Until the output of the last step is written; at once on the CPU.</summary>
        public void Wait(double seconds = 10) =>
            Context.Check(plait_hair_wait(Handle, (ulong)(seconds * 1e9)), nameof(plait_hair_wait));

        /// <summary>Where steps write positions. memory must stay where it is, until another is set or the hair ends. format:
        /// PLAIT_FORMAT_FLOAT32X3, or X4 with radii. Null: nowhere.</summary>
        public void SetOutput(void* memory, long bytes, uint format) => SetOutput(memory, bytes, format, false);

        /// <summary>The same for the render strands of the binding.</summary>
        public void SetRenderOutput(void* memory, long bytes, uint format) => SetOutput(memory, bytes, format, true);

        void SetOutput(void* memory, long bytes, uint format, bool render)
        {
            var position = plait_output_attribute.Init;
            position.attribute = PLAIT_ATTRIBUTE_POSITION;
            position.format = format;
            position.stride = format == PLAIT_FORMAT_FLOAT32X3 ? 12u : 16u;
            var desc = plait_output_desc.Init;
            desc.attribute_count = 1;
            desc.attributes = &position;
            desc.memory = memory;
            desc.size = (ulong)bytes;
            var output = memory == null ? null : &desc;
            if (render)
                Context.Check(plait_hair_set_render_output(Handle, output), nameof(plait_hair_set_render_output));
            else
                Context.Check(plait_hair_set_output(Handle, output), nameof(plait_hair_set_output));
        }

        /// <summary>Parameters of solver shape for all groups, from the next step on.</summary>
        public void SetParams(plait_shape_params value) =>
            Context.Check(plait_hair_set_params(Handle, 1, &value), nameof(plait_hair_set_params));

        /// <summary>Parameters of solver hybrid for all groups, from the next step on.</summary>
        public void SetParams(plait_hybrid_params value) =>
            Context.Check(plait_hair_set_params(Handle, 1, &value), nameof(plait_hair_set_params));

        /// <summary>Carries the render strands of a binding, or none (null).</summary>
        public void SetBinding(Binding binding) =>
            Context.Check(plait_hair_set_binding(Handle, binding == null ? new plait_binding() : binding.Handle),
                          nameof(plait_hair_set_binding));

        /// <summary>Level of detail and look of render strands.</summary>
        public void SetRenderParams(plait_render_params value) =>
            Context.Check(plait_hair_set_render_params(Handle, &value), nameof(plait_hair_set_render_params));

        /// <summary>Goes on on another device of the context.</summary>
        public void SetDevice(Device device) =>
            Context.Check(plait_hair_set_device(Handle, device.Handle), nameof(plait_hair_set_device));

        /// <summary>Other colliders, or none (null).</summary>
        public void SetBody(Body body) =>
            Context.Check(plait_hair_set_body(Handle, body == null ? new plait_body() : body.Handle),
                          nameof(plait_hair_set_body));

        /// <summary>Every strand in its rest shape at these bones ([bones][12]; null: the present ones), without motion.</summary>
        public void Reset(float[] bones)
        {
            fixed (float* first = bones)
                Context.Check(plait_hair_reset(Handle, bones == null ? 0 : (uint)bones.Length / 12, first), nameof(plait_hair_reset));
        }

        /// <summary>Carries every strand rigidly to these bones.</summary>
        public void Teleport(float[] bones)
        {
            fixed (float* first = bones)
                Context.Check(plait_hair_teleport(Handle, bones == null ? 0 : (uint)bones.Length / 12, first),
                              nameof(plait_hair_teleport));
        }

        /// <summary>Counts, time and bounds.</summary>
        public plait_hair_info Query()
        {
            var info = plait_hair_info.Init;
            int result = plait_hair_query(Handle, &info);
            if (result < 0) Context.Check(result, nameof(plait_hair_query));
            return info;
        }

        /// <summary>Statistics.</summary>
        public plait_stats_info Stats()
        {
            var info = plait_stats_info.Init;
            Context.Check(plait_hair_stats(Handle, &info), nameof(plait_hair_stats));
            return info;
        }

        /// <summary>Waits for its frames.</summary>
        protected override bool ReleaseHandle() => plait_hair_destroy(new plait_hair { id = Last }) >= 0;
    }
}
