using Abathur.Protobuf.ProtoJson.Text;

namespace Abathur.Protobuf.ProtoJson.State;

/// <summary>The reusable state of a transcoder call. For one call at a time.</summary>
internal sealed class TranscoderState
{
    // A unit of the protocol: 16 bytes hold its tag in protobuf, 72 in JSON.
    private const int WireIdentityBytes = 16;
    private const int JsonIdentityBytes = 72;
    private TranscodeCache? _toJson;
    private TranscodeCache? _toWire;

    public FloatTextCache Floats { get; } = new();

    public WireScratch Scratch { get; } = new();

    /// <summary>Small messages in protobuf and their JSON. Created on first use: 5 MB.</summary>
    public TranscodeCache ToJson => _toJson ??= new TranscodeCache(WireIdentityBytes);

    /// <summary>Small messages in JSON and their protobuf. Created on first use: 5 MB.</summary>
    public TranscodeCache ToWire => _toWire ??= new TranscodeCache(JsonIdentityBytes);

    /// <summary>The states of one transcoder: one per concurrent call, up to a limit; last in, first out.</summary>
    internal sealed class Pool
    {
        private const int MaxKept = 8;
        private readonly Stack<TranscoderState> _states = new(MaxKept);

        public TranscoderState Rent()
        {
            lock (_states)
            {
                if (_states.TryPop(out var state)) return state;
            }
            return new TranscoderState();
        }

        public void Return(TranscoderState state)
        {
            state.Scratch.Reset();
            lock (_states)
            {
                if (_states.Count < MaxKept) _states.Push(state);
            }
        }
    }
}
