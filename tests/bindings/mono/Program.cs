// The C# bindings under Mono. Program layout: prints layouts; SOLVER FILE: runs the scene; bench: prints what calls cost; checks: the rest.
using System;

static class Program
{
    static int Main(string[] arguments)
    {
        if (arguments.Length == 1 && arguments[0] == "layout") return Layout.Print();
        if (arguments.Length == 1 && arguments[0] == "bench") return Scene.Bench();
        if (arguments.Length == 1 && arguments[0] == "checks") return Checks.Run();
        if (arguments.Length == 2) return Scene.Run(arguments[0], arguments[1]);
        Console.Error.WriteLine("Program layout, bench, checks, or SOLVER FILE");
        return 2;
    }
}
