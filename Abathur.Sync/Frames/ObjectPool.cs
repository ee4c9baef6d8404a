using System.Diagnostics.CodeAnalysis;

namespace Abathur.Sync.Frames;

/// <summary>A pool of at most <see cref="MaxKept"/> objects, last in, first out. Thread-safe; allocates nothing once it is warm.</summary>
internal sealed class ObjectPool<T>
    where T : class
{
    /// <summary>Maximum number of pooled objects. Further ones are left to the garbage collector.</summary>
    public const int MaxKept = 1024;

    private readonly Stack<T> _kept = new();

    public bool TryRent([NotNullWhen(true)] out T? rented)
    {
        lock (_kept) return _kept.TryPop(out rented);
    }

    public void Return(T unused)
    {
        lock (_kept)
        {
            if (_kept.Count < MaxKept) _kept.Push(unused);
        }
    }
}
