using System.Collections.Generic;
using Plait;
using UnityEngine;

/// <summary>Makes a groom in code and moves the head. Put it on an empty object with the material to draw with, and press play.
/// Space changes the backend.</summary>
public sealed class Ponytail : MonoBehaviour
{
    [Tooltip("With the shader Plait/Hair")]
    public Material material;
    [Range(10, 5000)] public int strands = 800;
    [Range(4, 64)] public int vertices = 24;

    PlaitHair hair;

    void Start()
    {
        GameObject head = GameObject.CreatePrimitive(PrimitiveType.Sphere); // a metre wide, with a SphereCollider
        head.transform.SetParent(transform, false);
        head.transform.localScale = Vector3.one * 0.2f;

        var bone = new GameObject("bone").transform; // the head without its scale
        bone.SetParent(transform, false);
        var hairObject = new GameObject("hair");
        hairObject.SetActive(false); // fields are set before OnEnable
        hair = hairObject.AddComponent<PlaitHair>();
        hair.groom = MakeGroom();
        hair.bones = new[] { bone };
        hair.colliders = new[] { head.GetComponent<Collider>() };
        hair.material = material;
        hairObject.SetActive(true);
    }

    void Update()
    {
        transform.rotation = Quaternion.Euler(0, 50 * Mathf.Sin(3 * Time.time), 0);
        if (Input.GetKeyDown(KeyCode.Space))
            hair.backend = hair.backend == PlaitBackend.Cpu ? PlaitBackend.Vulkan : PlaitBackend.Cpu;
    }

    // Straight strands of 25 cm out of the back of the head, metres.
    PlaitGroom MakeGroom()
    {
        var positions = new List<Vector3>();
        var groom = ScriptableObject.CreateInstance<PlaitGroom>();
        groom.vertexCounts = new int[strands];
        for (int s = 0; s < strands; s++)
        {
            groom.vertexCounts[s] = vertices;
            Vector3 direction = Random.onUnitSphere;
            direction.z = -Mathf.Abs(direction.z);
            for (int v = 0; v < vertices; v++) positions.Add(direction * (0.1f + 0.25f * v / (vertices - 1)));
        }
        groom.positions = positions.ToArray();
        return groom;
    }
}
