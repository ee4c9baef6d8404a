using System.Runtime.CompilerServices;

namespace Abathur.Testing;

/// <summary>The optional folder <c>shared</c> beside the checkout, with real observations and public conformance data.</summary>
public static class SharedData
{
    public static string RepositoryFolder { get; } = Path.GetFullPath(Path.Combine(ThisFolder(), "..", ".."));

    public static string Folder { get; } = Path.GetFullPath(Path.Combine(RepositoryFolder, "..", "shared"));

    /// <summary>Full path of a file or folder below <c>shared</c>.</summary>
    public static string PathTo(params string[] parts) => Path.Combine([Folder, .. parts]);

    private static string ThisFolder([CallerFilePath] string path = "") => Path.GetDirectoryName(path)!;
}
