// The stand-in for Unity's renderer, stand_in.h, behind graphics buffers and command buffers.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace UnityEngine
{
    public static class StandIn
    {
        const string Library = "bindings_stand_in";
        [DllImport(Library)] static extern IntPtr stand_in_start(string plugin, int renderer, int early);
        [DllImport(Library)] static extern void stand_in_end();
        [DllImport(Library)] internal static extern void stand_in_issue(IntPtr function, int number);
        [DllImport(Library)] internal static extern IntPtr stand_in_make_buffer(ulong size);
        [DllImport(Library)] internal static extern void stand_in_release_buffer(IntPtr buffer);
        [DllImport(Library)] internal static extern void stand_in_read(IntPtr buffer, byte[] memory, ulong size);

        // Whether there is Vulkan.
        public static bool Start(string plugin, int renderer)
        {
            try
            {
                return stand_in_start(plugin, renderer, 1) != IntPtr.Zero;
            }
            catch (DllNotFoundException) // built without Vulkan
            {
                return false;
            }
        }
        public static void End() { stand_in_end(); }
    }
}

namespace UnityEngine.Rendering
{
    public sealed class CommandBuffer
    {
        readonly List<KeyValuePair<IntPtr, int>> events = new List<KeyValuePair<IntPtr, int>>();
        public void IssuePluginEvent(IntPtr callback, int number) { events.Add(new KeyValuePair<IntPtr, int>(callback, number)); }
        public void Release() { events.Clear(); }
        public void Execute() { foreach (var one in events) StandIn.stand_in_issue(one.Key, one.Value); }
    }
}
