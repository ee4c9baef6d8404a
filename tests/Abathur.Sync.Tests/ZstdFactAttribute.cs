using Abathur.Sync.Encodings.Compression;

namespace Abathur.Sync.Tests;

/// <summary>A test that needs libzstd; skipped, saying so, where that is missing.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class ZstdFactAttribute : FactAttribute
{
    public ZstdFactAttribute()
    {
        if (!LibZstd.IsAvailable) Skip = LibZstd.MissingMessage;
    }
}
