// Stand-ins for the values of UnityEngine that the package uses, with the meaning that Unity documents.
using System;

namespace UnityEngine
{
    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; }
        public static Vector3 one => new Vector3(1, 1, 1);
        public static Vector3 zero => new Vector3();
        public static Vector3 Scale(Vector3 a, Vector3 b) => new Vector3(a.x * b.x, a.y * b.y, a.z * b.z);
        public static Vector3 operator +(Vector3 a, Vector3 b) => new Vector3(a.x + b.x, a.y + b.y, a.z + b.z);
        public static Vector3 operator -(Vector3 a, Vector3 b) => new Vector3(a.x - b.x, a.y - b.y, a.z - b.z);
        public static Vector3 operator *(Vector3 a, float b) => new Vector3(a.x * b, a.y * b, a.z * b);
        public float magnitude => (float)Math.Sqrt(x * x + y * y + z * z);
        public override string ToString() => "(" + x + ", " + y + ", " + z + ")";
    }

    public struct Vector4
    {
        public float x, y, z, w;
    }

    public struct Quaternion
    {
        public float x, y, z, w;
        public Quaternion(float x, float y, float z, float w) { this.x = x; this.y = y; this.z = z; this.w = w; }
        public static Quaternion identity => new Quaternion(0, 0, 0, 1);
        public static Quaternion operator *(Quaternion a, Quaternion b) =>
            new Quaternion(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                           a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
        // Degrees about z, then x, then y.
        public static Quaternion Euler(float x, float y, float z) => Half(0, y, 0) * Half(x, 0, 0) * Half(0, 0, z);
        static Quaternion Half(float x, float y, float z)
        {
            float angle = (x + y + z) * (float)Math.PI / 360, sin = (float)Math.Sin(angle);
            return new Quaternion(x != 0 ? sin : 0, y != 0 ? sin : 0, z != 0 ? sin : 0, (float)Math.Cos(angle));
        }
    }

    // For column vectors; mRC is row R, column C.
    public struct Matrix4x4
    {
        public float m00, m01, m02, m03, m10, m11, m12, m13, m20, m21, m22, m23, m30, m31, m32, m33;
        public static Matrix4x4 identity => TRS(Vector3.zero, Quaternion.identity, Vector3.one);

        public static Matrix4x4 TRS(Vector3 t, Quaternion q, Vector3 s)
        {
            Matrix4x4 m;
            m.m00 = (1 - 2 * (q.y * q.y + q.z * q.z)) * s.x; m.m01 = 2 * (q.x * q.y - q.w * q.z) * s.y; m.m02 = 2 * (q.x * q.z + q.w * q.y) * s.z;
            m.m10 = 2 * (q.x * q.y + q.w * q.z) * s.x; m.m11 = (1 - 2 * (q.x * q.x + q.z * q.z)) * s.y; m.m12 = 2 * (q.y * q.z - q.w * q.x) * s.z;
            m.m20 = 2 * (q.x * q.z - q.w * q.y) * s.x; m.m21 = 2 * (q.y * q.z + q.w * q.x) * s.y; m.m22 = (1 - 2 * (q.x * q.x + q.y * q.y)) * s.z;
            m.m03 = t.x; m.m13 = t.y; m.m23 = t.z;
            m.m30 = m.m31 = m.m32 = 0; m.m33 = 1;
            return m;
        }

        public static Matrix4x4 operator *(Matrix4x4 a, Matrix4x4 b)
        {
            Vector3 x = a.MultiplyVector(new Vector3(b.m00, b.m10, b.m20)), y = a.MultiplyVector(new Vector3(b.m01, b.m11, b.m21));
            Vector3 z = a.MultiplyVector(new Vector3(b.m02, b.m12, b.m22)), t = a.MultiplyPoint(new Vector3(b.m03, b.m13, b.m23));
            return new Matrix4x4 {m00 = x.x, m10 = x.y, m20 = x.z, m01 = y.x, m11 = y.y, m21 = y.z, m02 = z.x, m12 = z.y, m22 = z.z,
                                  m03 = t.x, m13 = t.y, m23 = t.z, m33 = 1};
        }

        public Vector3 MultiplyVector(Vector3 v) =>
            new Vector3(m00 * v.x + m01 * v.y + m02 * v.z, m10 * v.x + m11 * v.y + m12 * v.z, m20 * v.x + m21 * v.y + m22 * v.z);
        public Vector3 MultiplyPoint(Vector3 v) => MultiplyVector(v) + new Vector3(m03, m13, m23);
    }

    public struct Bounds
    {
        public Vector3 min, max;
        public void SetMinMax(Vector3 low, Vector3 high) { min = low; max = high; }
    }

    public static class Mathf
    {
        public static float Sin(float x) => (float)Math.Sin(x);
        public static float Abs(float x) => Math.Abs(x);
    }
}
