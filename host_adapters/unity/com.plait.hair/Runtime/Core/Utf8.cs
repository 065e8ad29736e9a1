using System.Text;

namespace Plait
{
    /// <summary>Text of the library.</summary>
    public static unsafe class Utf8
    {
        /// <summary>A text that ends with zero, or null.</summary>
        public static string String(byte* text)
        {
            if (text == null) return null;
            int length = 0;
            while (text[length] != 0) length++;
            return Encoding.UTF8.GetString(text, length);
        }
    }
}
