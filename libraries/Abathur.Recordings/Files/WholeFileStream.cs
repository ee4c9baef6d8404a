namespace Abathur.Recordings.Files;

/// <summary>Writes to a new file, and fails as soon as the file is shorter than what was written: another program has truncated it. The
/// next write would otherwise leave a hole of zeros, and the file would look complete.</summary>
/// <param name="file">The file, unbuffered and empty; disposed with this.</param>
/// <param name="path">Its path, for messages.</param>
internal sealed class WholeFileStream(FileStream file, string path) : Stream
{
    // Bytes that the file must have.
    private long _length;

    /// <summary>Whether the file was found to be truncated.</summary>
    public bool IsTruncated { get; private set; }

    public override bool CanRead => false;

    public override bool CanSeek => true;

    public override bool CanWrite => true;

    public override long Length => _length;

    public override long Position { get => file.Position; set => file.Position = value; }

    /// <summary>Checks that everything that was written is there.</summary>
    /// <exception cref="IOException">The file was truncated.</exception>
    public void Check()
    {
        var length = RandomAccess.GetLength(file.SafeFileHandle);
        if (length >= _length) return;
        IsTruncated = true;
        throw new IOException($"another program has truncated {path} to {length} of {_length} bytes while it was written");
    }

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        Check();
        file.Write(buffer);
        _length = Math.Max(_length, file.Position);
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Flush() => file.Flush();

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => file.Seek(offset, origin);

    public override void SetLength(long value)
    {
        Check();
        file.SetLength(value);
        _length = value;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing) file.Dispose();
        base.Dispose(disposing);
    }
}
