namespace Abathur.Sync.Frames;

/// <summary>A pooled, reference-counted object: it returns to its pool with its last reference.</summary>
public abstract class SharedObject
{
    private int _references;

    /// <summary>Takes one more reference.</summary>
    /// <exception cref="InvalidOperationException">The last one was released already.</exception>
    public void Retain()
    {
        if (Interlocked.Increment(ref _references) <= 1) throw ReleasedAlready();
    }

    /// <summary>Gives one reference back.</summary>
    /// <exception cref="InvalidOperationException">The last one was released already.</exception>
    public void Release()
    {
        var left = Interlocked.Decrement(ref _references);
        if (left > 0) return;
        if (left < 0) throw ReleasedAlready();
        OnReleased();
    }

    /// <summary>One reference, which is the caller's. For the method that takes it from its pool.</summary>
    protected void SetRented() => _references = 1;

    /// <summary>Releases what it holds and returns it to its pool. Called once for each time that it was rented.</summary>
    protected abstract void OnReleased();

    private InvalidOperationException ReleasedAlready() => new($"the {GetType().Name} was released already");
}
