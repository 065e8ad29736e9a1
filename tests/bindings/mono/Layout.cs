using System;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;
using Plait;

// What the bindings say about constants, structs, fields and initial values, in the form of layout.py.
static class Layout
{
    public static int Print()
    {
        foreach (FieldInfo field in typeof(Native).GetFields(BindingFlags.Public | BindingFlags.Static))
            if (field.IsLiteral && field.Name.StartsWith("PLAIT_"))
                Console.WriteLine("constant {0} {1}", field.Name, field.GetRawConstantValue());
        foreach (Type type in typeof(Native).GetNestedTypes())
            if (type.IsValueType) PrintStruct(type);
        // Every function is there, or this throws.
        foreach (MethodInfo method in typeof(Native).GetMethods(BindingFlags.Public | BindingFlags.Static | BindingFlags.DeclaredOnly))
            Marshal.Prelink(method);
        return 0;
    }

    static void PrintStruct(Type type)
    {
        int size = Marshal.SizeOf(type);
        Console.WriteLine("struct {0} {1}", type.Name, size);
        foreach (FieldInfo field in type.GetFields(BindingFlags.Public | BindingFlags.Instance))
            Console.WriteLine("field {0}.{1} {2}", type.Name, field.Name, Marshal.OffsetOf(type, field.Name));
        PropertyInfo init = type.GetProperty("Init");
        if (init == null) return;
        IntPtr memory = Marshal.AllocHGlobal(size);
        Marshal.StructureToPtr(init.GetValue(null, null), memory, false);
        var text = new StringBuilder();
        for (int i = 0; i < size; i++) text.AppendFormat("{0:x2}", Marshal.ReadByte(memory, i));
        Marshal.FreeHGlobal(memory);
        Console.WriteLine("init {0} {1}", type.Name, text);
    }
}
