// The Unity components, run against stand-ins for Unity. Every public method of Checks is a check; its name says what holds.
using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;
using Plait;
using UnityEditor.AssetImporters;
using UnityEngine;
using static Plait.Native;

static class Program
{
    public static string Plugin; // its file

    // The plugin's file: runs all checks; "layout": prints layouts.
    static int Main(string[] arguments)
    {
        if (arguments[0] == "layout") return PrintLayout();
        Plugin = arguments[0];
        int failed = 0;
        foreach (MethodInfo check in typeof(Checks).GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly))
        {
            Debug.Errors.Clear();
            Debug.Warnings.Clear();
            try
            {
                check.Invoke(new Checks(), null);
                Console.WriteLine("ok     {0}", check.Name);
            }
            catch (TargetInvocationException error)
            {
                failed++;
                Console.WriteLine("FAILED {0}: {1}", check.Name, error.InnerException);
            }
        }
        return failed == 0 ? 0 : 1;
    }

    static int PrintLayout()
    {
        foreach (string name in new[] { "Desc", "Status" })
        {
            Type type = typeof(PlaitHair).Assembly.GetType("Plait.PlaitChannel").GetNestedType(name);
            Console.WriteLine("struct {0} {1}", name, Marshal.SizeOf(type));
            foreach (FieldInfo field in type.GetFields())
                Console.WriteLine("field {0}.{1} {2}", name, field.Name, Marshal.OffsetOf(type, field.Name));
        }
        return 0;
    }
}

sealed unsafe class Checks
{
    const int Strands = 40, Vertices = 10;
    readonly GameObject bone = new GameObject("bone"), holder = new GameObject("hair");

    // Strands sideways out of a head of 10 cm.
    static PlaitGroom Groom(int strands)
    {
        var groom = new PlaitGroom { vertexCounts = new int[strands], positions = new Vector3[strands * Vertices] };
        for (int s = 0; s < strands; s++)
        {
            groom.vertexCounts[s] = Vertices;
            double angle = 2 * Math.PI * s / strands;
            for (int v = 0; v < Vertices; v++)
                groom.positions[s * Vertices + v] = new Vector3((float)Math.Cos(angle), 0, (float)Math.Sin(angle)) * (0.1f + 0.02f * v);
        }
        return groom;
    }

    PlaitHair Make(Action<PlaitHair> change = null)
    {
        holder.SetActive(false);
        var hair = holder.AddComponent<PlaitHair>();
        hair.groom = Groom(Strands);
        hair.bones = new[] { bone.transform };
        hair.solver = PlaitSolver.Shape;
        hair.material = new Material();
        if (change != null) change(hair);
        holder.SetActive(true);
        return hair;
    }

    static void Frames(PlaitHair hair, int count)
    {
        for (int i = 0; i < count; i++) hair.Send("LateUpdate");
    }

    static Vector3 At(PlaitHair hair, int vertex)
    {
        Vector4 v = hair.Positions[vertex];
        return new Vector3(v.x, v.y, v.z);
    }

    public void DefaultsAreThoseOfTheLibrary()
    {
        var shape = plait_shape_params.Init;
        plait_shape_params_default(1, &shape);
        Equal(new PlaitShapeParameters().ToNative(), shape);
        var hybrid = plait_hybrid_params.Init;
        plait_hybrid_params_default(1, &hybrid);
        plait_hybrid_params ours = new PlaitHybridParameters().ToNative();
        for (int i = 0; i < sizeof(plait_hybrid_params); i++) Equal(((byte*)&ours)[i], ((byte*)&hybrid)[i]);
        var render = plait_render_params.Init;
        plait_render_params_default(&render);
        Equal(new PlaitDetail().ToNative(), render);
    }

    public void RootsFollowTheirBoneAndTipsFall()
    {
        PlaitHair hair = Make();
        for (int i = 1; i <= 90; i++)
        {
            bone.transform.position = new Vector3(0.01f * i, 0.5f, -0.005f * i);
            bone.transform.rotation = Quaternion.Euler(10, i, 5);
            hair.Send("LateUpdate");
        }
        Equal(string.Join("; ", Debug.Errors), "");
        Matrix4x4 m = bone.transform.localToWorldMatrix;
        float lower = 0;
        for (int s = 0; s < Strands; s++)
        {
            Vector3 root = m.MultiplyPoint(hair.groom.positions[s * Vertices]);
            Near(At(hair, s * Vertices), root, 1e-5f);
            Vector3 held = m.MultiplyPoint(hair.groom.positions[s * Vertices + Vertices - 1]);
            lower += (held.y - At(hair, s * Vertices + Vertices - 1).y) / Strands;
        }
        True(lower > 0.005f, "tips hang " + lower + " m below where they were drawn");
        hair.enabled = false;
    }

    public void AGroomWithABindPoseStaysOnItsBones()
    {
        var other = new GameObject("other");
        bone.transform.position = new Vector3(1, 2, 3);
        other.transform.position = new Vector3(-1, 0, 0);
        other.transform.rotation = Quaternion.Euler(0, 90, 0);
        PlaitHair hair = Make(one => {
            one.bones = new[] { bone.transform, other.transform };
            one.groom.bindPose = new[] { bone.transform.localToWorldMatrix, other.transform.localToWorldMatrix };
            one.groom.rootBones = new int[Strands];
            one.groom.rootBones[7] = 1;
        });
        Frames(hair, 1);
        Near(At(hair, 0), hair.groom.positions[0], 1e-5f); // in the bind pose all are where they were drawn
        Near(At(hair, 7 * Vertices), hair.groom.positions[7 * Vertices], 1e-5f);
        other.transform.position = new Vector3(-1, 0.25f, 0);
        Frames(hair, 1);
        Near(At(hair, 0), hair.groom.positions[0], 1e-5f);
        Near(At(hair, 7 * Vertices), hair.groom.positions[7 * Vertices] + new Vector3(0, 0.25f, 0), 1e-5f);
        hair.enabled = false;
    }

    public void HairStaysOutOfScaledColliders()
    {
        var ball = new GameObject("ball");
        ball.transform.position = new Vector3(0.2f, -0.06f, 0);
        ball.transform.localScale = new Vector3(0.1f, 0.05f, 0.02f);
        var sphere = ball.AddComponent<SphereCollider>(); // 5 cm, by the largest scale
        var rod = new GameObject("rod");
        rod.transform.position = new Vector3(-0.2f, -0.06f, 0);
        rod.transform.rotation = Quaternion.Euler(0, 90, 0);
        rod.transform.localScale = new Vector3(0.1f, 0.1f, 2);
        var capsule = rod.AddComponent<CapsuleCollider>();
        capsule.direction = 2; // its z is the world's x: 2 m long, 5 cm thick
        PlaitHair hair = Make(one => {
            one.colliders = new Collider[] { sphere, capsule, null };
            one.shape.complianceRoot = one.shape.complianceTip = 0.1f;
        });
        float nearBall = 1, nearRod = 1;
        for (int i = 0; i < 120; i++)
        {
            Frames(hair, 1);
            for (int v = 0; v < Strands * Vertices; v++)
            {
                Vector3 p = At(hair, v), q = p - rod.transform.position;
                nearBall = Math.Min(nearBall, (p - ball.transform.position).magnitude);
                nearRod = Math.Min(nearRod, new Vector3(0, q.y, q.z).magnitude);
            }
        }
        True(nearBall > 0.0495f && nearBall < 0.055f, "nearest to the ball: " + nearBall);
        True(nearRod > 0.0495f && nearRod < 0.055f, "nearest to the rod: " + nearRod);
        hair.enabled = false;
    }

    public void WindAndParametersChangeTheMotion()
    {
        PlaitHair hair = Make(one => one.shape.complianceRoot = one.shape.complianceTip = 0.05f);
        Frames(hair, 60);
        float calm = At(hair, Vertices - 1).z;
        hair.wind = new Vector3(0, 0, 5);
        Frames(hair, 60);
        True(At(hair, Vertices - 1).z > calm + 0.01f, "wind moves the tip");
        hair.wind = Vector3.zero;
        hair.shape.complianceRoot = hair.shape.complianceTip = 0;
        hair.ApplyParameters();
        hair.ResetStrands();
        Frames(hair, 60);
        Near(At(hair, Vertices - 1), hair.groom.positions[Vertices - 1], 1e-3f); // rigid
        hair.enabled = false;
    }

    public void TheBackendIsSwappedWhileHairRuns()
    {
        PlaitHair hair = Make(one => one.shape.complianceRoot = one.shape.complianceTip = 0.1f);
        Frames(hair, 10);
        hair.backend = PlaitBackend.Null;
        Frames(hair, 1);
        Vector3 tip = At(hair, Vertices - 1);
        Frames(hair, 10);
        Near(At(hair, Vertices - 1), tip, 1e-6f); // nothing moves there
        hair.backend = PlaitBackend.Cpu;
        Frames(hair, 10);
        True((At(hair, Vertices - 1) - tip).magnitude > 1e-3f, "and here it goes on");
        Equal(hair.Hair.Stats().frame_count, 31ul);
        Equal(string.Join("; ", Debug.Errors), "");
        hair.backend = (PlaitBackend)77;
        Frames(hair, 2);
        Equal(Debug.Warnings.Count, 1);
        True(Debug.Warnings[0].Contains("stays where it is simulated"), Debug.Warnings[0]);
        True(hair.enabled, "it goes on");
        hair.enabled = false;
    }

    public void StripsAreDrawnFromThePositions()
    {
        int draws = Graphics.Draws;
        PlaitHair hair = Make();
        Frames(hair, 3);
        Equal(Graphics.Draws, draws + 3);
        Equal(Graphics.VertexCount, Strands * (Vertices - 1) * 6);
        byte[] content = Graphics.Properties.Buffers[Shader.PropertyToID("_PlaitVertices")].Content;
        Equal(BitConverter.ToSingle(content, 16 * 5 + 4), hair.Positions[5].y);
        True(hair.Positions[5].w > 1e-5f, "the fourth is the radius");
        byte[] segments = Graphics.Properties.Buffers[Shader.PropertyToID("_PlaitSegments")].Content;
        Equal(segments.Length, Strands * (Vertices - 1) * 4);
        Equal(BitConverter.ToUInt32(segments, 0), 1u << 31);
        Equal(BitConverter.ToUInt32(segments, 4 * (Vertices - 2)), 1u << 30 | (Vertices - 2));
        Equal(BitConverter.ToUInt32(segments, 4 * (Vertices - 1)), 1u << 31 | Vertices);
        Near(Graphics.Bounds.max - Graphics.Bounds.min, new Vector3(0.56f, 0, 0.56f), 0.1f);
        hair.enabled = false;
    }

    public void RenderStrandsHaveLevelsOfDetail()
    {
        PlaitHair hair = Make(one => one.renderGroom = Groom(Strands * 10));
        Frames(hair, 5);
        Equal(hair.Positions.Length, Strands * 10 * Vertices);
        Equal(Graphics.VertexCount, Strands * 10 * (Vertices - 1) * 6);
        hair.detail.strandFraction = 0.25f;
        hair.ApplyParameters();
        Frames(hair, 1);
        True(Graphics.VertexCount < Strands * 10 * (Vertices - 1) * 6 / 3, "fewer are drawn: " + Graphics.VertexCount);
        True(Graphics.VertexCount > 0, "but some");
        hair.enabled = false;
    }

    public void WithoutVulkanTheRenderThreadIsDeclinedAndHairRuns()
    {
        PlaitHair hair = Make(one => one.onRenderThread = true);
        Frames(hair, 2);
        True(hair.enabled && !hair.WithoutCopy, "it runs as without");
        Equal(string.Join("; ", Debug.Warnings), "hair is not simulated on the render thread: Unity has not loaded the plugin");
        hair.enabled = false;
    }

    public void OnTheRenderThreadStrandsGoIntoTheBufferThatIsDrawn()
    {
        if (!StandIn.Start(Program.Plugin, 21))
        {
            Console.WriteLine("there is no Vulkan: skipped: hair on the render thread");
            return;
        }
        PlaitHair there = Make(one => one.onRenderThread = true), here = new Checks().Make(one => one.bones = there.bones);
        for (int i = 1; i <= 40; i++)
        {
            bone.transform.position = new Vector3(0.01f * i, 0, 0);
            if (i == 20) there.shape.drag = here.shape.drag = 5;
            if (i == 20) there.ApplyParameters();
            if (i == 20) here.ApplyParameters();
            Frames(here, 1);
            Frames(there, 1);
        }
        Equal(string.Join("; ", Debug.Errors) + string.Join("; ", Debug.Warnings), "");
        True(there.WithoutCopy && !here.WithoutCopy, "one of them");
        Equal(Graphics.VertexCount, Strands * (Vertices - 1) * 6);
        byte[] drawn = Graphics.Properties.Buffers[Shader.PropertyToID("_PlaitVertices")].ReadNative();
        float most = 0;
        for (int v = 0; v < here.Positions.Length; v++)
        {
            most = Math.Max(most, Math.Abs(BitConverter.ToSingle(drawn, 16 * v) - here.Positions[v].x));
            most = Math.Max(most, Math.Abs(BitConverter.ToSingle(drawn, 16 * v + 4) - here.Positions[v].y));
        }
        True(most < 1e-3f, "both are the same, to " + most);
        True(At(here, Vertices - 1).y < -1e-3f, "and have moved");

        there.onRenderThread = false; // from its next enabling on
        there.enabled = false;
        there.enabled = true;
        Frames(there, 1);
        True(!there.WithoutCopy && there.Positions[5].w > 0, "it runs without");
        there.enabled = here.enabled = false;
        Equal(GraphicsBuffer.Live, 0);
        StandIn.End();
    }

    public void WhatIsWrongIsToldAndTurnsTheComponentOff()
    {
        Refused(one => one.groom = null, "there is no groom");
        Refused(one => one.bones = new Transform[0], "there are no bones");
        Refused(one => one.bones = new Transform[1], "bones[0] is empty");
        Refused(one => one.colliders = new Collider[] { new GameObject("crate").AddComponent<BoxCollider>() }, "collider of crate is neither");
        Refused(one => one.groom.vertexCounts[3] = -1, "overflow");
        Refused(one => one.groom.positions[21] = new Vector3(float.NaN, 0, 0), "strand 2, vertex 1");
        Refused(one => one.stepRate = -1, "step_rate_hz");
        bone.transform.localScale = new Vector3(-1, 1, 1);
        Refused(one => { }, "mirror");
        Equal(GraphicsBuffer.Live, 0);
    }

    void Refused(Action<PlaitHair> change, string reason)
    {
        Debug.Errors.Clear();
        var hair = new Checks { };
        hair.bone.transform.localScale = bone.transform.localScale;
        PlaitHair made = hair.Make(change);
        True(!made.enabled, "it is turned off: " + reason);
        Equal(Debug.Errors.Count, 1);
        True(Debug.Errors[0].ToLower().Contains(reason), Debug.Errors[0]);
        made.Send("LateUpdate");
        Equal(Debug.Errors.Count, 1);
    }

    public void EnablingTwentyTimesLeavesNothingBehind()
    {
        PlaitHair hair = Make();
        for (int i = 0; i < 20; i++)
        {
            Frames(hair, 2);
            hair.enabled = false;
            Equal(GraphicsBuffer.Live, 0);
            True(hair.Hair == null && !hair.Positions.IsCreated, "nothing is left");
            FieldInfo context = typeof(PlaitHair).Assembly.GetType("Plait.PlaitShared").GetField("context", BindingFlags.Static | BindingFlags.NonPublic);
            True(context.GetValue(null) == null, "the context ends with the last hair");
            hair.enabled = true;
        }
        hair.enabled = false;
    }

    public void HairFilesBecomeGrooms()
    {
        var file = new List<byte>();
        foreach (char letter in "HAIR") file.Add((byte)letter);
        foreach (uint word in new uint[] { 2, 5, 1 | 2 | 4, 0 }) file.AddRange(BitConverter.GetBytes(word));
        file.AddRange(new byte[128 - file.Count]);
        file.AddRange(new byte[] { 1, 0, 2, 0 }); // segments
        for (int i = 0; i < 15; i++) file.AddRange(BitConverter.GetBytes((float)i));
        for (int i = 0; i < 5; i++) file.AddRange(BitConverter.GetBytes(0.5f));
        string path = Path.GetTempFileName();
        File.WriteAllBytes(path, file.ToArray());
        var context = new AssetImportContext { assetPath = path };
        new HairFileImporter().OnImportAsset(context);
        Equal(string.Join("; ", context.Errors), "");
        var groom = (PlaitGroom)context.Main;
        Equal(string.Join(" ", groom.vertexCounts), "2 3");
        Near(groom.positions[1], new Vector3(-0.03f, 0.05f, -0.04f), 1e-7f); // x mirrored, z up, centimetres
        True(Math.Abs(groom.radii[4] - 0.0025f) < 1e-7f, "a radius is half a thickness");
        for (int length = 0; length < file.Count; length++)
        {
            File.WriteAllBytes(path, file.GetRange(0, length).ToArray());
            context = new AssetImportContext { assetPath = path };
            new HairFileImporter().OnImportAsset(context);
            Equal(context.Errors.Count, 1);
        }
        File.Delete(path);
    }

    public void TheSampleRuns()
    {
        var sample = new GameObject("sample").AddComponent<Ponytail>();
        sample.strands = 50;
        sample.material = new Material();
        sample.Send("Start");
        var hair = (PlaitHair)typeof(Ponytail).GetField("hair", BindingFlags.Instance | BindingFlags.NonPublic).GetValue(sample);
        for (int i = 0; i < 60; i++)
        {
            Time.time += Time.deltaTime;
            sample.Send("Update");
            hair.Send("LateUpdate");
        }
        Equal(string.Join("; ", Debug.Errors), "");
        for (int v = 0; v < hair.Positions.Length; v++)
            True(At(hair, v).magnitude > 0.098f, "vertex " + v + " is in the head");
        hair.enabled = false;
    }

    static void True(bool condition, string what)
    {
        if (!condition) throw new Exception("not so: " + what);
    }

    static void Equal<T>(T have, T want)
    {
        if (!EqualityComparer<T>.Default.Equals(have, want)) throw new Exception(have + " instead of " + want);
    }

    static void Near(Vector3 have, Vector3 want, float tolerance)
    {
        if (!((have - want).magnitude <= tolerance)) throw new Exception(have + " instead of " + want);
    }
}
