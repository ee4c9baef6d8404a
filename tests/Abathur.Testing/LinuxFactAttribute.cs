namespace Abathur.Testing;

/// <summary>A test of what only Linux does; skipped, saying so, elsewhere.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class LinuxFactAttribute : FactAttribute
{
    public LinuxFactAttribute()
    {
        if (!OperatingSystem.IsLinux()) Skip = "only Linux does this";
    }
}
