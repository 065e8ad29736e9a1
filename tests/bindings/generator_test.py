"""The generator refuses what it does not understand, with the line, and takes what the header may hold one day."""
import os
import subprocess
import sys
import tempfile
import unittest

PROJECT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
GENERATE = os.path.join(PROJECT, "host_adapters", "bindings", "generate.py")
with open(os.path.join(PROJECT, "abi", "plait.h"), encoding="utf-8") as original:
    HEADER = original.read()


class Generator(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def generate(self, header, *arguments):
        path = os.path.join(self.folder, "plait.h")
        with open(path, "w", encoding="utf-8") as file:
            file.write(header)
        command = [sys.executable, GENERATE, "--header", path, "--root", self.folder, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def written(self, name):
        for folder, _, files in os.walk(self.folder):
            if name in files:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    return file.read()
        self.fail(f"{name} was not written")

    def refuses(self, old, new, reason):
        self.assertEqual(HEADER.count(old), 1, old)
        run = self.generate(HEADER.replace(old, new))
        self.assertNotEqual(run.returncode, 0, f"taken: {new}")
        self.assertRegex(run.stderr, r"plait\.h: line \d+: .*" + reason)

    def test_what_it_does_not_know_is_an_error_with_a_line(self):
        field = "    uint32_t version_patch;\n"
        end = "/* ---- state "
        self.refuses(field, "    long version_patch;\n", "type 'long' is not known")
        self.refuses(field, "    uint32_t version_patch : 3;\n", "':' is not known")
        self.refuses(field, "    uint32_t version_patch, other;\n", "';' is expected instead of ','")
        self.refuses(field, "    union { uint32_t a; float b; } version_patch;\n", "type 'union' is not known")
        self.refuses(field, "    plait_head version_patch[2];\n", "array of something that is no number")
        self.refuses(field, "    const char *const *version_patch;\n", "pointers to pointers")
        self.refuses(field, "    uint8_t version_patch;\n", "padding before reserved")
        self.refuses(end, "#define PLAIT_SCALE 0.5f\n" + end, "no integer")
        self.refuses(end, "#define PLAIT_MAX(a, b) (a)\n" + end, "neither a constant nor an initialiser")
        self.refuses(end, "static inline int plait_twice(int x);\n" + end, "'static' begins no declaration")
        self.refuses(end, "enum plait_kind { A, B };\n" + end, "'enum' begins no declaration")
        self.refuses(end, "#pragma pack(1)\n" + end, "directive '#pragma")
        self.refuses(end, "#ifdef _WIN32\ntypedef struct plait_x { uint64_t a; } plait_x;\n#endif\n" + end, "under a condition")
        self.refuses(end, "PLAIT_FUNCTION(plait_new, (plait_hair hair));\n" + end, "plait_new is declared or listed")
        self.refuses("{{PLAIT_TYPE_GROUP_DESC, (uint32_t)sizeof(plait_group_desc), 0}, 0, 1}",
                     "{{PLAIT_TYPE_GROUP_DESC, (uint32_t)sizeof(plait_group_desc), 0}, 0}", "2 values for the 3 fields")
        self.refuses("#define PLAIT_GROUP_DESC_INIT ", "#define PLAIT_GROUP_INIT ", "initialiser of no struct")

    def test_a_new_function_and_struct_come_out_in_both_languages(self):
        new = ("typedef struct plait_crowd_desc {\n    plait_head head;\n    const plait_hair *hairs; /* [hair_count], < & > */\n"
               "    uint32_t hair_count;\n    uint32_t params;\n} plait_crowd_desc;\n#define PLAIT_CROWD_DESC_INIT "
               "{{PLAIT_TYPE_CROWD_DESC, (uint32_t)sizeof(plait_crowd_desc), 0}, 0, 7, 0}\n\n"
               "/* Steps many. */\nPLAIT_FUNCTION(plait_hairs_go, (uint32_t count, const plait_crowd_desc *desc));\n\n")
        header = HEADER.replace("/* ---- state ", "#define PLAIT_TYPE_CROWD_DESC 77u\n\n" + new + "/* ---- state ")
        header = header.replace("    X(plait_library_query) ", "    X(plait_hairs_go) \\\n    X(plait_library_query) ")
        run = self.generate(header)
        self.assertEqual(run.returncode, 0, run.stderr)
        sharp, python = self.written("Plait.Native.cs"), self.written("native.py")
        self.assertIn("public static extern int plait_hairs_go(uint count, plait_crowd_desc* desc);", sharp)
        self.assertIn("[FieldOffset(28)] public uint @params;", sharp)
        self.assertIn("head = new plait_head { type = 77, size = 32 }, hair_count = 7", sharp)
        self.assertIn("[hair_count], &lt; &amp; &gt;", sharp)
        self.assertIn('("plait_hairs_go", c_int32, [c_uint32, POINTER(plait_crowd_desc)],', python)

    def test_check_names_what_is_stale_and_changes_nothing(self):
        self.assertEqual(self.generate(HEADER).returncode, 0)
        self.assertEqual(self.generate(HEADER, "--check").returncode, 0)
        run = self.generate(HEADER.replace("PLAIT_VERSION_PATCH 0u", "PLAIT_VERSION_PATCH 3u"), "--check")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("Plait.Native.cs", run.stderr)
        self.assertIn("native.py", run.stderr)
        self.assertIn("PLAIT_VERSION_PATCH = 0", self.written("native.py"))


if __name__ == "__main__":
    unittest.main()
