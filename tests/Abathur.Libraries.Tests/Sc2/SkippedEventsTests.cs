using Abathur.Protobuf.Wire;
using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sc2.Tests;

public class SkippedEventsTests
{
    [Fact]
    public void ToFields_BeforeAnObservation_AddsWhatWasSkippedInOrderAndNothingElse()
    {
        Prop.ForAll<int[][]>(loops =>
        {
            var observations = loops.Select((numbers, loop) => Observation((uint)loop, numbers ?? []))
                .Append(Observation(99, [7]))
                .ToList();
            var skipped = new SkippedEvents();
            foreach (var each in observations.SkipLast(1)) skipped.Add(each.ToByteArray());
            byte[] joined = [.. skipped.ToFields().Span, .. observations[^1].ToByteArray()];
            var merged = new WireWriter();
            SkippedEvents.Merge(joined, merged);
            OnePart.Assert(merged.WrittenSpan, 3, 5, 4);
            OnePart.Assert(skipped.ToFields().Span, 3, 5, 4);
            Assert.Equal(ResponseObservation.Parser.ParseFrom(joined), ResponseObservation.Parser.ParseFrom(merged.WrittenSpan));
            var read = ResponseObservation.Parser.ParseFrom(merged.WrittenSpan);
            var expected = observations[^1].Clone();
            expected.Actions.Clear();
            expected.Actions.AddRange(observations.SelectMany(each => each.Actions));
            expected.ActionErrors.Clear();
            expected.ActionErrors.AddRange(observations.SelectMany(each => each.ActionErrors));
            expected.PlayerResult.Clear();
            expected.PlayerResult.AddRange(observations.SelectMany(each => each.PlayerResult));
            expected.Chat.Clear();
            expected.Chat.AddRange(observations.SelectMany(each => each.Chat));
            expected.Observation.Alerts.Clear();
            expected.Observation.Alerts.AddRange(observations.SelectMany(each => each.Observation.Alerts));
            expected.Observation.RawData.Event.DeadUnits.Clear();
            expected.Observation.RawData.Event.DeadUnits.AddRange(
                observations.SelectMany(each => each.Observation.RawData.Event?.DeadUnits ?? []));
            return read.Equals(expected);
        }).QuickCheckThrowOnFailure();
    }

    [Fact]
    public void ToFields_NothingSkippedOrCleared_IsEmpty()
    {
        var skipped = new SkippedEvents();
        Assert.True(skipped.ToFields().IsEmpty);
        skipped.Add(Observation(1, [1, 2, 3]).ToByteArray());
        Assert.False(skipped.ToFields().IsEmpty);
        skipped.Clear();
        Assert.True(skipped.ToFields().IsEmpty);
    }

    [Fact]
    public void Add_Endless_IsBounded()
    {
        var skipped = new SkippedEvents();
        var observation = Observation(1, [.. Enumerable.Range(0, 2000)]).ToByteArray();
        for (var i = 0; i < 1000; i++) skipped.Add(observation);
        Assert.True(skipped.IsIncomplete);
        Assert.InRange(skipped.ToFields().Length, SkippedEvents.DefaultMaxBytes * 9 / 10, SkippedEvents.DefaultMaxBytes + 64);
    }

    [Fact]
    public void Add_DamagedBytes_ThrowsInvalidDataAndNothingElse()
    {
        var whole = Observation(1, [.. Enumerable.Range(0, 20)]).ToByteArray();
        Prop.ForAll<int, byte>((at, value) =>
        {
            var damaged = (byte[])whole.Clone();
            damaged[(uint)at % damaged.Length] = value;
            try
            {
                new SkippedEvents().Add(damaged);
            }
            catch (InvalidDataException)
            {
                // Refused, as it should be.
            }
            return true;
        }).QuickCheckThrowOnFailure();
    }

    private static ResponseObservation Observation(uint loop, int[] numbers)
    {
        var observation = new ResponseObservation
        {
            Observation = new Observation
            {
                GameLoop = loop,
                PlayerCommon = new PlayerCommon { Minerals = loop },
                RawData = new ObservationRaw { Units = { new Unit { Tag = loop + 1 } } },
            },
        };
        foreach (var number in numbers)
        {
            switch ((uint)number % 6)
            {
                case 0:
                    observation.Actions.Add(new SC2APIProtocol.Action { GameLoop = (uint)number });
                    break;
                case 1:
                    observation.ActionErrors.Add(new ActionError { UnitTag = (uint)number });
                    break;
                case 2:
                    observation.Chat.Add(new ChatReceived { Message = $"{number}" });
                    break;
                case 3:
                    observation.PlayerResult.Add(new PlayerResult { PlayerId = (uint)number });
                    break;
                case 4:
                    observation.Observation.Alerts.Add(Alert.UnitUnderAttack);
                    break;
                default:
                    (observation.Observation.RawData.Event ??= new SC2APIProtocol.Event()).DeadUnits.Add((uint)number);
                    break;
            }
        }
        if (loop == 99) observation.Observation.RawData.Event ??= new SC2APIProtocol.Event();
        return observation;
    }
}
