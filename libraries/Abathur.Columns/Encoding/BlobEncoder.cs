using System.Numerics;
using System.Runtime.Intrinsics;
using Abathur.Columns.Tables;

namespace Abathur.Columns.Encoding;

/// <summary>The content of a blob that the decoder has.</summary>
internal sealed class BlobEncoder
{
    private readonly GrowingList<int> _positions = new();
    private byte[] _bytes = [];
    private int _length;
    private bool _isThere;

    public void Reset() => (_length, _isThere) = (0, false);

    /// <summary>Writes the blob's section; false if nothing has changed.</summary>
    /// <param name="isThere">Whether the blob exists now.</param>
    /// <param name="blob">Its bytes.</param>
    /// <param name="output">Receives the section.</param>
    public bool TryWrite(bool isThere, ReadOnlySpan<byte> blob, PayloadWriter output)
    {
        if (!isThere)
        {
            if (!_isThere) return false;
            Reset();
            output.WriteByte(ColumnsFormat.BlobGone);
            return true;
        }
        if (_isThere && blob.Length == _length)
        {
            // Beyond a third of the blob the positions cost more than they save.
            var few = FindChanges(blob, _bytes.AsSpan(0, _length), _length / 3);
            if (few && _positions.Count == 0) return false;
            if (few)
            {
                WriteXor(blob, output);
                return true;
            }
        }
        output.WriteByte(ColumnsFormat.BlobWhole);
        output.WriteUInt32(blob.Length);
        output.Write(blob);
        if (_bytes.Length < blob.Length) _bytes = new byte[Math.Max(blob.Length, 2 * _bytes.Length)];
        blob.CopyTo(_bytes);
        (_length, _isThere) = (blob.Length, true);
        return true;
    }

    private void WriteXor(ReadOnlySpan<byte> blob, PayloadWriter output)
    {
        output.WriteByte(ColumnsFormat.BlobXor);
        output.WriteCount(_positions.Count);
        output.WriteGaps(_positions.Span);
        var bytes = output.Take(_positions.Count);
        for (var i = 0; i < bytes.Length; i++)
        {
            var position = _positions[i];
            bytes[i] = (byte)(blob[position] ^ _bytes[position]);
            _bytes[position] = blob[position];
        }
    }

    /// <summary>Finds where two blobs of one length differ; false if there are more than <paramref name="most"/> differences.</summary>
    private bool FindChanges(ReadOnlySpan<byte> now, ReadOnlySpan<byte> before, int most)
    {
        _positions.Truncate(0);
        var i = 0;
        for (; i <= now.Length - Vector256<byte>.Count; i += Vector256<byte>.Count)
        {
            var same = Vector256.Equals(Vector256.Create(now[i..]), Vector256.Create(before[i..])).ExtractMostSignificantBits();
            for (var differ = ~same; differ != 0; differ &= differ - 1) _positions.Add(i + BitOperations.TrailingZeroCount(differ));
            if (_positions.Count > most) return false;
        }
        for (; i < now.Length; i++)
        {
            if (now[i] != before[i]) _positions.Add(i);
        }
        return _positions.Count <= most;
    }
}
