namespace Abathur.Recordings.Files;

/// <summary>The kind of a file system entry.</summary>
internal enum FileKind
{
    /// <summary>It does not exist or cannot be looked up.</summary>
    None,

    /// <summary>A regular file.</summary>
    Regular,

    /// <summary>A folder.</summary>
    Folder,

    /// <summary>A symbolic link.</summary>
    Link,

    /// <summary>A named pipe.</summary>
    Pipe,

    /// <summary>A Unix domain socket.</summary>
    Socket,

    /// <summary>A character or block device.</summary>
    Device,
}
