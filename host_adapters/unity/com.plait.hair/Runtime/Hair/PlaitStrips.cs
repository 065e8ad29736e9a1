using System;
using Unity.Collections;
using UnityEngine;
using UnityEngine.Rendering;
using static Plait.Native;

namespace Plait
{
    /// <summary>Draws strands as strips that face the camera: two triangles a segment, made in the vertex shader.</summary>
    sealed unsafe class PlaitStrips : IDisposable
    {
        static readonly int Vertices = Shader.PropertyToID("_PlaitVertices"), Segments = Shader.PropertyToID("_PlaitSegments");

        readonly Material material;
        readonly MaterialPropertyBlock properties = new MaterialPropertyBlock();
        readonly GraphicsBuffer vertices, segments;
        readonly int[] segmentsUpTo; // of the first so many strands

        public PlaitStrips(PlaitGroom groom, Material material)
        {
            this.material = material;
            segmentsUpTo = new int[groom.vertexCounts.Length + 1];
            for (int s = 0; s < groom.vertexCounts.Length; s++)
                segmentsUpTo[s + 1] = segmentsUpTo[s] + groom.vertexCounts[s] - 1;
            // The first vertex of each segment; the top bits say whether the strand begins or ends there.
            var firsts = new NativeArray<uint>(segmentsUpTo[segmentsUpTo.Length - 1], Allocator.Temp);
            uint vertex = 0;
            int at = 0;
            foreach (int count in groom.vertexCounts)
            {
                for (int v = 0; v + 1 < count; v++)
                    firsts[at++] = vertex + (uint)v | (v == 0 ? 1u << 31 : 0) | (v + 2 == count ? 1u << 30 : 0);
                vertex += (uint)count;
            }
            segments = new GraphicsBuffer(GraphicsBuffer.Target.Structured, firsts.Length, 4);
            segments.SetData(firsts);
            firsts.Dispose();
            vertices = new GraphicsBuffer(GraphicsBuffer.Target.Structured, groom.positions.Length, 16);
            properties.SetBuffer(Vertices, vertices);
            properties.SetBuffer(Segments, segments);
        }

        /// <summary>Positions and radii, to be drawn from.</summary>
        public GraphicsBuffer Buffer => vertices;

        public void Write(NativeArray<Vector4> positions) => vertices.SetData(positions);

        public void Draw(plait_hair_info info, bool render, int layer)
        {
            int strands = render ? (int)info.render_strand_count : segmentsUpTo.Length - 1;
            if (info.vertex_count == 0 || strands == 0) return; // the render thread has not come to the first frame
            float* min = render ? info.render_bounds_min : info.bounds_min, max = render ? info.render_bounds_max : info.bounds_max;
            var bounds = new Bounds();
            bounds.SetMinMax(new Vector3(min[0], min[1], min[2]), new Vector3(max[0], max[1], max[2]));
            Graphics.DrawProcedural(material, bounds, MeshTopology.Triangles, segmentsUpTo[strands] * 6, 1, null, properties,
                                    ShadowCastingMode.On, true, layer);
        }

        public void Dispose()
        {
            vertices.Release();
            segments.Release();
        }
    }
}
