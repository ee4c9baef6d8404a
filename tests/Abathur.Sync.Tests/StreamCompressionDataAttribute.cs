using System.Reflection;
using Abathur.Compression;
using Xunit.Sdk;

namespace Abathur.Sync.Tests;

/// <summary>The stream compressions of this machine: <c>br-stream</c>, and <c>zstd-stream</c> where libzstd is.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class StreamCompressionDataAttribute : DataAttribute
{
    public override IEnumerable<object[]> GetData(MethodInfo testMethod)
    {
        yield return [V1.Compression.BrStream];
        if (LibZstd.IsAvailable) yield return [V1.Compression.ZstdStream];
    }
}
