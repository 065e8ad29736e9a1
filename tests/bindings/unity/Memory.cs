// Stand-ins for Unity's arrays in native memory and its graphics buffers.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Unity.Collections
{
    public enum Allocator { Temp, Persistent }

    public struct NativeArray<T> : IDisposable where T : struct
    {
        internal IntPtr memory;
        public int Length { get; private set; }
        public NativeArray(int length, Allocator allocator)
        {
            memory = Marshal.AllocHGlobal(Math.Max(1, length * Marshal.SizeOf(typeof(T))));
            Length = length;
            for (int i = 0; i < length; i++) this[i] = default(T);
        }
        public bool IsCreated => memory != IntPtr.Zero;
        public T this[int i]
        {
            get { return (T)Marshal.PtrToStructure(At(i), typeof(T)); }
            set { Marshal.StructureToPtr((object)value, At(i), false); }
        }
        IntPtr At(int i)
        {
            if (i < 0 || i >= Length) throw new IndexOutOfRangeException();
            return memory + i * Marshal.SizeOf(typeof(T));
        }
        public void Dispose() { Marshal.FreeHGlobal(memory); memory = IntPtr.Zero; Length = 0; }
    }
}

namespace Unity.Collections.LowLevel.Unsafe
{
    public static class NativeArrayUnsafeUtility
    {
        public static unsafe void* GetUnsafePtr<T>(NativeArray<T> array) where T : struct => (void*)array.memory;
    }
}

namespace UnityEngine
{
    using Unity.Collections;

    public enum MeshTopology { Triangles }
    public class Camera : Behaviour { }

    public sealed class GraphicsBuffer
    {
        public enum Target { Structured }
        public static int Live;
        public readonly int Bytes;
        public byte[] Content;
        public GraphicsBuffer(Target target, int count, int stride) { Bytes = count * stride; Live++; }
        public void SetData<T>(NativeArray<T> data) where T : struct
        {
            Content = new byte[data.Length * Marshal.SizeOf(typeof(T))];
            if (Content.Length > Bytes) throw new ArgumentException("too long");
            Marshal.Copy(data.memory, Content, 0, Content.Length);
        }
        public void Release()
        {
            Live--;
            if (native != IntPtr.Zero) StandIn.stand_in_release_buffer(native);
        }

        // The buffer of the renderer, once somebody asks for it.
        IntPtr native;
        public IntPtr GetNativeBufferPtr()
        {
            if (native == IntPtr.Zero) native = StandIn.stand_in_make_buffer((ulong)Bytes);
            return native;
        }
        public byte[] ReadNative()
        {
            var bytes = new byte[Bytes];
            StandIn.stand_in_read(native, bytes, (ulong)Bytes);
            return bytes;
        }
    }

    public static class Shader
    {
        static readonly Dictionary<string, int> Ids = new Dictionary<string, int>();
        public static int PropertyToID(string name)
        {
            int id;
            if (!Ids.TryGetValue(name, out id)) Ids[name] = id = Ids.Count + 1;
            return id;
        }
    }

    public sealed class MaterialPropertyBlock
    {
        public readonly Dictionary<int, GraphicsBuffer> Buffers = new Dictionary<int, GraphicsBuffer>();
        public void SetBuffer(int id, GraphicsBuffer buffer) { Buffers[id] = buffer; }
    }

    public static class Graphics
    {
        public static int Draws, VertexCount;
        public static void ExecuteCommandBuffer(Rendering.CommandBuffer commands) { commands.Execute(); }
        public static Bounds Bounds;
        public static MaterialPropertyBlock Properties;
        public static void DrawProcedural(Material material, Bounds bounds, MeshTopology topology, int vertexCount, int instanceCount, Camera camera,
                                          MaterialPropertyBlock properties, Rendering.ShadowCastingMode shadows, bool receiveShadows, int layer)
        {
            Draws++;
            VertexCount = vertexCount;
            Bounds = bounds;
            Properties = properties;
        }
    }
}

namespace UnityEngine.Rendering
{
    public enum ShadowCastingMode { On }
}
