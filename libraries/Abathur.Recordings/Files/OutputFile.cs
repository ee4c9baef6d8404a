namespace Abathur.Recordings.Files;

/// <summary>A file that is written as <c>NAME.part</c> (<c>NAME.new</c> if that is an input) in the target folder, and renamed when it is
/// complete.</summary>
/// <remarks>
/// <para>Until it is renamed, the working file is locked against other writers but open to readers. A second process that would write the
/// same file is refused. The unfinished file of a killed run is renamed to <c>NAME.killed-N.part</c>. Symbolic links are not followed,
/// neither for the working file nor for the target.</para>
/// <para>Disposed without <see cref="Commit"/> or <see cref="Keep"/>, the working file is removed. Devices are written directly. Not
/// thread-safe.</para>
/// </remarks>
public sealed class OutputFile : IDisposable
{
    private readonly bool _overwrite;
    private readonly bool _isDevice;
    private readonly FileStream _file;
    private readonly WholeFileStream? _whole;
    private bool _done;

    /// <summary>Checks the target and opens the working file.</summary>
    /// <param name="path">Target path of the file.</param>
    /// <param name="options">How to treat existing files. Default: nothing is replaced.</param>
    /// <exception cref="RecordingException">The target already exists, its folder does not exist, or another process writes the
    /// file.</exception>
    /// <exception cref="IOException">The working file cannot be created.</exception>
    /// <exception cref="UnauthorizedAccessException">The working file may not be created.</exception>
    public OutputFile(string path, OutputOptions? options = null)
    {
        options ??= new OutputOptions();
        (Place, _overwrite) = (path, options.Overwrite);
        var full = Path.GetFullPath(path);
        if (IsDevice(full))
        {
            (WritePath, _isDevice) = (path, true);
            Stream = _file = new FileStream(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite, options.BufferBytes);
            return;
        }
        // `recover match.mcap.part -o match.mcap` must not overwrite its input.
        WritePath = path + (options.Inputs.Any(input => SameFile(input, full + ".part")) ? ".new" : ".part");
        if (Directory.Exists(full)) throw new RecordingException($"{path} is a folder: name an output file");
        if (options.Inputs.Any(input => SameFile(input, full)))
            throw new RecordingException($"{path} is also the input: name another output file");
        if (FileIdentity.At(full).Kind != FileKind.None && !_overwrite)
            throw new RecordingException($"{path} exists") { Remedy = RecordingRemedy.Overwrite };
        if (Path.GetDirectoryName(full) is { } folder && !Directory.Exists(folder))
            throw new RecordingException($"there is no folder {folder}");
        _file = WorkingFile.Open(WritePath, options);
        _whole = new WholeFileStream(_file, WritePath);
        Stream = options.BufferBytes > 0 ? new BufferedStream(_whole, options.BufferBytes) : _whole;
    }

    /// <summary>Target path of the file; after <see cref="Commit"/> its actual path.</summary>
    public string Place { get; private set; }

    /// <summary>Path of the working file.</summary>
    public string WritePath { get; }

    /// <summary>The stream to write to. This object closes it; the writer must leave it open. A write fails with
    /// <see cref="IOException"/> if another program has truncated the file.</summary>
    public Stream Stream { get; }

    /// <summary>Whether another program has truncated the working file: what was written is lost from there on.</summary>
    public bool IsTruncated => _whole is { IsTruncated: true };

    /// <summary>Why the complete file is not at the target path, in one sentence; null if it is.</summary>
    public string? Problem { get; private set; }

    /// <summary>Whether the working file still has its path. False if it was deleted, renamed or replaced.</summary>
    public bool IsInPlace => _isDevice || WorkingFile.IsAt(_file.SafeFileHandle, WritePath);

    /// <summary>
    /// Moves the complete file to the target path and closes it. If the target was created meanwhile and must not be overwritten, or if the
    /// working file was deleted or replaced, the file gets the name <c>NAME-N</c> with the extension of the target, and <see cref="Place"/>
    /// and <see cref="Problem"/> are set.
    /// </summary>
    /// <exception cref="IOException">The file is complete but could not be saved, or another program has truncated it.</exception>
    public void Commit()
    {
        Stream.Flush();
        _whole?.Check();
        if (!_isDevice && !IsInPlace)
            SetPlace(CopyToFreeName(), $"{WritePath} was deleted, renamed or replaced by another program while it was written");
        else if (!_isDevice && !TryMove())
            SetPlace(
                MoveToFreeName(),
                _overwrite ? $"{Place} could not be replaced" : $"{Place} was created by another program meanwhile and was not replaced");
        _done = true;
        Stream.Dispose();
    }

    /// <summary>The same as <see cref="Commit"/>, but throws if the file has another name.</summary>
    /// <exception cref="IOException">The complete file is not at the target path; the message has the actual path.</exception>
    public void CommitOrThrow()
    {
        Commit();
        if (Problem is { } problem) throw new IOException(problem);
    }

    /// <summary>Keeps the working file. False for a device, and if the working file no longer exists.</summary>
    public bool Keep()
    {
        var isLeft = !_isDevice && IsInPlace;
        _done = true;
        return isLeft;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (!_done && !_isDevice && IsInPlace) File.Delete(WritePath);
        _done = true;
        Close();
    }

    /// <summary>Closes the file, without what waits in the buffer of a write that failed.</summary>
    private void Close()
    {
        try
        {
            Stream.Dispose();
        }
        catch (IOException)
        {
            _file.Dispose();
        }
    }

    private void SetPlace(string saved, string why) => (Place, Problem) = (saved, $"{why}: the complete file is {saved}");

    private bool TryMove()
    {
        try
        {
            File.Move(WritePath, Place, _overwrite);
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException && FileIdentity.At(Place).Kind != FileKind.None)
        {
            // The target is a file or, with Overwrite, something that a file cannot replace.
            return false;
        }
    }

    private string MoveToFreeName() => AtFreeName(path =>
    {
        File.Move(WritePath, path, overwrite: false);
        return path;
    });

    private string CopyToFreeName()
    {
        using var copy = AtFreeName(path => new FileStream(path, FileMode.CreateNew, FileAccess.Write, FileShare.Read, bufferSize: 0));
        try
        {
            var buffer = new byte[1024 * 1024];
            for (var offset = 0L; RandomAccess.Read(_file.SafeFileHandle, buffer, offset) is var read and > 0; offset += read)
                copy.Write(buffer, 0, read);
            return copy.Name;
        }
        catch (IOException e)
        {
            throw new IOException(
                $"{WritePath} was deleted, renamed or replaced by another program, and only {copy.Length} bytes of it could be saved as "
                    + $"{copy.Name}: {e.Message}",
                e);
        }
    }

    // match.mcap becomes match-1.mcap.
    private T AtFreeName<T>(Func<string, T> put)
    {
        var (name, extension) = (Path.ChangeExtension(Place, null), Path.GetExtension(Place));
        for (var number = 1; number <= WorkingFile.MaxNumber; number++)
        {
            var free = $"{name}-{number}{extension}";
            if (FileIdentity.At(free).Kind != FileKind.None) continue;
            try
            {
                return put(free);
            }
            catch (IOException) when (FileIdentity.At(free).Kind != FileKind.None)
            {
                // Another process has created it: try the next number.
            }
        }
        throw new IOException($"{Place} already exists, and so do {name}-1{extension} to {name}-{WorkingFile.MaxNumber}{extension}");
    }

    private static bool IsDevice(string full) =>
        full.StartsWith("/dev/", StringComparison.Ordinal)
            && File.Exists(full)
            && FileIdentity.AtEndOfLinks(full).Kind is FileKind.Device or FileKind.Pipe or FileKind.Socket;

    private static bool SameFile(string input, string full) =>
        input != "-" && string.Equals(
            Resolve(input), Resolve(full), OperatingSystem.IsWindows() ? StringComparison.OrdinalIgnoreCase : StringComparison.Ordinal);

    private static string Resolve(string path) =>
        File.Exists(path)
            ? File.ResolveLinkTarget(path, returnFinalTarget: true)?.FullName ?? Path.GetFullPath(path)
            : Path.GetFullPath(path);
}
