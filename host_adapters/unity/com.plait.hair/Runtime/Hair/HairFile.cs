using System;
using System.IO;
using UnityEngine;

namespace Plait
{
    /// <summary>Reads Cem Yuksel's .hair files: a header of 128 bytes ("HAIR", strands, points, which arrays follow, default
    /// segments and thickness), then the arrays. Other formats: convert them with the command plait groom convert.</summary>
    public static class HairFile
    {
        const int HeaderSize = 128, HasSegments = 1, HasPoints = 2, HasThickness = 4;

        /// <summary>Fills a groom. scale: metres of a unit of the file. zUp: its z axis points up. rightHanded: as most programs
        /// but Unity; x is mirrored. An InvalidDataException says what is wrong with the file.</summary>
        public static void Read(byte[] bytes, float scale, bool zUp, bool rightHanded, PlaitGroom groom)
        {
            if (bytes.Length < HeaderSize || bytes[0] != 'H' || bytes[1] != 'A' || bytes[2] != 'I' || bytes[3] != 'R')
                throw new InvalidDataException("this is no .hair file");
            uint strands = BitConverter.ToUInt32(bytes, 4), points = BitConverter.ToUInt32(bytes, 8);
            uint arrays = BitConverter.ToUInt32(bytes, 12), segments = BitConverter.ToUInt32(bytes, 16);
            long at = HeaderSize, counts = at;
            if ((arrays & HasSegments) != 0) at += 2L * strands;
            long positions = at, radii = at + 12L * points;
            if ((arrays & HasPoints) == 0) throw new InvalidDataException("the file has no points");
            long end = radii + ((arrays & HasThickness) != 0 ? 4L * points : 0);
            if (end > bytes.Length || strands > points)
                throw new InvalidDataException(strands + " strands of " + points + " points do not fit into " + bytes.Length + " bytes");

            groom.vertexCounts = new int[strands];
            long used = 0;
            for (uint s = 0; s < strands; s++)
            {
                long count = 1L + ((arrays & HasSegments) != 0 ? BitConverter.ToUInt16(bytes, (int)(counts + 2 * s)) : segments);
                used += count;
                if (used > points) throw new InvalidDataException("strand " + s + " has more points than are left");
                groom.vertexCounts[s] = (int)count;
            }
            groom.positions = new Vector3[used];
            groom.radii = new float[(arrays & HasThickness) != 0 ? used : 0];
            for (long i = 0; i < used; i++)
            {
                float x = Float(bytes, positions + 12 * i), y = Float(bytes, positions + 12 * i + 4), z = Float(bytes, positions + 12 * i + 8);
                // Turned about x, so that z becomes y.
                groom.positions[i] = new Vector3(rightHanded ? -x : x, zUp ? z : y, zUp ? -y : z) * scale;
                if (groom.radii.Length > 0) groom.radii[i] = 0.5f * scale * Float(bytes, radii + 4 * i); // a thickness is a diameter
            }
        }

        static float Float(byte[] bytes, long at) => BitConverter.ToSingle(bytes, (int)at);
    }
}
