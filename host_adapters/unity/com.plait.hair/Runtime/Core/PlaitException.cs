using System;
using static Plait.Native;

namespace Plait
{
    /// <summary>A call failed. The message is the library's and names the argument.</summary>
    public sealed class PlaitException : Exception
    {
        /// <summary>PLAIT_ERROR_xxx</summary>
        public int Result { get; }

        /// <summary>From a result and, where there is one, the reason that the library logged.</summary>
        public PlaitException(int result, string call, string reason)
            : base(reason ?? call + ": " + Text(result))
        {
            Result = result;
        }

        static unsafe string Text(int result) => Utf8.String(plait_result_text(result));
    }
}
