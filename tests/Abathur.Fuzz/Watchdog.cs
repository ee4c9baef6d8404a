namespace Abathur.Fuzz;

/// <summary>Ends the program, with the input saved, when an input takes too long: a hang cannot be caught in another way.</summary>
internal sealed class Watchdog : IDisposable
{
    /// <summary>How long an input may take. The machine may be busy with other things.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    private readonly Timer _timer;
    private readonly Action<byte[]> _onHang;
    private volatile byte[]? _input;
    private long _started;

    /// <param name="onHang">Given the input that hangs.</param>
    public Watchdog(Action<byte[]> onHang)
    {
        _onHang = onHang;
        _timer = new Timer(_ => Look(), null, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1));
    }

    /// <summary>An input begins.</summary>
    public void Begin(byte[] input)
    {
        Volatile.Write(ref _started, Environment.TickCount64);
        _input = input;
    }

    /// <summary>It has ended.</summary>
    public void End() => _input = null;

    /// <inheritdoc/>
    public void Dispose() => _timer.Dispose();

    private void Look()
    {
        if (_input is not { } input || Environment.TickCount64 - Volatile.Read(ref _started) < Limit.TotalMilliseconds) return;
        _onHang(input);
        Environment.Exit(1);
    }
}
