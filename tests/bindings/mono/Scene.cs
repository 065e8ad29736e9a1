using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;
using Plait;
using static Plait.Native;

// The scene of scene.h.
sealed unsafe class Scene : IDisposable
{
    public const int Strands = 48, Vertices = 12, Bones = 2, Frames = 600, Every = 10;

    static readonly float[] Upright = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    static readonly float[] Turned = {0.75f, 0, 0.5f, 0, 0, 1, 0, 0, -0.5f, 0, 0.75f, 0};

    public readonly Context Context;
    public readonly Hair Hair;
    public readonly byte[] Strand = new byte[Strands * Vertices * 12];
    readonly IntPtr output = Marshal.AllocHGlobal(Strands * Vertices * 12);

    public Scene(uint solver, LogHandler log = null, int strands = Strands)
    {
        Context = new Context(log, 1);
        using (var device = new Device(Context, PLAIT_BACKEND_CPU))
        using (var groom = new Groom(Context, Data(strands)))
        using (var body = new Body(Context, Bones, new[] {
            Body.Sphere(0, 0, 0.0625f, 0, 0.0625f, 0.25f),
            Body.Capsule(Body.Sphere(1, 0, -0.25f, 0, 0.0625f, 0), 0, 0, 0, 0.03125f)}))
        {
            var desc = plait_hair_desc.Init;
            desc.solver = solver;
            Hair = new Hair(Context, groom, device, body, desc); // keeps the three alive
        }
        Hair.SetOutput((void*)output, Strand.Length, PLAIT_FORMAT_FLOAT32X3);
    }

    public static GroomData Data(int strands = Strands)
    {
        var data = new GroomData { BoneCount = Bones, VertexCounts = new uint[strands], Positions = new float[strands * Vertices * 3] };
        for (int s = 0, i = 0; s < strands; s++)
        {
            data.VertexCounts[s] = Vertices;
            for (int v = 0; v < Vertices; v++)
            {
                data.Positions[i++] = (float)(s % 8 - 4) / 64 + (float)(v * (s % 5 - 2)) / 128;
                data.Positions[i++] = 0.125f + (float)v / 128;
                data.Positions[i++] = (float)(s / 8 - 3) / 64 + (float)(v * (s % 3 - 1)) / 64;
            }
        }
        return data;
    }

    public void Step(int i)
    {
        float* bones = stackalloc float[Bones * 12];
        for (int b = 0; b < Bones * 12; b++) bones[b] = (i / 150 % 2 != 0 ? Turned : Upright)[b % 12];
        bones[3] = bones[12 + 3] = (float)(i % 64) / 256;
        bones[12 + 7] = -0.125f;
        var frame = plait_frame_desc.Init;
        frame.dt = 1.0f / 64;
        frame.bone_count = Bones;
        frame.bones = bones;
        frame.gravity[1] = -9.8125f;
        frame.wind[0] = (float)(i / 100 % 3) / 2;
        Hair.Step(frame);
    }

    public byte[] Read()
    {
        Marshal.Copy(output, Strand, 0, Strand.Length);
        return Strand;
    }

    public void Dispose()
    {
        Hair.Dispose();
        Context.Dispose();
        Marshal.FreeHGlobal(output);
    }

    public static int Run(string solver, string path)
    {
        using (var scene = new Scene(solver == "hybrid" ? PLAIT_SOLVER_HYBRID : PLAIT_SOLVER_SHAPE))
        using (var file = File.Create(path))
            for (int i = 1; i <= Frames; i++)
            {
                scene.Step(i);
                if (i % 100 == 7) GC.Collect();
                if (i % Every == 0) file.Write(scene.Read(), 0, scene.Strand.Length);
            }
        return 0;
    }

    // The same calls as in host.c, as many times.
    public static int Bench()
    {
        using (var scene = new Scene(PLAIT_SOLVER_SHAPE, null, 1))
        {
            for (int i = 0; i < 2000; i++) scene.Hair.Query(); // compiled
            var watch = Stopwatch.StartNew();
            for (int i = 0; i < 50000; i++) scene.Hair.Query();
            Console.WriteLine("query {0:F4}", watch.Elapsed.TotalMilliseconds * 1000 / 50000);
            for (int i = 1; i <= 2000; i++) scene.Step(i);
            watch = Stopwatch.StartNew();
            for (int i = 1; i <= 20000; i++) scene.Step(i);
            Console.WriteLine("step {0:F4}", watch.Elapsed.TotalMilliseconds * 1000 / 20000);
        }
        return 0;
    }
}
