using SC2APIProtocol;

namespace Abathur.Client.Tests;

/// <summary>Agents as classes, on the real daemon.</summary>
public class AgentTests
{
    private const uint LastGameLoop = 10_303;

    private static readonly string[] Play = ["play", CommittedRecording.Path, "--rate", "unlimited", "--wait-agents", "1"];

    [Fact]
    public async Task Callbacks_AreTheEventsInTheirOrder()
    {
        var expected = new List<string> { "start" };
        var sequence = new FrameSequence();
        var loop = 0u;
        foreach (var observation in CommittedRecording.Observations())
        {
            var response = ResponseObservation.Parser.ParseFrom(observation);
            loop = response.Observation.GameLoop;
            var frame = sequence.Next(observation, loop);
            expected.AddRange(frame.Events.Select(NaiveEvents.Text));
            expected.Add($"step {loop}");
        }
        expected.Add("end 2");
        using var daemon = await DaemonProcess.StartAsync(Play);
        var agent = new Recorder();
        await agent.RunAsync(daemon.Socket, new SubscribeOptions { Policy = SubscribePolicy.Every });
        Assert.Equal(expected, agent.Calls);
        Assert.Contains(agent.Calls, call => call.StartsWith("UnitDestroyed", StringComparison.Ordinal));
        Assert.Contains(agent.Calls, call => call.StartsWith("UnitTookDamage", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Requests_WorkWithinCallbacks()
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--wait-agents", "1");
        var agent = new Drawer();
        await agent.RunAsync(daemon.Socket, new SubscribeOptions { MaxFrames = 1 });
        Assert.Equal((1u, "Drawer"), agent.Drawn);
        Assert.Equal(RequestErrorCode.FailedPrecondition, agent.Refusal);
    }

    [Fact]
    public async Task DaemonThatEndsBeforeTheLastSteps_IsTheEndOfTheAgent()
    {
        using var daemon = await DaemonProcess.StartAsync(Play);
        var agent = new Asking(daemon);
        var options = new SubscribeOptions
        {
            Policy = SubscribePolicy.Every,
            Encoding = FrameEncoding.Columns,
            Compression = FrameCompression.ZstdStream,
        };
        await agent.RunAsync(daemon.Socket, options);
        Assert.Equal((LastGameLoop - 2, 2), (agent.LastStep, agent.Results));
    }

    [Fact]
    public async Task ExceptionOfACallback_EndsTheAgent()
    {
        using var daemon = await DaemonProcess.StartAsync(Play);
        var agent = new Failing();
        await Assert.ThrowsAsync<InvalidTimeZoneException>(() => agent.RunAsync(daemon.Socket));
        Assert.False(agent.HasEnded);
    }

    private sealed class Recorder : Agent
    {
        public List<string> Calls { get; } = [];

        protected override ValueTask OnStart() => Add("start");

        protected override ValueTask OnStep(GameFrame frame) => Add($"step {frame.GameLoop}");

        protected override ValueTask OnEnd(IReadOnlyList<PlayerResult> results) => Add($"end {results.Count}");

        protected override ValueTask OnUnitDestroyed(ulong unitTag) => Add($"UnitDestroyed {unitTag}");

        protected override ValueTask OnUnitCreated(UnitView unit) => Add($"UnitCreated {unit.Tag}");

        protected override ValueTask OnUnitTookDamage(UnitView unit, double amount) => Add($"UnitTookDamage {unit.Tag} {amount}");

        protected override ValueTask OnUnitTypeChanged(UnitView unit, uint previousType) =>
            Add($"UnitTypeChanged {unit.Tag} {previousType}");

        protected override ValueTask OnBuildingConstructionStarted(UnitView unit) => Add($"BuildingConstructionStarted {unit.Tag}");

        protected override ValueTask OnBuildingConstructionComplete(UnitView unit) => Add($"BuildingConstructionComplete {unit.Tag}");

        protected override ValueTask OnUpgradeComplete(uint upgradeId) => Add($"UpgradeComplete {upgradeId}");

        protected override ValueTask OnEnemyUnitEnteredVision(UnitView unit) => Add($"EnemyUnitEnteredVision {unit.Tag}");

        protected override ValueTask OnEnemyUnitLeftVision(ulong unitTag) => Add($"EnemyUnitLeftVision {unitTag}");

        protected override ValueTask OnAlert(Alert alert) => Add($"Alert {alert}");

        private ValueTask Add(string call)
        {
            Calls.Add(call);
            return default;
        }
    }

    private sealed class Drawer : Agent
    {
        public (uint, string) Drawn { get; private set; }

        public RequestErrorCode? Refusal { get; private set; }

        protected override async ValueTask OnStep(GameFrame frame)
        {
            if (Refusal is not null) return;
            var shapes = (await DrawAsync([Draw.Circle(frame.Units[0].X, frame.Units[0].Y, 2)])).Shapes;
            var status = await Game.StatusAsync();
            Drawn = (shapes, status.Subscribers.Select(each => each.Name).First(name => name != "requests"));
            Refusal = (await Assert.ThrowsAsync<RequestException>(() => ActAsync([]))).Code;
        }
    }

    /// <summary>Draws when the daemon has sent the last frames, and has ended.</summary>
    private sealed class Asking(DaemonProcess daemon) : Agent
    {
        public uint LastStep { get; private set; }

        public int Results { get; private set; }

        protected override async ValueTask OnStep(GameFrame frame)
        {
            LastStep = frame.GameLoop;
            if (frame.GameLoop < LastGameLoop - 2) return;
            await daemon.WaitForExitAsync();
            await DrawAsync([]);
        }

        protected override ValueTask OnEnd(IReadOnlyList<PlayerResult> results)
        {
            Results = results.Count;
            return default;
        }
    }

    private sealed class Failing : Agent
    {
        public bool HasEnded { get; private set; }

        protected override ValueTask OnStep(GameFrame frame) => throw new InvalidTimeZoneException();

        protected override ValueTask OnEnd(IReadOnlyList<PlayerResult> results)
        {
            HasEnded = true;
            return default;
        }
    }
}
