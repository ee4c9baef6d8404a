using Abathur.Protobuf.Wire;
using Google.Protobuf;
using SC2APIProtocol;
using Status = SC2APIProtocol.Status;

namespace Abathur.Sc2.Api;

/// <summary>The top-level fields of a serialized <c>SC2APIProtocol.Request</c> or <c>Response</c>, read without parsing their
/// content.</summary>
/// <param name="Kind">Field number of the request or response that is set (the last one, as in protobuf); 0 if none is.</param>
/// <param name="Body">Range of its bytes in the message.</param>
/// <param name="Id">The id, or null.</param>
/// <param name="Status">The status of a response, or null.</param>
/// <param name="HasError">Whether a response has an error text.</param>
public readonly record struct ResponseWire(int Kind, Range Body, uint? Id, Status? Status, bool HasError)
{
    /// <exception cref="InvalidDataException">This is not a serialized message.</exception>
    public static ResponseWire Read(ReadOnlySpan<byte> message)
    {
        var (kind, body) = (0, default(Range));
        uint? id = null;
        Status? status = null;
        var hasError = false;
        var reader = new WireReader(message);
        while (reader.ReadTag())
        {
            switch (reader.FieldNumber, reader.WireType)
            {
                case (Response.IdFieldNumber, WireFormat.WireType.Varint): id = (uint)reader.ReadVarint(); break;
                case (Response.StatusFieldNumber, WireFormat.WireType.Varint): status = (Status)(int)reader.ReadVarint(); break;
                case (Response.ErrorFieldNumber, WireFormat.WireType.LengthDelimited):
                    reader.SkipValue();
                    hasError = true;
                    break;
                case ( < Response.IdFieldNumber, WireFormat.WireType.LengthDelimited):
                    kind = reader.FieldNumber;
                    body = reader.ReadRange();
                    break;
                default: reader.SkipValue(); break;
            }
        }
        return new ResponseWire(kind, body, id, status, hasError);
    }
}
