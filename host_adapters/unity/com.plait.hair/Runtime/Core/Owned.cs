using System;
using System.Runtime.InteropServices;

namespace Plait
{
    /// <summary>A handle that is given back once: by Dispose, or by the garbage collector. Handles whose context has ended are
    /// stale, which Plait recognises, so the order does not matter.</summary>
    public abstract class Owned : SafeHandle
    {
        /// <summary>Without a handle yet.</summary>
        protected Owned() : base(IntPtr.Zero, true) { }

        /// <summary>Whether there is no handle.</summary>
        public override bool IsInvalid => handle == IntPtr.Zero;

        /// <summary>The number of the handle; an exception once it is given back.</summary>
        protected ulong Id
        {
            get
            {
                if (IsClosed || IsInvalid) throw new ObjectDisposedException(GetType().FullName);
                return Last;
            }
        }

        /// <summary>The same without the check.</summary>
        protected ulong Last => (ulong)handle.ToInt64();

        /// <summary>Takes a new handle.</summary>
        protected void Take(ulong id) => SetHandle(new IntPtr((long)id));
    }
}
