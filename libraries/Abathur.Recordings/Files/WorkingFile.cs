using Abathur.Mcap;
using Microsoft.Win32.SafeHandles;

namespace Abathur.Recordings.Files;

/// <summary>Opens the working file of an output (<c>NAME.part</c>), which exactly one process gets, and sets aside what a killed run left there.</summary>
internal static class WorkingFile
{
    /// <summary>Numbers that are tried in a name.</summary>
    public const int MaxNumber = 10_000;

    private const FileShare ReadersOnly = FileShare.Read | FileShare.Delete;
    // Between looking and creating, others may come and go.
    private const int Attempts = 100;

    /// <summary>Opens a new, empty, locked file.</summary>
    /// <param name="path">Its full path.</param>
    /// <param name="options">What to do with a file that is there.</param>
    /// <exception cref="RecordingException">Another process writes the file, or what is there is not a file.</exception>
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
                created = new FileStream(path, FileMode.CreateNew, FileAccess.ReadWrite, ReadersOnly, options.BufferBytes);
            }
            catch (IOException) when (FileIdentity.At(path).Kind != FileKind.None)
            {
                // Another process was faster.
                continue;
            }
            if (IsOurs(created, path)) return created;
            created.Dispose();
            throw Taken(path);
        }
        throw new IOException($"cannot create {path}: other processes create and remove it all the time");
    }

    /// <summary>Takes a file that is there: an empty one is used as it is, any other is renamed and null is returned.</summary>
    /// <remarks>Of two processes that start at the same time one may find the other's file before it is locked. That file is empty: whichever locks it has it.</remarks>
    private static FileStream? TakeOver(string path, FileIdentity there, OutputOptions options)
    {
        if (there.Kind != FileKind.Regular)
            throw new RecordingException($"{path} is {Describe(there.Kind)}, where this run would put its unfinished file: remove it, or name another file to write");
        FileStream file;
        try
        {
            file = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, ReadersOnly, options.BufferBytes);
        }
        catch (FileNotFoundException)
        {
            return null;
        }
        catch (UnauthorizedAccessException e)
        {
            throw new RecordingException($"{path} is there and may not be opened, so that it is not known whether another process writes it: remove it, or name another file to write", e);
        }
        catch (IOException e)
        {
            throw new RecordingException($"{Taken(path).Message} ({e.Message})", e);
        }
        var isTaken = false;
        try
        {
            if (!WriterLock.TryTake(file.SafeFileHandle)) throw Taken(path);
            // Renamed or replaced since: look again.
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

    /// <summary>Whether a path still leads to an open file; true where the system does not tell.</summary>
    public static bool IsAt(SafeFileHandle handle, string path) =>
        FileIdentity.IsSupported ? FileIdentity.At(path) == FileIdentity.Of(handle) : File.Exists(path);

    private static bool IsOurs(FileStream created, string path) => WriterLock.TryTake(created.SafeFileHandle) && IsAt(created.SafeFileHandle, path);

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
                // Never over another file, also of one that came since.
                File.Move(path, aside, overwrite: false);
                return aside;
            }
            catch (IOException) when (FileIdentity.At(aside).Kind != FileKind.None)
            {
                // Then the next number.
            }
        }
        throw new RecordingException($"{path} is the unfinished file of a killed run, and {name}.killed-1{ending} to {name}.killed-{MaxNumber}{ending} are taken: recover or remove them");
    }

    private static bool StartsAsRecording(SafeFileHandle file)
    {
        Span<byte> start = stackalloc byte[McapFormat.Magic.Length];
        return RandomAccess.Read(file, start, 0) == start.Length && start.SequenceEqual(McapFormat.Magic);
    }

    private static RecordingException Taken(string path) => new($"{path} is being written by another process: end that one, or name another file to write");

    private static string Describe(FileKind kind) => kind switch
    {
        FileKind.Folder => "a folder",
        FileKind.Link => "a symbolic link",
        FileKind.Pipe => "a named pipe",
        FileKind.Socket => "a socket",
        _ => "a device",
    };
}
