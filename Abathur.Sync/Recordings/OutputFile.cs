namespace Abathur.Sync.Recordings;

/// <summary>A file that is written under the name <c>NAME.part</c> (<c>NAME.new</c> where that is read meanwhile) beside its place and takes its name when it is complete.</summary>
/// <remarks>Disposed without that, it is removed and what stood at the place stays. Devices are written directly.</remarks>
public sealed class OutputFile : IDisposable
{
    private readonly bool _isDevice;
    private bool _done;

    /// <param name="path">Where the file is to be.</param>
    /// <param name="overwrite">Whether a file that is there already is replaced.</param>
    /// <param name="inputs">Files that are read meanwhile and must not be the same.</param>
    /// <exception cref="RecordingException">The place is taken, or its folder does not exist.</exception>
    public OutputFile(string path, bool overwrite, params IEnumerable<string> inputs)
    {
        Place = path;
        var full = Path.GetFullPath(path);
        _isDevice = full.StartsWith("/dev/", StringComparison.Ordinal);
        WritePath = _isDevice ? path : path + ".part";
        if (_isDevice) return;
        // `recover match.mcap.part -o match.mcap` must not write over what it reads.
        if (inputs.Any(input => SameFile(input, Path.GetFullPath(WritePath)))) WritePath = path + ".new";
        if (Directory.Exists(full)) throw new RecordingException($"{path} is a folder: name a file to write");
        if (inputs.Any(input => SameFile(input, full))) throw new RecordingException($"{path} is the input as well: name another file to write");
        if (File.Exists(full) && !overwrite) throw new RecordingException($"{path} exists: use --force to replace it");
        if (Path.GetDirectoryName(full) is { } folder && !Directory.Exists(folder)) throw new RecordingException($"there is no folder {folder}");
    }

    /// <summary>Where the file is to be.</summary>
    public string Place { get; }

    /// <summary>Where it is written meanwhile.</summary>
    public string WritePath { get; }

    /// <summary>Puts the file, which must be closed, in its place.</summary>
    /// <exception cref="IOException">That failed.</exception>
    public void Commit()
    {
        if (!_isDevice) File.Move(WritePath, Place, overwrite: true);
        _done = true;
    }

    /// <summary>Leaves what was written under its working name. False for a device, where nothing is left.</summary>
    public bool Keep()
    {
        _done = true;
        return !_isDevice;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_done || _isDevice) return;
        _done = true;
        File.Delete(WritePath);
    }

    private static bool SameFile(string input, string full) =>
        input != "-" && string.Equals(Resolve(input), Resolve(full), OperatingSystem.IsWindows() ? StringComparison.OrdinalIgnoreCase : StringComparison.Ordinal);

    private static string Resolve(string path) =>
        File.Exists(path) ? File.ResolveLinkTarget(path, returnFinalTarget: true)?.FullName ?? Path.GetFullPath(path) : Path.GetFullPath(path);
}
