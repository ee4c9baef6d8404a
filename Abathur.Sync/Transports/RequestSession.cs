using Abathur.Sync.Access;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports;

/// <summary>One connection that asks and does not subscribe.</summary>
/// <param name="api">Answers.</param>
/// <param name="wire">The framing of the connection.</param>
/// <param name="level">What the client may do.</param>
/// <param name="abort">Ends the connection of a client that does not take an answer in time.</param>
internal sealed class RequestSession(SyncApi api, ISessionWire wire, AccessLevel level, Action abort)
{
    /// <summary>Runs until the client ends its input, and has taken the answers, or has disconnected.</summary>
    public async Task RunAsync(ClientMessage first, CancellationToken cancellationToken)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var requests = new SessionRequests(api, wire, level) { Overdue = abort };
        var reading = ReadAsync();
        try
        {
            while (await requests.WaitForAnswerAsync(stop.Token))
            {
                requests.WriteAnswers();
                if (!await requests.FlushAsync(stop.Token)) return;
            }
        }
        finally
        {
            await stop.CancelAsync();
            await reading;
            requests.Release();
        }

        async Task ReadAsync()
        {
            await requests.ReadAsync(first, stop.Token);
            await requests.CompleteAsync();
        }
    }
}
