using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>Makes the descriptions of messages when the library is first used. Google.Protobuf 3.36 keeps them in a collection that is not
/// thread-safe: two threads that use messages of different files for the first time could make both unusable.</summary>
internal static class Reflection
{
    [ModuleInitializer]
    [SuppressMessage("Usage", "CA2255", Justification = "The only place that is run before each use, once, and awaited by all threads.")]
    internal static void Load() => _ = SyncReflection.Descriptor;
}
