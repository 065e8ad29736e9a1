// Strips that face the camera, with the highlight along the strand of Kajiya and Kay (1989). For the built-in pipeline and,
// without shadows and lights of its own, for others.
Shader "Plait/Hair"
{
    Properties
    {
        _Color ("Colour", Color) = (0.25, 0.15, 0.09, 1)
        _Shine ("Shine", Range(1, 200)) = 60
        _Width ("Width of the strips over that of hair", Range(1, 20)) = 4
    }
    SubShader
    {
        Tags { "RenderType" = "Opaque" "Queue" = "Geometry" }
        Cull Off
        Pass
        {
            HLSLPROGRAM
            #pragma target 4.5
            #pragma vertex vert
            #pragma fragment frag
            #include "UnityCG.cginc"

            StructuredBuffer<float4> _PlaitVertices; // position, radius
            StructuredBuffer<uint> _PlaitSegments;   // first vertex; bit 31: the strand begins, bit 30: it ends
            float4 _Color;
            float _Shine, _Width;

            struct Varyings
            {
                float4 clip : SV_POSITION;
                float3 world : TEXCOORD0;
                float3 tangent : TEXCOORD1;
            };

            Varyings vert(uint id : SV_VertexID)
            {
                static const uint CORNERS[6] = {0, 1, 2, 2, 1, 3}; // bit 0: which side, bit 1: which end
                uint segment = _PlaitSegments[id / 6], corner = CORNERS[id % 6];
                uint first = segment & 0x3fffffff, at = first + (corner >> 1);
                bool begins = at == first && (segment >> 31) != 0, ends = at != first && ((segment >> 30) & 1) != 0;
                float4 vertex = _PlaitVertices[at];
                float3 along = _PlaitVertices[ends ? at : at + 1].xyz - _PlaitVertices[begins ? at : at - 1].xyz;
                Varyings o;
                o.tangent = normalize(along);
                float3 aside = normalize(cross(o.tangent, _WorldSpaceCameraPos - vertex.xyz));
                o.world = vertex.xyz + aside * vertex.w * _Width * ((corner & 1) != 0 ? 1 : -1);
                o.clip = mul(UNITY_MATRIX_VP, float4(o.world, 1));
                return o;
            }

            float4 frag(Varyings i) : SV_Target
            {
                float3 tangent = normalize(i.tangent), eye = normalize(_WorldSpaceCameraPos - i.world);
                float3 light = normalize(_WorldSpaceLightPos0.xyz + float3(0, 1e-4, 0)), middle = normalize(light + eye);
                float diffuse = sqrt(saturate(1 - pow(dot(tangent, light), 2)));
                float shine = pow(sqrt(saturate(1 - pow(dot(tangent, middle), 2))), _Shine);
                return float4(_Color.rgb * (0.25 + 0.75 * diffuse) + 0.2 * shine, 1);
            }
            ENDHLSL
        }
    }
}
