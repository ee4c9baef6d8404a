using System.Text.Json;
using Abathur.Protobuf.Wire;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Client;

/// <summary>What a subscription needs of a match at once. With game data, reading all of it takes as long as several frames.</summary>
/// <param name="RunId">The run of the source.</param>
/// <param name="IsDated">Whether it has the time when it began: daemons that know several matches say it.</param>
internal readonly record struct MatchHead(string RunId, bool IsDated)
{
    /// <summary>The head of a match.</summary>
    public static MatchHead Of(Match match) => new(match.RunId, match.BeganUnixNs != 0);

    /// <summary>The head of a serialized match.</summary>
    /// <exception cref="ProtocolException">It is not one.</exception>
    public static MatchHead Of(ReadOnlySpan<byte> match)
    {
        var (run, isDated) = ("", false);
        try
        {
            var reader = new WireReader(match);
            while (reader.ReadTag())
            {
                switch (reader.FieldNumber, reader.WireType)
                {
                    case (Match.RunIdFieldNumber, WireFormat.WireType.LengthDelimited):
                        run = System.Text.Encoding.UTF8.GetString(reader.ReadBytes());
                        break;
                    case (Match.BeganUnixNsFieldNumber, WireFormat.WireType.Varint):
                        isDated = reader.ReadVarint() != 0;
                        break;
                    default:
                        reader.SkipValue();
                        break;
                }
            }
            return new MatchHead(run, isDated);
        }
        catch (InvalidDataException e)
        {
            throw new ProtocolException($"not a Match: {e.Message}", e);
        }
    }

    /// <summary>The head of the match in a <c>ServerMessage</c> in JSON.</summary>
    /// <exception cref="ProtocolException">It is not one.</exception>
    public static MatchHead OfLine(ReadOnlySpan<byte> line)
    {
        const int DepthOfFields = 2;
        var (run, isDated) = ("", false);
        try
        {
            var reader = new Utf8JsonReader(line);
            while (reader.Read())
            {
                if (reader.TokenType != JsonTokenType.PropertyName || reader.CurrentDepth != DepthOfFields) continue;
                var (isRun, isTime) = (reader.ValueTextEquals("runId"u8), reader.ValueTextEquals("beganUnixNs"u8));
                reader.Read();
                if (isRun) run = reader.GetString() ?? "";
                else if (isTime) isDated = !reader.ValueSpan.SequenceEqual("0"u8);
                else reader.Skip();
            }
            return new MatchHead(run, isDated);
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            throw new ProtocolException($"a line is not a ServerMessage: {e.Message}", e);
        }
    }
}
