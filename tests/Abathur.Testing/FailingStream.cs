namespace Abathur.Testing;

/// <summary>A file on a disk that fails: as much of a write as fits is written, and then it throws.</summary>
public sealed class FailingStream(Stream inner) : Stream
{
    private int _writes;

    /// <summary>Bytes that there is room for.</summary>
    public long MostBytes { get; init; } = long.MaxValue;

    /// <summary>The write that fails half-way, counted from 1; 0 for none.</summary>
    public int FailingWrite { get; init; }

    /// <summary>Whether all writes after it fail as well.</summary>
    public bool StaysBroken { get; init; }

    /// <summary>Whether the file can still be made shorter then.</summary>
    public bool CanBeCut { get; init; } = true;

    public override bool CanRead => false;

    public override bool CanSeek => true;

    public override bool CanWrite => true;

    public override long Length => inner.Length;

    public override long Position { get => inner.Position; set => inner.Position = value; }

    private bool IsBroken => FailingWrite > 0 && (StaysBroken ? _writes >= FailingWrite : _writes == FailingWrite);

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        _writes++;
        var room = (int)Math.Min(Math.Max(MostBytes - inner.Position, 0), IsBroken ? buffer.Length / 2 : buffer.Length);
        inner.Write(buffer[..room]);
        if (room < buffer.Length) throw new IOException("No space left on device");
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void SetLength(long value)
    {
        if (IsBroken && !CanBeCut) throw new IOException("Input/output error");
        inner.SetLength(value);
    }

    public override void Flush() => inner.Flush();

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => inner.Seek(offset, origin);

    protected override void Dispose(bool disposing)
    {
        if (disposing) inner.Dispose();
        base.Dispose(disposing);
    }
}
