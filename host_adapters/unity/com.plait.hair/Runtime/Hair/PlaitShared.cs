using System.Collections.Generic;
using UnityEngine;
using static Plait.Native;

namespace Plait
{
    /// <summary>One context and its devices for all hairs. It ends with the last of them, so that no callback is left when
    /// Unity reloads code.</summary>
    static class PlaitShared
    {
        static readonly Dictionary<PlaitBackend, Device> Devices = new Dictionary<PlaitBackend, Device>();
        static Context context;
        static int users;

        public static Context Acquire()
        {
            if (context == null) context = new Context(Log);
            users++;
            return context;
        }

        public static void Release()
        {
            if (--users > 0) return;
            foreach (Device device in Devices.Values) device.Dispose();
            Devices.Clear();
            context.Dispose();
            context = null;
        }

        public static Device Open(PlaitBackend backend)
        {
            Device device;
            if (!Devices.TryGetValue(backend, out device)) Devices[backend] = device = new Device(context, (uint)backend);
            return device;
        }

        // Errors become exceptions, which are reported where they are caught.
        static void Log(uint level, int id, string text)
        {
            if (level == PLAIT_LOG_WARNING) Debug.LogWarning("Plait: " + text);
        }
    }
}
