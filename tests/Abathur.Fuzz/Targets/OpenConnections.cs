using System.Diagnostics.Metrics;

namespace Abathur.Fuzz.Targets;

/// <summary>Connections that the server of this process has open, as it counts them itself.</summary>
internal sealed class OpenConnections : IDisposable
{
    private readonly MeterListener _listener = new();
    private long _count;

    public OpenConnections()
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument is { Meter.Name: "Microsoft.AspNetCore.Server.Kestrel", Name: "kestrel.active_connections" })
                listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<long>((_, change, _, _) => Interlocked.Add(ref _count, change));
        _listener.Start();
    }

    /// <summary>How many there are now.</summary>
    public long Count => Interlocked.Read(ref _count);

    /// <inheritdoc/>
    public void Dispose() => _listener.Dispose();
}
