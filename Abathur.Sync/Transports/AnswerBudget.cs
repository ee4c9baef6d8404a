using Abathur.Sync.Access;
using Abathur.Sync.Requests;

namespace Abathur.Sync.Transports;

/// <summary>
/// A limit on answers that clients have asked for and not read, of all connections together: a timeline of ten hours has 5 MB, and a client
/// may ask for many. Thread-safe.
/// </summary>
/// <param name="acting">Room for those that may act.</param>
/// <param name="watching">Room for those that may watch.</param>
/// <param name="clock">Measures how long a client takes.</param>
internal sealed class AnswerBudget(ByteBudget acting, ByteBudget watching, TimeProvider clock)
{
    /// <summary>Bytes of answers for those that may act, and as many for those that may watch, who so cannot take the place of the
    /// others.</summary>
    public const long MaxBytes = 32 * 1024 * 1024;

    /// <summary>Answers of this size or less do not count: their number is limited elsewhere.</summary>
    public const int FreeBytes = 16 * 1024;

    /// <summary>How long a client may take for an answer that counts.</summary>
    public static readonly TimeSpan TakeTimeout = TimeSpan.FromSeconds(30);

    private static readonly ByteBudget ActingOfProcess = new(MaxBytes), WatchingOfProcess = new(MaxBytes);

    /// <summary>A limit of its own.</summary>
    public AnswerBudget(TimeProvider clock)
        : this(new ByteBudget(MaxBytes), new ByteBudget(MaxBytes), clock)
    {
    }

    /// <summary>Bytes that count now.</summary>
    public long HeldBytes => acting.HeldBytes + watching.HeldBytes;

    /// <summary>The limit of the process.</summary>
    public static AnswerBudget OfProcess(TimeProvider clock) => new(ActingOfProcess, WatchingOfProcess, clock);

    /// <summary>Takes room for an answer. The caller disposes it when the client has taken the answer, or is gone. Null: it needs
    /// none.</summary>
    /// <param name="level">What the client may do.</param>
    /// <param name="bytes">Size of the answer.</param>
    /// <param name="overdue">Is called if the client does not take it in time: ends the connection.</param>
    /// <exception cref="RefusedException">There is no room.</exception>
    public IDisposable? Take(AccessLevel level, long bytes, Action overdue)
    {
        if (bytes <= FreeBytes) return null;
        var budget = Of(level);
        return budget.TryReserve(bytes) ? new Room(budget, bytes, clock, overdue) : throw Refusal($"{bytes} bytes");
    }

    /// <summary>Refuses an answer before it is made, which may take more memory than the answer.</summary>
    /// <param name="level">What the client may do.</param>
    /// <param name="bytes">Size that the answer has at least.</param>
    /// <exception cref="RefusedException">There is no room.</exception>
    public void RequireRoom(AccessLevel level, long bytes)
    {
        if (bytes > FreeBytes && Of(level).HeldBytes + bytes > MaxBytes) throw Refusal($"at least {bytes} bytes");
    }

    private static RefusedException Refusal(string size) => new(
        RequestStatus.ResourceExhausted,
        $"the answer has {size}, and more than {MaxBytes} bytes of answers wait to be read by their clients: ask for less, or later");

    private ByteBudget Of(AccessLevel level) => level >= AccessLevel.Act ? acting : watching;

    private sealed class Room : IDisposable
    {
        private readonly ByteBudget _budget;
        private readonly long _bytes;
        private readonly ITimer _limit;
        private int _isDisposed;

        public Room(ByteBudget budget, long bytes, TimeProvider clock, Action overdue)
        {
            (_budget, _bytes) = (budget, bytes);
            _limit = clock.CreateTimer(_ => overdue(), null, TakeTimeout, Timeout.InfiniteTimeSpan);
        }

        public void Dispose()
        {
            if (Interlocked.Exchange(ref _isDisposed, 1) != 0) return;
            _limit.Dispose();
            _budget.Release(_bytes);
        }
    }
}
