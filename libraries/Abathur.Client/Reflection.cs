using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>Makes the descriptions of the protocol when the library is first used, as Abathur.Sc2 does with its own, and for the same
/// reason.</summary>
internal static class Reflection
{
    [ModuleInitializer]
    [SuppressMessage("Usage", "CA2255", Justification = "The only place that is run before each use, once, and awaited by all threads.")]
    internal static void Load() => _ = SyncReflection.Descriptor;
}
