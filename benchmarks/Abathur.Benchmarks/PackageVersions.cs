using System.Reflection;

namespace Abathur.Benchmarks;

/// <summary>Versions of the libraries that are measured.</summary>
internal static class PackageVersions
{
    /// <summary>The version that the assembly of a type says it has, without the commit behind a plus sign.</summary>
    public static string Of(Type type)
    {
        var informational = type.Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion;
        var version = informational ?? type.Assembly.GetName().Version?.ToString() ?? "unknown";
        return version.Split('+')[0];
    }
}
