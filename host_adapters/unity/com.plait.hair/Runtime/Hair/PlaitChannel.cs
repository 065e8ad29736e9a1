using System;
using System.Runtime.InteropServices;
using System.Threading;
using UnityEngine;
using UnityEngine.Rendering;
using static Plait.Native;

namespace Plait
{
    /// <summary>Carries the frames of a hair to Unity's render thread, where strands go into a GraphicsBuffer without a copy; see
    /// plait_unity.h. While it is open, the hair belongs to that thread.</summary>
    sealed unsafe class PlaitChannel
    {
        const string Plugin = "plait_unity";
        const uint Closed = 3;

        /// <summary>plait_unity_desc</summary>
        [StructLayout(LayoutKind.Explicit, Size = 48)]
        public struct Desc
        {
            [FieldOffset(0)] public plait_context context;
            [FieldOffset(8)] public plait_hair hair;
            [FieldOffset(16)] public plait_device fallback;
            [FieldOffset(24)] public IntPtr buffer;
            [FieldOffset(32)] public ulong size;
            [FieldOffset(40)] public uint bone_count;
            [FieldOffset(44)] public uint render;
        }

        /// <summary>plait_unity_status</summary>
        [StructLayout(LayoutKind.Explicit, Size = 192)]
        public struct Status
        {
            [FieldOffset(0)] public uint state;
            [FieldOffset(4)] public int result;
            [FieldOffset(8)] public ulong frame_count;
            [FieldOffset(16)] public byte* reason;
            [FieldOffset(24)] public plait_hair_info info;
        }

        [DllImport(Plugin, CallingConvention = CallingConvention.Cdecl)] static extern int plait_unity_connect(IntPtr getProcAddress);
        [DllImport(Plugin, CallingConvention = CallingConvention.Cdecl)] static extern int plait_unity_supported(byte** reason);
        [DllImport(Plugin, CallingConvention = CallingConvention.Cdecl)] static extern int plait_unity_open(Desc* desc, uint* channel);
        [DllImport(Plugin, CallingConvention = CallingConvention.Cdecl)] static extern int plait_unity_event(uint channel);
        [DllImport(Plugin, CallingConvention = CallingConvention.Cdecl)] static extern IntPtr plait_unity_event_function();
        [DllImport(Plugin, CallingConvention = CallingConvention.Cdecl)] static extern int plait_unity_push(uint channel, plait_frame_desc* frame);
        [DllImport(Plugin, CallingConvention = CallingConvention.Cdecl)] static extern int plait_unity_poll(uint channel, Status* status);
        [DllImport(Plugin, CallingConvention = CallingConvention.Cdecl)] static extern int plait_unity_close(uint channel);

        readonly CommandBuffer commands = new CommandBuffer();
        readonly uint channel;

        /// <summary>Null if channels are possible, else why not.</summary>
        public static string WhyNot()
        {
            try
            {
                fixed (byte* name = System.Text.Encoding.ASCII.GetBytes("plait_get_proc_address\0"))
                    if (plait_unity_connect(plait_get_proc_address(name)) < 0) return "the plugin needs another version of Plait";
                byte* reason;
                return plait_unity_supported(&reason) >= 0 ? null : Utf8.String(reason);
            }
            catch (DllNotFoundException)
            {
                return "the plugin plait_unity is missing";
            }
        }

        /// <summary>Opens a channel into a buffer of float4.</summary>
        public PlaitChannel(Context context, Hair hair, Device fallback, GraphicsBuffer buffer, long bytes, int boneCount, bool render)
        {
            var desc = new Desc {
                context = context.Handle, hair = hair.Handle, fallback = fallback.Handle, buffer = buffer.GetNativeBufferPtr(),
                size = (ulong)bytes, bone_count = (uint)boneCount, render = render ? 1u : 0
            };
            uint index;
            Context.Check(plait_unity_open(&desc, &index), nameof(plait_unity_open));
            channel = index;
            commands.IssuePluginEvent(plait_unity_event_function(), plait_unity_event(channel));
        }

        /// <summary>The render thread steps the hair when it comes to what is recorded now. A frame too many is left out.</summary>
        public void Push(plait_frame_desc frame)
        {
            int result = plait_unity_push(channel, &frame);
            if (result == PLAIT_ERROR_BUSY) return;
            Context.Check(result, nameof(plait_unity_push));
            Graphics.ExecuteCommandBuffer(commands);
        }

        /// <summary>As of the last frame that the render thread has taken; an exception if that failed.</summary>
        public plait_hair_info Poll()
        {
            Status status;
            Context.Check(plait_unity_poll(channel, &status), nameof(plait_unity_poll));
            if (status.result < 0) throw new PlaitException(status.result, nameof(plait_hair_step), Utf8.String(status.reason));
            return status.info;
        }

        /// <summary>The hair is the caller's again, on the fallback device and without an output. Waits for the render thread.</summary>
        public void Close()
        {
            Context.Check(plait_unity_close(channel), nameof(plait_unity_close));
            Graphics.ExecuteCommandBuffer(commands);
            Status status;
            for (int i = 0; i < 2000; i++)
            {
                Context.Check(plait_unity_poll(channel, &status), nameof(plait_unity_poll));
                if (status.state == Closed)
                {
                    commands.Release();
                    Context.Check(status.result, nameof(plait_hair_set_device));
                    return;
                }
                Thread.Sleep(1);
            }
            throw new PlaitException(PLAIT_ERROR_TIMEOUT, nameof(plait_unity_close), "the render thread does not come");
        }
    }
}
