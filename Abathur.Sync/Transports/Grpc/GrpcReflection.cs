using System.Buffers;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>
/// Server reflection, so that generic clients (grpcurl and the like) see the services. Versions v1 and v1alpha have the
/// same messages; one handler serves both. Field numbers are those of <c>ServerReflectionRequest</c> and
/// <c>ServerReflectionResponse</c>.
/// </summary>
public static class GrpcReflection
{
    /// <summary>The two reflection services over <paramref name="services"/>; both list themselves as well.</summary>
    public static IReadOnlyList<GrpcService> For(IReadOnlyCollection<GrpcService> services)
    {
        string[] versions = ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"];
        var index = new GrpcReflectionIndex([.. services.Select(service => service.Name), .. versions], services.Select(service => service.File).OfType<FileDescriptor>());
        return [.. versions.Select(version => new GrpcService(version).Bidirectional("ServerReflectionInfo", call => AnswerAsync(call, index)))];
    }

    private static async Task AnswerAsync(GrpcCall call, GrpcReflectionIndex index)
    {
        while (await call.ReadAsync() is { } request) await call.WriteAsync(Answer(request.ToArray(), index));
    }

    private static byte[] Answer(byte[] request, GrpcReflectionIndex index)
    {
        var host = "";
        (int Number, Action<CodedOutputStream> Write) answer = Error(GrpcStatusCode.InvalidArgument, "no request is set");
        try
        {
            var input = new CodedInputStream(request);
            while (input.ReadTag() is var tag and not 0)
            {
                switch (WireFormat.GetTagFieldNumber(tag))
                {
                    case 1: host = input.ReadString(); break;
                    case 3: answer = Files(index.ByName(input.ReadString())); break;
                    case 4: answer = Files(index.BySymbol(input.ReadString())); break;
                    case 5: answer = Files(index.ByExtension(input.ReadBytes())); break;
                    case 6: answer = Extensions(index, input.ReadString()); break;
                    case 7: input.ReadString(); answer = (6, output => WriteServices(output, index.Services)); break;
                    default: input.SkipLastField(); break;
                }
            }
        }
        catch (InvalidProtocolBufferException e)
        {
            throw new GrpcException(GrpcStatusCode.Internal, $"the request is not a ServerReflectionRequest: {e.Message}");
        }
        return Write(output =>
        {
            if (host.Length > 0) WriteString(output, 1, host);
            WriteBytes(output, 2, request);
            WriteBytes(output, answer.Number, Write(answer.Write));
        });
    }

    private static (int, Action<CodedOutputStream>) Files(FileDescriptor? file) => file is null
        ? Error(GrpcStatusCode.NotFound, "no such file, symbol or extension")
        : (4, output =>
        {
            foreach (var each in WithDependencies(file)) WriteBytes(output, 1, each.SerializedData.ToByteArray());
        }
    );

    private static (int, Action<CodedOutputStream>) Extensions(GrpcReflectionIndex index, string type) => !index.HasMessage(type)
        ? Error(GrpcStatusCode.NotFound, $"no message {type}")
        : (5, output =>
        {
            WriteString(output, 1, type);
            foreach (var number in index.ExtensionNumbers(type)) WriteInt(output, 2, number);
        }
    );

    private static (int, Action<CodedOutputStream>) Error(GrpcStatusCode code, string message) => (7, output =>
    {
        WriteInt(output, 1, (int)code);
        WriteString(output, 2, message);
    }
    );

    private static void WriteServices(CodedOutputStream output, IEnumerable<string> names)
    {
        foreach (var name in names) WriteBytes(output, 1, Write(service => WriteString(service, 1, name)));
    }

    internal static IEnumerable<FileDescriptor> WithDependencies(FileDescriptor file) =>
        file.Dependencies.SelectMany(WithDependencies).Prepend(file).DistinctBy(each => each.Name);

    private static byte[] Write(Action<CodedOutputStream> write)
    {
        var bytes = new MemoryStream();
        using (var output = new CodedOutputStream(bytes)) write(output);
        return bytes.ToArray();
    }

    private static void WriteString(CodedOutputStream output, int number, string value)
    {
        output.WriteTag(number, WireFormat.WireType.LengthDelimited);
        output.WriteString(value);
    }

    private static void WriteBytes(CodedOutputStream output, int number, byte[] value)
    {
        output.WriteTag(number, WireFormat.WireType.LengthDelimited);
        output.WriteBytes(ByteString.CopyFrom(value));
    }

    private static void WriteInt(CodedOutputStream output, int number, int value)
    {
        output.WriteTag(number, WireFormat.WireType.Varint);
        output.WriteInt32(value);
    }
}
