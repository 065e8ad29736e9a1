using System.IO;
using UnityEditor.AssetImporters;
using UnityEngine;

namespace Plait
{
    /// <summary>Imports .hair files as grooms.</summary>
    [ScriptedImporter(1, "hair")]
    public sealed class HairFileImporter : ScriptedImporter
    {
        /// <summary>Metres of a unit.</summary>
        [Tooltip("Metres of a unit of the file; centimetres: 0.01")]
        public float scale = 0.01f;

        /// <summary>Which axis is up.</summary>
        [Tooltip("The z axis of the file points up, else its y axis")]
        public bool zUp = true;

        /// <summary>Whether to mirror.</summary>
        [Tooltip("The file is right-handed, as most programs but Unity: x is mirrored")]
        public bool rightHanded = true;

        /// <summary>Called by Unity.</summary>
        public override void OnImportAsset(AssetImportContext context)
        {
            var groom = ScriptableObject.CreateInstance<PlaitGroom>();
            try
            {
                HairFile.Read(File.ReadAllBytes(context.assetPath), scale, zUp, rightHanded, groom);
            }
            catch (InvalidDataException error)
            {
                context.LogImportError(context.assetPath + ": " + error.Message);
            }
            context.AddObjectToAsset("groom", groom);
            context.SetMainObject(groom);
        }
    }
}
