using System.Reflection;

namespace Abathur.Sync.Diagnostics;

/// <summary>Version of this program.</summary>
public static class DaemonVersion
{
    /// <summary>As in the project file, e.g. "0.1.0".</summary>
    public static string Text { get; } = typeof(DaemonVersion).Assembly
        .GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0] ?? "0";
}
