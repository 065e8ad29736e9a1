// Stand-ins for the few types of Unreal's Core and CoreUObject that host_adapters/unreal uses, so that its source compiles
// and runs without the engine. They are ours: names and signatures are Unreal's, what is inside is the least that works.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#define PLAIT_API
#define PLATFORM_WINDOWS 0
#define WITH_EDITOR 1

using uint8 = uint8_t;
using uint16 = uint16_t;
using uint32 = uint32_t;
using uint64 = uint64_t;
using int32 = int32_t;
using int64 = int64_t;
using SIZE_T = size_t;
using ANSICHAR = char;
using TCHAR = wchar_t;
#define TEXT(text) L##text
enum { INDEX_NONE = -1 };
enum EForceInit { ForceInit };

// Reflection is text for Unreal's header tool, which is not here. Super comes from the stand-in of each base class.
#define UCLASS(...)
#define USTRUCT(...)
#define UENUM(...)
#define UMETA(...)
#define UPROPERTY(...)
#define UFUNCTION(...)
#define GENERATED_BODY()

template <typename T> using TFunction = std::function<T>;
template <typename T> class TSharedPtr {
  public:
    TSharedPtr() = default;
    TSharedPtr(std::shared_ptr<T> from) : pointer(std::move(from)) {}
    bool IsValid() const { return pointer != nullptr; }
    explicit operator bool() const { return IsValid(); }
    void Reset() { pointer.reset(); }
    T *operator->() const { return pointer.get(); }
    T &operator*() const { return *pointer; }

  private:
    std::shared_ptr<T> pointer;
};
template <typename T> TSharedPtr<T> MakeShared() { return TSharedPtr<T>(std::make_shared<T>()); }
template <typename T> T &&MoveTemp(T &value) { return static_cast<T &&>(value); }

// Points at what something else keeps alive: nothing is collected here.
template <typename T> class TObjectPtr {
  public:
    TObjectPtr(T *from = nullptr) : pointer(from) {}
    operator T *() const { return pointer; }
    T *operator->() const { return pointer; }

  private:
    T *pointer;
};

template <typename T> class TArray {
  public:
    int32 Num() const { return (int32)items.size(); }
    void SetNum(int32 count) { items.resize((size_t)count); }
    int32 Add(const T &item) {
        items.push_back(item);
        return Num() - 1;
    }
    int32 Find(const T &item) const {
        auto at = std::find(items.begin(), items.end(), item);
        return at == items.end() ? INDEX_NONE : (int32)(at - items.begin());
    }
    T *GetData() { return items.data(); }
    const T *GetData() const { return items.data(); }
    T &operator[](int32 i) { return items.at((size_t)i); }
    const T &operator[](int32 i) const { return items.at((size_t)i); }
    auto begin() const { return items.begin(); }
    auto end() const { return items.end(); }

  private:
    std::vector<T> items;
};

template <typename T> class TArrayView {
  public:
    TArrayView() = default;
    TArrayView(T *from, int32 length) : first(from), count(length) {}
    T *begin() const { return first; }
    T *end() const { return first + count; }

  private:
    T *first = nullptr;
    int32 count = 0;
};
template <typename T> TArrayView<T> MakeArrayView(T *first, int32 count) { return TArrayView<T>(first, count); }

// Text is ASCII here.
class FString {
  public:
    FString() = default;
    FString(const TCHAR *from) : text(from) {}
    FString(std::wstring from) : text(std::move(from)) {}
    const TCHAR *operator*() const { return text.c_str(); }
    FString operator/(const TCHAR *name) const { return FString(text + L"/" + name); }

  private:
    std::wstring text;
};
inline std::wstring stand_in_wide(const char *text) { return std::wstring(text, text + strlen(text)); }
inline std::string stand_in_narrow(const TCHAR *text) {
    std::string narrow;
    for (; *text; text++) narrow += (char)*text;
    return narrow;
}
#define UTF8_TO_TCHAR(text) (stand_in_wide(text).c_str())
#define TCHAR_TO_UTF8(text) (stand_in_narrow(text).c_str())

class FName {
  public:
    FName(const TCHAR *from = L"None") : text(from) {}
    FString ToString() const { return FString(text); }
    bool operator==(const FName &other) const { return text == other.text; }

  private:
    std::wstring text;
};

struct FMath {
    template <typename T> static T Max(T a, T b) { return a < b ? b : a; }
    static float DegreesToRadians(float degrees) { return degrees * 0.01745329252f; }
};

// Blocks of FMemory that were not freed.
std::atomic<int> &stand_in_live_blocks();
struct FMemory {
    static void *Malloc(SIZE_T size, uint32 alignment = 16) {
        void *memory = nullptr;
        if (posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment, size)) return nullptr;
        stand_in_live_blocks()++;
        return memory;
    }
    static void Free(void *memory) {
        stand_in_live_blocks() -= memory != nullptr;
        free(memory);
    }
    static void *Memcpy(void *to, const void *from, SIZE_T size) { return memcpy(to, from, size); }
};

// ---- log ----

enum class stand_in_verbosity { Error, Warning, Log };
// Every line so far, "Error: ...", for tests to look at.
std::vector<std::string> &stand_in_log();
void stand_in_write(stand_in_verbosity verbosity, const TCHAR *format, ...);
#define DECLARE_LOG_CATEGORY_EXTERN(name, ...) extern int stand_in_category_##name
#define DEFINE_LOG_CATEGORY(name) int stand_in_category_##name
#define UE_LOG(category, verbosity, ...)                                                                               \
    ((void)stand_in_category_##category, stand_in_write(stand_in_verbosity::verbosity, __VA_ARGS__))

// ---- geometry, in double precision as in Unreal 5 ----

struct FVector {
    double X = 0, Y = 0, Z = 0;
    FVector() = default;
    FVector(double x, double y, double z) : X(x), Y(y), Z(z) {}
    double &operator[](int32 i) { return (&X)[i]; }
    double operator[](int32 i) const { return (&X)[i]; }
    FVector operator+(const FVector &o) const { return {X + o.X, Y + o.Y, Z + o.Z}; }
    FVector operator-(const FVector &o) const { return {X - o.X, Y - o.Y, Z - o.Z}; }
    FVector operator*(double s) const { return {X * s, Y * s, Z * s}; }
    double Size() const { return std::sqrt(X * X + Y * Y + Z * Z); }
    static double Dist(const FVector &a, const FVector &b) { return (a - b).Size(); }
    static FVector Cross(const FVector &a, const FVector &b) {
        return {a.Y * b.Z - a.Z * b.Y, a.Z * b.X - a.X * b.Z, a.X * b.Y - a.Y * b.X};
    }
    static const FVector ZeroVector, UpVector, OneVector;
};
struct FVector3f {
    float X = 0, Y = 0, Z = 0;
};
struct FBox {
    FVector Min, Max;
    explicit FBox(EForceInit) {}
    FBox(const FVector &min, const FVector &max) : Min(min), Max(max) {}
};
struct FMatrix {
    double M[4][4];
};
struct FQuat {
    double X = 0, Y = 0, Z = 0, W = 1;
    FQuat() = default;
    FQuat(double x, double y, double z, double w) : X(x), Y(y), Z(z), W(w) {}
    FQuat(const FVector &axis, double radians) {
        double s = std::sin(radians / 2);
        X = s * axis.X, Y = s * axis.Y, Z = s * axis.Z, W = std::cos(radians / 2);
    }
    FVector RotateVector(const FVector &v) const {
        FVector q(X, Y, Z), t = FVector::Cross(q, v) * 2;
        return v + t * W + FVector::Cross(q, t);
    }
    // As in Unreal: first the right one, then the left one.
    FQuat operator*(const FQuat &o) const {
        FVector a(X, Y, Z), b(o.X, o.Y, o.Z), v = FVector::Cross(a, b) + b * W + a * o.W;
        return {v.X, v.Y, v.Z, W * o.W - (a.X * b.X + a.Y * b.Y + a.Z * b.Z)};
    }
};
// Degrees. Pitch about -Y, yaw about Z, roll about -X, in left-handed axes; only what the tests use.
struct FRotator {
    double Pitch = 0, Yaw = 0, Roll = 0;
    FQuat Quaternion() const {
        const double d = 0.017453292519943295;
        return FQuat(FVector(0, 0, 1), Yaw * d) * FQuat(FVector(0, -1, 0), Pitch * d) *
               FQuat(FVector(-1, 0, 0), Roll * d);
    }
    FVector RotateVector(const FVector &v) const { return Quaternion().RotateVector(v); }
};
class FTransform {
  public:
    FTransform() : scale(1, 1, 1) {}
    FTransform(const FQuat &rotation_, const FVector &translation_, const FVector &scale_ = FVector(1, 1, 1))
        : rotation(rotation_), translation(translation_), scale(scale_) {}
    // First the left one, then the right one; scales are uniform here.
    FTransform operator*(const FTransform &o) const {
        return FTransform(o.rotation * rotation, o.TransformPosition(translation),
                          FVector(scale.X * o.scale.X, scale.Y * o.scale.Y, scale.Z * o.scale.Z));
    }
    FVector TransformPosition(const FVector &p) const {
        return translation + rotation.RotateVector(FVector(p.X * scale.X, p.Y * scale.Y, p.Z * scale.Z));
    }
    FVector GetLocation() const { return translation; }
    // For row vectors: row i is where axis i goes.
    FMatrix ToMatrixWithScale() const {
        FMatrix matrix;
        for (int i = 0; i < 3; i++) {
            FVector axis;
            axis[i] = scale[i];
            axis = rotation.RotateVector(axis);
            for (int j = 0; j < 3; j++) matrix.M[i][j] = axis[j];
            matrix.M[i][3] = 0;
            matrix.M[3][i] = translation[i];
        }
        matrix.M[3][3] = 1;
        return matrix;
    }

  private:
    FQuat rotation;
    FVector translation, scale;
};

// ---- objects ----

class UObject {
  public:
    typedef UObject Super;
    virtual ~UObject() = default;
    FString GetName() const { return FString(L"object"); }
    FString GetPathName() const { return FString(L"/Game/Map.Actor.Hair"); }
    void MarkPackageDirty() {}
};
class UDataAsset : public UObject {
  public:
    typedef UDataAsset Super;
};
