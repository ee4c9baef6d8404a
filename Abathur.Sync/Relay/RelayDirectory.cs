using System.Buffers;
using System.Text.Json;
using Abathur.Client.Nats.Wire;
using Abathur.Compression;
using Abathur.Sync.V1;
using Google.Protobuf;
using NATS.Client.JetStream;
using NATS.Client.KeyValueStore;

namespace Abathur.Sync.Relay;

/// <summary>The entries of a match in the directory of all matches, a key-value bucket.</summary>
/// <param name="servers">Where it is.</param>
/// <param name="bucket">The bucket.</param>
/// <param name="match">Name of the match.</param>
/// <param name="about">The match.</param>
/// <param name="clock">Clock of its times.</param>
internal sealed class RelayDirectory(
    NatsServers servers, INatsKVStore bucket, string match, Match about, TimeProvider clock)
{
    private const int InfoCompressionLevel = 9;
    private static readonly TimeSpan KeepEntries = TimeSpan.FromDays(1);
    private readonly DateTimeOffset _since = clock.GetUtcNow();

    /// <summary>Whether the match goes on, and why not.</summary>
    public (string State, string Reason) State { get; set; } = ("running", "");

    /// <summary>The newest message that is stored; null: none.</summary>
    public RelayStamp? Newest { get; set; }

    /// <summary>Matches before it on the same name, oldest first.</summary>
    public IReadOnlyList<FormerRun> Former { get; init; } = [];

    /// <summary>Readers that there are.</summary>
    public Func<int> Readers { get; init; } = static () => 0;

    /// <summary>The bucket, which is made unless it exists.</summary>
    /// <exception cref="NatsJSApiException">It is refused.</exception>
    /// <exception cref="ServersLostException">The servers do not answer.</exception>
    public static async Task<INatsKVStore> OpenAsync(NatsServers servers, int replicas, CancellationToken cancellationToken)
    {
        var buckets = new NatsKVContext(servers.JetStream);
        var settings = new NatsKVConfig(RelayNames.Bucket)
        {
            History = 1,
            MaxAge = KeepEntries,
            Storage = NatsKVStorageType.File,
            NumberOfReplicas = replicas,
        };
        try
        {
            return await servers.AskAsync(
                $"$JS.API.STREAM.CREATE.KV_{RelayNames.Bucket}", limit => buckets.CreateStoreAsync(settings, limit), cancellationToken);
        }
        catch (NatsJSApiException e) when (e.Error.ErrCode == MatchStream.NameInUse)
        {
            // The settings are those of the first relay.
            return await servers.AskAsync(
                $"$JS.API.STREAM.INFO.KV_{RelayNames.Bucket}", limit => buckets.GetStoreAsync(RelayNames.Bucket, limit),
                cancellationToken);
        }
    }

    /// <summary>Writes the entry.</summary>
    /// <exception cref="ServersLostException">The servers do not answer.</exception>
    public Task PutAsync(CancellationToken cancellationToken) => PutAsync(match, Entry(), cancellationToken);

    /// <summary>Writes the constant data of the match, which the bucket keeps for a day.</summary>
    /// <exception cref="ServersLostException">The servers do not answer.</exception>
    public Task PutInfoAsync(CancellationToken cancellationToken)
    {
        using var compressor = new ZstdCompressor(InfoCompressionLevel);
        var output = new ArrayBufferWriter<byte>();
        compressor.Compress(about.ToByteArray(), output);
        return PutAsync(RelayNames.InfoKey(match), output.WrittenMemory, cancellationToken);
    }

    private async Task PutAsync(string key, ReadOnlyMemory<byte> value, CancellationToken cancellationToken)
    {
        try
        {
            await servers.AskAsync(
                $"$KV.{RelayNames.Bucket}.{key}", limit => bucket.PutAsync(key, value, cancellationToken: limit), cancellationToken);
        }
        catch (NatsJSApiException e)
        {
            throw new ServersLostException($"JetStream: {e.Error.Description}", e);
        }
    }

    private ReadOnlyMemory<byte> Entry()
    {
        var output = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(output))
        {
            json.WriteStartObject();
            json.WriteString("match", match);
            json.WriteString("match_id", about.MatchId);
            json.WriteString("run_id", about.RunId);
            json.WriteString("state", State.State);
            json.WriteString("reason", State.Reason);
            json.WriteNumber("since", Seconds(_since));
            json.WriteNumber("updated", Seconds(clock.GetUtcNow()));
            json.WriteString("map_name", about.MapName);
            json.WriteNumber("tick_hz", about.TickHz);
            json.WriteString("source", NameOf(about.Source));
            json.WriteBoolean("actions_allowed", about.ActionsAllowed);
            json.WriteStartArray("players");
            foreach (var player in about.GameInfo?.PlayerInfo ?? [])
            {
                json.WriteStartObject();
                json.WriteNumber("player_id", player.PlayerId);
                json.WriteString("name", player.PlayerName);
                json.WriteString("race", $"{(player.RaceActual != 0 ? player.RaceActual : player.RaceRequested)}");
                json.WriteEndObject();
            }
            json.WriteEndArray();
            json.WriteNumber("game_loop", Newest?.GameLoop ?? 0);
            json.WriteNumber("sequence", Newest?.Sequence ?? 0);
            json.WriteNumber("position", Newest?.Position ?? 0);
            json.WriteNumber("readers", Readers());
            json.WriteString("group_id", about.GroupId);
            json.WriteStartArray("former");
            foreach (var run in Former)
            {
                json.WriteStartObject();
                json.WriteString("run_id", run.Match.RunId);
                json.WriteString("map_name", run.Match.MapName);
                json.WriteString("state", run.State);
                json.WriteNumber("since", run.Match.BeganUnixNs / 1e9);
                json.WriteNumber("game_loop", run.GameLoop);
                json.WriteEndObject();
            }
            json.WriteEndArray();
            json.WriteEndObject();
        }
        return output.WrittenMemory;
    }

    // As the protocol has it: "playback".
    private static string NameOf(SourceKind source) =>
        source == SourceKind.SourceUnknown ? "source_unknown" : $"{source}".ToLowerInvariant();

    private static double Seconds(DateTimeOffset time) => time.ToUnixTimeMilliseconds() / 1000.0;
}

/// <summary>A match that was before another one on the same name.</summary>
/// <param name="Match">The match.</param>
/// <param name="State">How it ended, as in the directory.</param>
/// <param name="GameLoop">Of its newest frame.</param>
internal sealed record FormerRun(Match Match, string State, uint GameLoop);
