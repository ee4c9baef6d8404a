using System.Runtime;
using System.Runtime.InteropServices;
using Abathur.Sync.Frames;
using Microsoft.Extensions.Hosting;

namespace Abathur.Sync.Hosting;

/// <summary>
/// Gives memory back to the operating system that connections have needed and nothing needs any more: the pool is trimmed by a timer, and after a large trim,
/// and when the last connection or most of a crowd is closed, the heap is collected and shrunk. An idle process runs no collection by itself.
/// </summary>
/// <param name="connections">The open connections.</param>
/// <param name="clock">Clock of the timer.</param>
internal sealed class MemoryTrimmer(ConnectionLimit connections, TimeProvider clock) : IHostedService, IDisposable
{
    /// <summary>How often the pool is trimmed. A block is let go when it was unused for between one and two of these.</summary>
    public static readonly TimeSpan Period = TimeSpan.FromSeconds(10);

    /// <summary>Trimmed bytes that are worth the pause of a collection, which is some 10 ms.</summary>
    private const long LargeTrimBytes = 16L * 1024 * 1024;

    /// <summary>So many connections are a crowd: when half of them are closed, the heap is collected.</summary>
    private const int Crowd = 16;

    /// <summary>
    /// Periods after connections were closed in which the heap is collected: what they have left behind is let go by their timeouts, of which the longest is a minute.
    /// </summary>
    private static readonly int[] CollectedPeriods = [1, 3, 5, 7];

    private long _trimmedBytes;
    private int _mostOpen;
    private int _periodsSinceClosed = CollectedPeriods[^1] + 1;
    private ITimer? _timer;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        _timer = clock.CreateTimer(_ => Trim(), null, Period, Period);
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken)
    {
        Dispose();
        return Task.CompletedTask;
    }

    public void Dispose() => _timer?.Dispose();

    private void Trim()
    {
        _trimmedBytes += BlockPool.Shared.Trim();
        var open = connections.Open;
        _mostOpen = Math.Max(_mostOpen, open);
        _periodsSinceClosed = Math.Min(_periodsSinceClosed + 1, CollectedPeriods[^1] + 1);
        if ((open == 0 && _mostOpen > 0) || (_mostOpen >= Crowd && open <= _mostOpen / 2)) (_mostOpen, _periodsSinceClosed) = (open, CollectedPeriods[0]);
        if (_trimmedBytes < LargeTrimBytes && !CollectedPeriods.Contains(_periodsSinceClosed)) return;
        _trimmedBytes = 0;
        GCSettings.LargeObjectHeapCompactionMode = GCLargeObjectHeapCompactionMode.CompactOnce;
        // Only the aggressive mode gives the freed memory back at once.
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        ReturnNativeMemory();
    }

    /// <summary>What libzstd and Brotli have freed: the C library keeps it for the next allocation.</summary>
    private static void ReturnNativeMemory()
    {
        if (!OperatingSystem.IsLinux()) return;
        try
        {
            _ = NativeMethods.MallocTrim(0);
        }
        catch (EntryPointNotFoundException)
        {
            // A C library other than glibc.
        }
        catch (DllNotFoundException)
        {
            // The same, under another name.
        }
    }

    private static class NativeMethods
    {
        [DllImport("libc", EntryPoint = "malloc_trim")]
        [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
        public static extern int MallocTrim(nuint padding);
    }
}
