using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using SC2APIProtocol;

namespace Abathur.Sc2;

/// <summary>Makes the descriptions of the messages when the library is first used. Google.Protobuf 3.36 keeps them in a collection that is
/// not thread-safe: two threads that use messages of different files for the first time could make both unusable.</summary>
internal static class Reflection
{
    [ModuleInitializer]
    [SuppressMessage("Usage", "CA2255", Justification = "The only place that is run before each use, once, and awaited by all threads.")]
    internal static void Load() => _ = Sc2ApiReflection.Descriptor;
}
