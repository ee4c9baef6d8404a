using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Abathur.Sync.V1;

namespace Abathur.Testing;

/// <summary>Compiled into each test project. Makes the descriptions of messages before tests run beside each other: Google.Protobuf keeps
/// them in a collection that is not thread-safe, and a thread in it may never end.</summary>
internal static class MessageDescriptions
{
    [ModuleInitializer]
    [SuppressMessage("Usage", "CA2255", Justification = "Nothing else comes before all tests of an assembly.")]
    internal static void Load() => _ = SyncReflection.Descriptor;
}
