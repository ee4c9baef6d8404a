using Abathur.Compression;

namespace Abathur.Testing;

/// <summary>A test that needs libzstd; skipped, saying so, where that is missing.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ZstdFactAttribute : FactAttribute
{
    public ZstdFactAttribute()
    {
        if (!LibZstd.IsAvailable) Skip = LibZstd.InstallMessage;
    }
}
