using Abathur.Mcap;
using Microsoft.Win32.SafeHandles;

namespace Abathur.Recordings.Files;

/// <summary>Opens the working file of an output (<c>NAME.part</c>), for exactly one process, and renames the unfinished file of a killed
/// run.</summary>
internal static class WorkingFile
{
    /// <summary>Maximum number in a name.</summary>
    public const int MaxNumber = 10_000;

    private const FileShare ReadersOnly = FileShare.Read | FileShare.Delete;
    // Other files may be created and removed between the check and the creation.
    private const int Attempts = 100;

    /// <summary>Opens a new, empty, locked file.</summary>
    /// <param name="path">Its full path.</param>
    /// <param name="options">How to treat an existing file.</param>
    /// <exception cref="RecordingException">Another process writes the file, or the path is not a file.</exception>
    /// <exception cref="IOException">It cannot be created.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be created.</exception>
    public static FileStream Open(string path, OutputOptions options)
    {
        for (var attempt = 0; attempt < Attempts; attempt++)
        {
            var there = FileIdentity.At(path);
            if (there.Kind != FileKind.None)
            {
                if (TakeOver(path, there, options) is { } empty) return empty;
                continue;
            }
            FileStream created;
            try
            {
                created = new FileStream(path, FileMode.CreateNew, FileAccess.ReadWrite, ReadersOnly, bufferSize: 0);
            }
            catch (IOException) when (FileIdentity.At(path).Kind != FileKind.None)
            {
                // Another process has created it.
                continue;
            }
            if (IsOurs(created, path)) return created;
            created.Dispose();
            throw Taken(path);
        }
        throw new IOException($"cannot create {path}: other processes keep creating and removing it");
    }

    /// <summary>Takes over an existing file: an empty one is used, any other is renamed and null is returned.</summary>
    /// <remarks>If two processes start at the same time, one may find the other's file before it is locked. That file is empty: the process
    /// that locks it gets it.</remarks>
    private static FileStream? TakeOver(string path, FileIdentity there, OutputOptions options)
    {
        if (there.Kind != FileKind.Regular)
            throw new RecordingException($"{path} is {Describe(there.Kind)}, but this run needs this path for its unfinished file: "
                + "remove it, or name another output file");
        FileStream file;
        try
        {
            file = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, ReadersOnly, bufferSize: 0);
        }
        catch (FileNotFoundException)
        {
            return null;
        }
        catch (UnauthorizedAccessException e)
        {
            throw new RecordingException(
                $"{path} exists but cannot be opened to check whether another process writes it: remove it, or name another output file",
                e);
        }
        catch (IOException e)
        {
            throw new RecordingException($"{Taken(path).Message} ({e.Message})", e);
        }
        var isTaken = false;
        try
        {
            if (!WriterLock.TryTake(file.SafeFileHandle)) throw Taken(path);
            // It was renamed or replaced: check again.
            if (!IsAt(file.SafeFileHandle, path)) return null;
            if (file.Length == 0)
            {
                isTaken = true;
                return file;
            }
            var killed = new KilledRun(SetAside(path), StartsAsRecording(file.SafeFileHandle));
            options.OnKilledRun?.Invoke(killed);
            return null;
        }
        finally
        {
            if (!isTaken) file.Dispose();
        }
    }

    /// <summary>Whether a path still refers to an open file; true if the system does not support this.</summary>
    public static bool IsAt(SafeFileHandle handle, string path) =>
        FileIdentity.IsSupported ? FileIdentity.At(path) == FileIdentity.Of(handle) : File.Exists(path);

    private static bool IsOurs(FileStream created, string path) =>
        WriterLock.TryTake(created.SafeFileHandle) && IsAt(created.SafeFileHandle, path);

    // match.mcap.part becomes match.mcap.killed-1.part.
    private static string SetAside(string path)
    {
        var (name, ending) = (Path.ChangeExtension(path, null), Path.GetExtension(path));
        for (var number = 1; number <= MaxNumber; number++)
        {
            var aside = $"{name}.killed-{number}{ending}";
            if (FileIdentity.At(aside).Kind != FileKind.None) continue;
            try
            {
                // Never overwrites another file, even if it was created just now.
                File.Move(path, aside, overwrite: false);
                return aside;
            }
            catch (IOException) when (FileIdentity.At(aside).Kind != FileKind.None)
            {
                // Try the next number.
            }
        }
        throw new RecordingException($"{path} is the unfinished file of a killed run, and {name}.killed-1{ending} to "
            + $"{name}.killed-{MaxNumber}{ending} already exist: recover or remove them");
    }

    private static bool StartsAsRecording(SafeFileHandle file)
    {
        Span<byte> start = stackalloc byte[McapFormat.Magic.Length];
        return RandomAccess.Read(file, start, 0) == start.Length && start.SequenceEqual(McapFormat.Magic);
    }

    private static RecordingException Taken(string path) =>
        new($"{path} is being written by another process: end that process, or name another output file");

    private static string Describe(FileKind kind) => kind switch
    {
        FileKind.Folder => "a folder",
        FileKind.Link => "a symbolic link",
        FileKind.Pipe => "a named pipe",
        FileKind.Socket => "a socket",
        _ => "a device",
    };
}
