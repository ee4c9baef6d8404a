using System.Buffers.Text;
using System.Diagnostics;
using Microsoft.Win32.SafeHandles;

namespace Abathur.Sync.Hub.Scheduling;

/// <summary>How long a thread is ready to run and waits for a processor, as Linux counts it. Only for that thread.</summary>
internal sealed class ProcessorWait
{
    /// <summary>How often it is read.</summary>
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(10);

    /// <summary>How long the processors count as needed by others. A thread that sleeps does not wait for them.</summary>
    private static readonly TimeSpan Memory = TimeSpan.FromSeconds(5);

    /// <summary>Share of the time from which a wait is long.</summary>
    private const double LongShare = 0.3;

    private readonly SafeFileHandle _statistics;
    private long _readAt = Stopwatch.GetTimestamp();
    private long _longAt;
    private long _waited;

    private ProcessorWait(SafeFileHandle statistics)
    {
        _statistics = statistics;
        _waited = Read();
    }

    /// <summary>Null where the system does not count it.</summary>
    public static ProcessorWait? OfThisThread()
    {
        try
        {
            return new ProcessorWait(File.OpenHandle("/proc/thread-self/schedstat"));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>Whether the thread has waited long in the last seconds.</summary>
    public bool IsLong()
    {
        var elapsed = Stopwatch.GetElapsedTime(_readAt);
        if (elapsed >= Interval)
        {
            var waited = Read();
            if (waited - _waited > LongShare * elapsed.TotalNanoseconds) _longAt = Stopwatch.GetTimestamp();
            (_readAt, _waited) = (Stopwatch.GetTimestamp(), waited);
        }
        return _longAt != 0 && Stopwatch.GetElapsedTime(_longAt) < Memory;
    }

    /// <summary>Nanoseconds: the second of the numbers in the file.</summary>
    private long Read()
    {
        Span<byte> text = stackalloc byte[64];
        var line = text[..RandomAccess.Read(_statistics, text, 0)];
        var second = line[(line.IndexOf((byte)' ') + 1)..];
        return Utf8Parser.TryParse(second, out long nanoseconds, out _) ? nanoseconds : 0;
    }
}
