namespace Abathur.Sync.Cli;

/// <summary>A token for opening a file, which may take long: it is cancelled when the program stops, but not after
/// <see cref="End"/>.</summary>
internal sealed class StoppableOpening : IDisposable
{
    private readonly CancellationTokenSource _source = new();
    private readonly CancellationTokenRegistration _link;

    public StoppableOpening(CancellationToken stop) => _link = stop.Register(_source.Cancel);

    public CancellationToken Token => _source.Token;

    /// <summary>The file is open: what is read now is not cancelled any more.</summary>
    public void End() => _link.Dispose();

    public void Dispose()
    {
        _link.Dispose();
        _source.Dispose();
    }
}
