namespace Abathur.Sync.Transports;

/// <summary>A limit on bytes that are held at the same time. Thread-safe.</summary>
/// <param name="maxBytes">The limit.</param>
/// <param name="parent">A wider limit that the same bytes count towards; null: none.</param>
internal sealed class ByteBudget(long maxBytes, ByteBudget? parent = null)
{
    private long _heldBytes;

    /// <summary>The limit.</summary>
    public long MaxBytes => maxBytes;

    /// <summary>Bytes that are held now.</summary>
    public long HeldBytes => Interlocked.Read(ref _heldBytes);

    /// <summary>Takes bytes from this budget and from those above it. If one of them has too few left, returns false and takes
    /// nothing.</summary>
    public bool TryReserve(long bytes)
    {
        // Not added first and checked then: another one would be refused although there is room for it.
        long held;
        do
        {
            held = HeldBytes;
            if (held + bytes > maxBytes) return false;
        }
        while (Interlocked.CompareExchange(ref _heldBytes, held + bytes, held) != held);
        if (parent?.TryReserve(bytes) != false) return true;
        Interlocked.Add(ref _heldBytes, -bytes);
        return false;
    }

    /// <summary>Gives bytes back that <see cref="TryReserve"/> has taken.</summary>
    public void Release(long bytes)
    {
        Interlocked.Add(ref _heldBytes, -bytes);
        parent?.Release(bytes);
    }
}
