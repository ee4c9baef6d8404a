namespace Abathur.Testing;

/// <summary>A folder that is removed at the end of a test.</summary>
public sealed class TemporaryFolder : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("abathur-test-");

    public string Path => _folder.FullName;

    public string PathTo(string name) => System.IO.Path.Combine(_folder.FullName, name);

    public void Dispose() => _folder.Delete(recursive: true);
}
