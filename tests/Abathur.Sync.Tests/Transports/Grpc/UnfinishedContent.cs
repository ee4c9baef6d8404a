using System.Net;

namespace Abathur.Sync.Tests.Transports.Grpc;

/// <summary>A request body that goes on when it is told to.</summary>
internal sealed class UnfinishedContent(byte[] start) : HttpContent
{
    private readonly TaskCompletionSource<ReadOnlyMemory<byte>> _rest = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public void Finish(ReadOnlyMemory<byte> rest = default) => _rest.TrySetResult(rest);

    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
    {
        await stream.WriteAsync(start);
        await stream.FlushAsync();
        await stream.WriteAsync(await _rest.Task);
    }

    protected override bool TryComputeLength(out long length)
    {
        length = 0;
        return false;
    }
}
