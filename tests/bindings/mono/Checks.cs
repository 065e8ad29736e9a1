using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Threading;
using Plait;
using static Plait.Native;

// Every public method that is not Run is a check; its name says what holds.
sealed unsafe class Checks
{
    readonly List<string> messages = new List<string>();

    public static int Run()
    {
        int failed = 0;
        foreach (MethodInfo check in typeof(Checks).GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly))
        {
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

    public void AnErrorNamesItsArgumentInExceptionAndLog()
    {
        using (var scene = new Scene(PLAIT_SOLVER_SHAPE, (level, id, text) => messages.Add(text)))
        {
            var frame = plait_frame_desc.Init;
            frame.dt = -1;
            var error = Throws<PlaitException>(() => scene.Hair.Step(frame));
            Equal(error.Result, PLAIT_ERROR_INVALID_ARGUMENT);
            True(error.Message.Contains("frame.dt is -1"), error.Message);
            Equal(messages.Count, 1);
            True(messages[0].Contains("frame.dt is -1"), messages[0]);
            var data = Scene.Data();
            data.Positions[13 * 3] = float.NaN;
            error = Throws<PlaitException>(() => new Groom(scene.Context, data));
            True(error.Message.Contains("strand 1, vertex 1"), error.Message);
            data.Positions = new float[3];
            True(Throws<ArgumentException>(() => new Groom(scene.Context, data)).Message.Contains("Positions has 3 elements"), "");
        }
    }

    public void HandlesGoByValueAndStaleOnesAreErrors()
    {
        using (var scene = new Scene(PLAIT_SOLVER_SHAPE))
        {
            plait_hair handle = scene.Hair.Handle, zero = new plait_hair(), forged = new plait_hair { id = handle.id ^ 1 };
            True(handle.id > uint.MaxValue, "a handle uses all 64 bits");
            var info = plait_hair_info.Init;
            Equal(plait_hair_query(handle, &info), PLAIT_OK);
            Equal(info.vertex_count, (uint)(Scene.Strands * Scene.Vertices));
            Equal(plait_hair_query(zero, &info), PLAIT_ERROR_INVALID_HANDLE);
            Equal(plait_hair_query(forged, &info), PLAIT_ERROR_INVALID_HANDLE);
            scene.Hair.Dispose();
            Equal(plait_hair_query(handle, &info), PLAIT_ERROR_INVALID_HANDLE);
            Throws<ObjectDisposedException>(() => scene.Hair.Query());
        }
    }

    public void TheLogIsCalledAfterCollections()
    {
        int calls = 0;
        using (var scene = new Scene(PLAIT_SOLVER_SHAPE, (level, id, text) => calls++))
            for (int i = 1; i <= 50; i++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                Throws<PlaitException>(() => scene.Hair.SetOutput((void*)8, 1, PLAIT_FORMAT_FLOAT32X3));
                Equal(calls, i);
            }
    }

    public void AnExceptionInTheLogDoesNotReachTheLibrary()
    {
        Console.SetError(new System.IO.StringWriter());
        using (var scene = new Scene(PLAIT_SOLVER_SHAPE, (level, id, text) => { throw new InvalidOperationException("in the log"); }))
            Throws<PlaitException>(() => scene.Hair.SetOutput((void*)8, 1, PLAIT_FORMAT_FLOAT32X3));
    }

    public void CallbacksOfStructsAreCalledAcrossCollections()
    {
        using (var scene = new Scene(PLAIT_SOLVER_HYBRID))
        {
            var steps = new List<uint>();
            plait_settle_desc_progress progress = (user, info) =>
            {
                GC.Collect();
                steps.Add(info->step_count);
                return steps.Count == 3 ? PLAIT_ERROR_TIMEOUT : PLAIT_OK;
            };
            var desc = plait_settle_desc.Init;
            desc.gravity[1] = -9.8125f;
            desc.max_speed = desc.max_acceleration = 1e-9f;
            desc.max_steps = 100;
            desc.progress_steps = 5;
            desc.progress = Marshal.GetFunctionPointerForDelegate(progress);
            var result = plait_settle_info.Init;
            Equal(plait_hair_settle(scene.Hair.Handle, &desc, &result), PLAIT_ERROR_TIMEOUT);
            GC.KeepAlive(progress);
            Equal(string.Join(" ", steps), "5 10 15");
        }
    }

    public void JobsRunOnThreadsOfTheHost()
    {
        int jobs = 0;
        plait_jobs_parallel_for parallelFor = (user, count, job, argument) =>
        {
            var run = Marshal.GetDelegateForFunctionPointer<plait_job>(job);
            var threads = new Thread[2];
            for (uint t = 0; t < 2; t++)
            {
                uint first = t;
                threads[t] = new Thread(() => { for (uint i = first; i < count; i += 2) run(argument, i); });
                threads[t].Start();
            }
            foreach (Thread thread in threads) thread.Join();
            Interlocked.Add(ref jobs, (int)count);
        };
        var table = plait_jobs.Init;
        table.parallel_for = Marshal.GetFunctionPointerForDelegate(parallelFor);
        table.thread_count = 2;
        var desc = plait_context_desc.Init;
        desc.jobs = &table;
        plait_context context;
        Equal(plait_context_create(&desc, &context), PLAIT_OK);
        plait_device device;
        var cpu = plait_device_desc.Init;
        cpu.backend = PLAIT_BACKEND_CPU;
        Equal(plait_device_open(context, &cpu, &device), PLAIT_OK);
        const int Count = 5000;
        var counts = new uint[Count];
        var positions = new float[Count * 2 * 3];
        for (int i = 0; i < Count; i++)
        {
            counts[i] = 2;
            positions[6 * i + 3] = 0.25f;
        }
        fixed (uint* c = counts) fixed (float* p = positions)
        {
            var groomDesc = plait_groom_desc.Init;
            groomDesc.strand_count = Count;
            groomDesc.bone_count = 1;
            groomDesc.vertex_counts = c;
            groomDesc.positions = p;
            plait_groom groom;
            Equal(plait_groom_create(context, &groomDesc, &groom), PLAIT_OK);
            var hairDesc = plait_hair_desc.Init;
            hairDesc.groom = groom;
            hairDesc.device = device;
            hairDesc.solver = PLAIT_SOLVER_SHAPE;
            plait_hair hair;
            Equal(plait_hair_create(context, &hairDesc, &hair), PLAIT_OK);
            var frame = plait_frame_desc.Init;
            frame.dt = 1.0f / 60;
            Equal(plait_hair_step(hair, &frame), PLAIT_OK);
        }
        Equal(plait_context_destroy(context), PLAIT_OK);
        GC.KeepAlive(parallelFor);
        True(jobs > 1, "jobs: " + jobs);
    }

    public void ForgottenObjectsAreGivenBack()
    {
        for (int i = 0; i < 600; i++) // 255 contexts at once are the limit
        {
            Forget();
            if (i % 50 == 49)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
        }
    }

    static void Forget()
    {
        var context = new Context(null, 1);
        new Groom(context, Scene.Data());
        new Device(context, PLAIT_BACKEND_NULL);
    }

    public void HairMovesToAnotherDeviceWhileItRuns()
    {
        using (var scene = new Scene(PLAIT_SOLVER_SHAPE))
        using (var other = new Device(scene.Context, PLAIT_BACKEND_NULL))
        {
            scene.Step(1);
            scene.Hair.SetDevice(other);
            scene.Step(2);
            scene.Hair.Wait();
            Equal(scene.Hair.Stats().frame_count, 2ul);
            True(scene.Context.Devices().Length >= 1, "devices");
            plait_device_info info = other.Query();
            Equal(info.backend, PLAIT_BACKEND_NULL);
            True(Utf8.String(info.name).Length > 0, "a device has a name");
        }
    }

    static void True(bool condition, string what)
    {
        if (!condition) throw new Exception("not so: " + what);
    }

    static void Equal<T>(T have, T want)
    {
        if (!EqualityComparer<T>.Default.Equals(have, want)) throw new Exception(have + " instead of " + want);
    }

    static T Throws<T>(Action action) where T : Exception
    {
        try
        {
            action();
        }
        catch (T error)
        {
            return error;
        }
        throw new Exception("no " + typeof(T).Name);
    }
}
