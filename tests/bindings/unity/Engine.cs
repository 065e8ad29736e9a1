// Stand-ins for the objects of UnityEngine that the package uses. They record what is done to them; nothing is drawn.
using System;
using System.Collections.Generic;
using System.Reflection;

namespace UnityEngine
{
    [AttributeUsage(AttributeTargets.Field)] public sealed class RangeAttribute : Attribute { public RangeAttribute(float min, float max) { } }
    [AttributeUsage(AttributeTargets.Field)] public sealed class MinAttribute : Attribute { public MinAttribute(float min) { } }
    [AttributeUsage(AttributeTargets.Field)] public sealed class TooltipAttribute : Attribute { public TooltipAttribute(string text) { } }
    [AttributeUsage(AttributeTargets.Field)] public sealed class HeaderAttribute : Attribute { public HeaderAttribute(string text) { } }
    [AttributeUsage(AttributeTargets.Class)] public sealed class AddComponentMenu : Attribute { public AddComponentMenu(string path) { } }
    [AttributeUsage(AttributeTargets.Class)] public sealed class DefaultExecutionOrder : Attribute { public DefaultExecutionOrder(int order) { } }
    [AttributeUsage(AttributeTargets.Class)] public sealed class CreateAssetMenuAttribute : Attribute { public string menuName { get; set; } }

    public class Object
    {
        public string name { get; set; } = "";
    }

    public class ScriptableObject : Object
    {
        public static T CreateInstance<T>() where T : ScriptableObject, new() => new T();
    }

    public sealed class Material : Object { }

    public class Component : Object
    {
        public GameObject gameObject { get; internal set; }
        public Transform transform => gameObject.transform;
    }

    public class Behaviour : Component
    {
        bool on = true;
        // As in Unity, OnEnable and OnDisable come at once.
        public bool enabled
        {
            get { return on; }
            set { if (on != value) { on = value; if (gameObject.activeSelf) Send(value ? "OnEnable" : "OnDisable"); } }
        }
        public void Send(string message)
        {
            MethodInfo method = GetType().GetMethod(message, BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public);
            if (method != null) method.Invoke(this, null);
        }
    }

    public class MonoBehaviour : Behaviour { }

    public sealed class Transform : Component
    {
        Transform parent;
        public Vector3 localPosition, localScale = Vector3.one;
        public Quaternion localRotation = Quaternion.identity;
        public void SetParent(Transform other, bool worldPositionStays) { parent = other; }
        public Matrix4x4 localToWorldMatrix
        {
            get
            {
                Matrix4x4 own = Matrix4x4.TRS(localPosition, localRotation, localScale);
                return parent == null ? own : parent.localToWorldMatrix * own;
            }
        }
        public Vector3 position
        {
            get { return localToWorldMatrix.MultiplyPoint(Vector3.zero); }
            set { if (parent != null) throw new NotSupportedException(); localPosition = value; }
        }
        public Quaternion rotation
        {
            get { return parent == null ? localRotation : parent.rotation * localRotation; }
            set { if (parent != null) throw new NotSupportedException(); localRotation = value; }
        }
        public Vector3 lossyScale => parent == null ? localScale : Vector3.Scale(parent.lossyScale, localScale);
    }

    public class Collider : Component { }
    public sealed class SphereCollider : Collider { public Vector3 center; public float radius = 0.5f; }
    public sealed class CapsuleCollider : Collider { public Vector3 center; public float radius = 0.5f, height = 1; public int direction = 1; }
    public sealed class BoxCollider : Collider { }

    public enum PrimitiveType { Sphere }

    public sealed class GameObject : Object
    {
        readonly List<Component> components = new List<Component>();
        public bool activeSelf { get; private set; } = true;
        public int layer;
        public Transform transform { get; }

        public GameObject(string name = "") { this.name = name; transform = new Transform { gameObject = this }; }
        public static GameObject CreatePrimitive(PrimitiveType type)
        {
            var made = new GameObject(type.ToString());
            made.AddComponent<SphereCollider>();
            return made;
        }
        public T AddComponent<T>() where T : Component, new()
        {
            var made = new T { gameObject = this, name = name };
            components.Add(made);
            var behaviour = made as Behaviour;
            if (behaviour != null && activeSelf) behaviour.Send("OnEnable");
            return made;
        }
        public T GetComponent<T>() where T : class => components.Find(one => one is T) as T;
        public void SetActive(bool value)
        {
            if (activeSelf == value) return;
            activeSelf = value;
            foreach (Component one in components)
            {
                var behaviour = one as Behaviour;
                if (behaviour != null && behaviour.enabled) behaviour.Send(value ? "OnEnable" : "OnDisable");
            }
        }
    }

    public static class Time { public static float deltaTime = 1.0f / 60, time; }
    public static class Physics { public static Vector3 gravity = new Vector3(0, -9.81f, 0); }
    public enum KeyCode { Space }
    public static class Input { public static bool Pressed; public static bool GetKeyDown(KeyCode key) => Pressed; }
    public static class Random
    {
        static readonly System.Random Source = new System.Random(1);
        public static Vector3 onUnitSphere
        {
            get
            {
                var v = new Vector3((float)Source.NextDouble() - 0.5f, (float)Source.NextDouble() - 0.5f, (float)Source.NextDouble() - 0.5f);
                return v * (1 / v.magnitude);
            }
        }
    }

    public static class Debug
    {
        public static readonly List<string> Errors = new List<string>(), Warnings = new List<string>();
        public static void LogError(object text, Object context = null) => Errors.Add(text.ToString());
        public static void LogWarning(object text, Object context = null) => Warnings.Add(text.ToString());
    }
}

namespace UnityEditor.AssetImporters
{
    using UnityEngine;

    [AttributeUsage(AttributeTargets.Class)] public sealed class ScriptedImporterAttribute : Attribute { public ScriptedImporterAttribute(int version, string extension) { } }
    public abstract class ScriptedImporter : Object { public abstract void OnImportAsset(AssetImportContext context); }
    public sealed class AssetImportContext
    {
        public string assetPath { get; set; }
        public readonly List<string> Errors = new List<string>();
        public Object Main;
        public void AddObjectToAsset(string identifier, Object one) { }
        public void SetMainObject(Object one) { Main = one; }
        public void LogImportError(string text) { Errors.Add(text); }
    }
}
