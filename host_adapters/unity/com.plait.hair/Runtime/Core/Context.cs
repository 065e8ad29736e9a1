using System;
using System.Runtime.InteropServices;
using static Plait.Native;

namespace Plait
{
    /// <summary>Gets messages: level (PLAIT_LOG_xxx), id, text; from any thread that calls Plait.</summary>
    public delegate void LogHandler(uint level, int id, string text);

    /// <summary>Marks functions that native code calls, for compilers ahead of time, which know it by this name.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    sealed class MonoPInvokeCallbackAttribute : Attribute
    {
        public MonoPInvokeCallbackAttribute(Type type) { }
    }

    /// <summary>Owns everything else. Dispose it last, and before its code is unloaded.</summary>
    public sealed unsafe class Context : Owned
    {
        // One delegate for all contexts, which lives as long as the program: Plait may call it from finalisers.
        static readonly plait_logger_log OnMessage = Receive;
        static readonly IntPtr OnMessagePointer = Marshal.GetFunctionPointerForDelegate(OnMessage);

        [ThreadStatic] static int lastId;
        [ThreadStatic] static string lastText;

        readonly LogHandler log;
        GCHandle self; // what the library hands back to Receive; weak, so that a forgotten context is collected

        /// <summary>log may be null; errors become exceptions in any case. threadCount 0: one thread per core.</summary>
        public Context(LogHandler log = null, uint threadCount = 0, uint minLevel = PLAIT_LOG_WARNING)
        {
            this.log = log;
            self = GCHandle.Alloc(this, GCHandleType.WeakTrackResurrection);
            var logger = plait_logger.Init;
            logger.user = (void*)GCHandle.ToIntPtr(self);
            logger.log = OnMessagePointer;
            logger.min_level = minLevel;
            var desc = plait_context_desc.Init;
            desc.logger = &logger;
            desc.thread_count = threadCount;
            plait_context context;
            int result = plait_context_create(&desc, &context);
            if (result < 0) self.Free();
            Check(result, nameof(plait_context_create));
            Take(context.id);
        }

        /// <summary>For calls of the C interface.</summary>
        public plait_context Handle => new plait_context { id = Id };

        /// <summary>Throws if a result is an error.</summary>
        public static void Check(int result, string call)
        {
            if (result >= 0) return;
            string reason = lastId == result ? lastText : null; // calls that do not find their context log nothing
            lastText = null;
            throw new PlaitException(result, call, reason);
        }

        /// <summary>All devices of this machine, best first.</summary>
        public plait_device_info[] Devices()
        {
            uint count = 0;
            Check(plait_device_enumerate(Handle, &count, null), nameof(plait_device_enumerate));
            var infos = new plait_device_info[count];
            for (int i = 0; i < infos.Length; i++) infos[i] = plait_device_info.Init;
            fixed (plait_device_info* first = infos)
                Check(plait_device_enumerate(Handle, &count, first), nameof(plait_device_enumerate));
            Array.Resize(ref infos, (int)count);
            return infos;
        }

        /// <summary>Ends the context and everything in it.</summary>
        protected override bool ReleaseHandle()
        {
            bool ended = plait_context_destroy(new plait_context { id = Last }) >= 0;
            self.Free();
            return ended;
        }

        // Exceptions must not go through the native code that calls this.
        [MonoPInvokeCallback(typeof(plait_logger_log))]
        static void Receive(void* user, uint level, int id, byte* text)
        {
            try
            {
                string message = Utf8.String(text);
                if (level >= PLAIT_LOG_ERROR)
                {
                    lastId = id;
                    lastText = message;
                }
                var context = GCHandle.FromIntPtr((IntPtr)user).Target as Context;
                if (context != null && context.log != null) context.log(level, id, message);
            }
            catch (Exception error)
            {
                Console.Error.WriteLine(error);
            }
        }
    }
}
