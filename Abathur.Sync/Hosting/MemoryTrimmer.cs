using System.Runtime;
using System.Runtime.InteropServices;
using Abathur.Sync.Frames;
using Microsoft.Extensions.Hosting;

namespace Abathur.Sync.Hosting;

/// <summary>
/// Returns memory of closed connections to the operating system. A timer trims the pool. After the start, after a large trim, and when the
/// last connection or half of many connections are closed, it collects and compacts the heap, because an idle process runs no collection by
/// itself.
/// </summary>
/// <param name="connections">The open connections.</param>
/// <param name="clock">Clock of the timer.</param>
internal sealed class MemoryTrimmer(ConnectionLimit connections, TimeProvider clock) : IHostedService, IDisposable
{
    /// <summary>How often the pool is trimmed. A block is released after it was unused for one to two periods.</summary>
    public static readonly TimeSpan Period = TimeSpan.FromSeconds(10);

    /// <summary>Trimmed bytes that are worth the pause of a collection, which is some 10 ms.</summary>
    private const long LargeTrimBytes = 16L * 1024 * 1024;

    /// <summary>From this number of connections on, the heap is collected when half of them are closed.</summary>
    private const int Crowd = 16;

    /// <summary>
    /// Periods after connections were closed in which the heap is collected: their remaining objects are released by timeouts, of which the
    /// longest is a minute.
    /// </summary>
    private static readonly int[] CollectedPeriods = [1, 3, 5, 7];

    private long _trimmedBytes;
    private int _mostOpen;
    // Once after the start, too, of which megabytes remain: metadata of recordings, messages of the first agents.
    private int _periodsSinceClosed = CollectedPeriods[^1] - 1;
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
        if ((open == 0 && _mostOpen > 0) || (_mostOpen >= Crowd && open <= _mostOpen / 2))
            (_mostOpen, _periodsSinceClosed) = (open, CollectedPeriods[0]);
        if (_trimmedBytes < LargeTrimBytes && !CollectedPeriods.Contains(_periodsSinceClosed)) return;
        _trimmedBytes = 0;
        GCSettings.LargeObjectHeapCompactionMode = GCLargeObjectHeapCompactionMode.CompactOnce;
        // Only the aggressive mode gives the freed memory back at once.
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        ReturnNativeMemory();
    }

    /// <summary>Returns memory that libzstd and Brotli have freed, which the C library would keep for the next allocation.</summary>
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
            // The same library under another name.
        }
    }

    private static class NativeMethods
    {
        [DllImport("libc", EntryPoint = "malloc_trim")]
        [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
        public static extern int MallocTrim(nuint padding);
    }
}
