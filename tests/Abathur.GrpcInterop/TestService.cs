using Abathur.Grpc;
using Google.Protobuf;

namespace Abathur.GrpcInterop;

/// <summary><c>grpc.testing.TestService</c>, as the public interop suite describes it.</summary>
internal static class TestService
{
    public static GrpcService Create() =>
        new GrpcService("grpc.testing.TestService", () => InteropReflection.Descriptor)
            .Unary("EmptyCall", Empty.Parser, (_, _) => ValueTask.FromResult(new Empty()))
            .Unary("UnaryCall", SimpleRequest.Parser, (request, call) => ValueTask.FromResult(Answer(request, call)))
            .ClientStreaming("StreamingInputCall", CountAsync)
            .ServerStreaming("StreamingOutputCall", StreamingOutputCallRequest.Parser, StreamAsync)
            .Bidirectional("FullDuplexCall", AnswerEachAsync)
            .Bidirectional("HalfDuplexCall", AnswerAtTheEndAsync);

    private static SimpleResponse Answer(SimpleRequest request, GrpcCall call)
    {
        EchoMetadata(call);
        CheckCompression(request.ExpectCompressed, call);
        ThrowIfAsked(request.ResponseStatus);
        call.CompressResponses = request.ResponseCompressed?.Value ?? false;
        return new SimpleResponse { Payload = Zeros(request.ResponseSize) };
    }

    private static async ValueTask<StreamingInputCallResponse> CountAsync(GrpcCall call)
    {
        var total = 0;
        while (await call.ReadAsync(StreamingInputCallRequest.Parser) is { } request)
        {
            CheckCompression(request.ExpectCompressed, call);
            total += request.Payload?.Body.Length ?? 0;
        }
        return new StreamingInputCallResponse { AggregatedPayloadSize = total };
    }

    private static async Task StreamAsync(StreamingOutputCallRequest request, GrpcCall call)
    {
        await StartStreamAsync(call);
        await RespondAsync(request, call);
    }

    private static async Task AnswerEachAsync(GrpcCall call)
    {
        await StartStreamAsync(call);
        while (await call.ReadAsync(StreamingOutputCallRequest.Parser) is { } request) await RespondAsync(request, call);
    }

    private static async Task AnswerAtTheEndAsync(GrpcCall call)
    {
        await StartStreamAsync(call);
        var requests = new List<StreamingOutputCallRequest>();
        while (await call.ReadAsync(StreamingOutputCallRequest.Parser) is { } request) requests.Add(request);
        foreach (var request in requests) await RespondAsync(request, call);
    }

    /// <summary>The headers say gzip, so that each message can be compressed or not as its parameters have it.</summary>
    private static async Task StartStreamAsync(GrpcCall call)
    {
        EchoMetadata(call);
        call.CompressResponses = true;
        await call.SendHeadersAsync();
    }

    private static async Task RespondAsync(StreamingOutputCallRequest request, GrpcCall call)
    {
        ThrowIfAsked(request.ResponseStatus);
        foreach (var parameters in request.ResponseParameters)
        {
            if (parameters.IntervalUs > 0) await Task.Delay(TimeSpan.FromMicroseconds(parameters.IntervalUs), call.Cancellation);
            call.CompressResponses = parameters.Compressed?.Value ?? false;
            await call.WriteAsync(new StreamingOutputCallResponse { Payload = Zeros(parameters.Size) });
        }
    }

    private static void EchoMetadata(GrpcCall call)
    {
        const string InitialKey = "x-grpc-test-echo-initial", TrailingKey = "x-grpc-test-echo-trailing-bin";
        foreach (var value in call.RequestHeaders.GetAll(InitialKey)) call.ResponseHeaders.Add(InitialKey, value);
        foreach (var value in call.RequestHeaders.GetAllBinary(TrailingKey)) call.ResponseTrailers.Add(TrailingKey, value);
    }

    private static void CheckCompression(BoolValue? expected, GrpcCall call)
    {
        if (expected is null || expected.Value == call.RequestWasCompressed) return;
        throw new GrpcException(GrpcStatusCode.InvalidArgument, $"the request was {(expected.Value ? "not " : "")}compressed");
    }

    private static void ThrowIfAsked(EchoStatus? status)
    {
        if (status is { Code: not 0 }) throw new GrpcException((GrpcStatusCode)status.Code, status.Message);
    }

    private static Payload Zeros(int count)
    {
        if (count < 0) throw new GrpcException(GrpcStatusCode.InvalidArgument, $"a payload cannot have {count} bytes");
        return new Payload { Body = UnsafeByteOperations.UnsafeWrap(new byte[count]) };
    }
}
