using Abathur.Grpc.Reflection;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Question = Abathur.Grpc.Reflection.ServerReflectionRequest.MessageRequestOneofCase;

namespace Abathur.Grpc;

/// <summary>
/// Server reflection, so that generic clients (grpcurl and the like) see the services. Versions v1 and v1alpha have the
/// same messages; one handler serves both.
/// </summary>
public static class GrpcReflection
{
    private const string V1 = "grpc.reflection.v1", V1Alpha = "grpc.reflection.v1alpha";

    /// <summary>The two reflection services over <paramref name="services"/>; both list themselves as well.</summary>
    public static IReadOnlyList<GrpcService> For(IReadOnlyCollection<GrpcService> services)
    {
        GrpcService[] versions =
        [
            new($"{V1}.ServerReflection", () => ReflectionReflection.Descriptor),
            new($"{V1Alpha}.ServerReflection", DescribeV1Alpha),
        ];
        GrpcService[] all = [.. services, .. versions];
        var index = new Lazy<GrpcReflectionIndex>(() => new GrpcReflectionIndex(
            [.. all.Select(service => service.Name)], all.Select(service => service.File).OfType<FileDescriptor>()));
        foreach (var version in versions) version.Bidirectional("ServerReflectionInfo", call => AnswerAsync(call, index.Value));
        return versions;
    }

    internal static IEnumerable<FileDescriptor> WithDependencies(FileDescriptor file) =>
        file.Dependencies.SelectMany(WithDependencies).Prepend(file).DistinctBy(each => each.Name);

    private static async Task AnswerAsync(GrpcCall call, GrpcReflectionIndex index)
    {
        while (await call.ReadAsync(ServerReflectionRequest.Parser) is { } request)
        {
            var response = Answer(request, index);
            response.ValidHost = request.Host;
            response.OriginalRequest = request;
            await call.WriteAsync(response);
        }
    }

    private static ServerReflectionResponse Answer(ServerReflectionRequest request, GrpcReflectionIndex index) =>
        request.MessageRequestCase switch
        {
            Question.FileByFilename => Files(index.ByName(request.FileByFilename)),
            Question.FileContainingSymbol => Files(index.BySymbol(request.FileContainingSymbol)),
            Question.FileContainingExtension => Files(index.ByExtension(request.FileContainingExtension)),
            Question.AllExtensionNumbersOfType => Extensions(index, request.AllExtensionNumbersOfType),
            Question.ListServices =>
                new() { ListServicesResponse = new() { Service = { index.Services.Select(name => new ServiceResponse { Name = name }) } } },
            _ => Error(GrpcStatusCode.InvalidArgument, "no request is set"),
        };

    private static ServerReflectionResponse Files(FileDescriptor? file) => file is null
        ? Error(GrpcStatusCode.NotFound, "the file, symbol or extension does not exist")
        : new() { FileDescriptorResponse = new() { FileDescriptorProto = { WithDependencies(file).Select(each => each.SerializedData) } } };

    private static ServerReflectionResponse Extensions(GrpcReflectionIndex index, string type) => !index.HasMessage(type)
        ? Error(GrpcStatusCode.NotFound, $"no message {type}")
        : new() { AllExtensionNumbersResponse = new() { BaseTypeName = type, ExtensionNumber = { index.ExtensionNumbers(type) } } };

    private static ServerReflectionResponse Error(GrpcStatusCode code, string message) =>
        new() { ErrorResponse = new() { ErrorCode = (int)code, ErrorMessage = message } };

    /// <summary>The file of v1 with each package name replaced by that of v1alpha.</summary>
    private static FileDescriptor DescribeV1Alpha()
    {
        var file = ReflectionReflection.Descriptor.ToProto();
        file.Name = file.Name.Replace("/v1/", "/v1alpha/", StringComparison.Ordinal);
        file.Package = V1Alpha;
        foreach (var field in file.MessageType.SelectMany(message => message.Field).Where(field => field.HasTypeName))
            field.TypeName = Rename(field.TypeName);
        foreach (var method in file.Service.SelectMany(service => service.Method))
            (method.InputType, method.OutputType) = (Rename(method.InputType), Rename(method.OutputType));
        return FileDescriptor.BuildFromByteStrings([file.ToByteString()])[0];

        static string Rename(string type) => type.Replace($".{V1}.", $".{V1Alpha}.", StringComparison.Ordinal);
    }
}
