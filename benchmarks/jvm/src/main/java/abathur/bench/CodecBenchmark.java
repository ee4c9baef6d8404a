package abathur.bench;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/** The operations of a codec. One operation takes one frame, the next one in turn. */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CodecBenchmark {
    @Benchmark
    public byte[] encode(EncodeState state) throws IOException {
        return state.codec.encode(state.object);
    }

    @Benchmark
    public Object decode(DecodeState state) throws IOException {
        return state.codec.decode(state.next());
    }

    @Benchmark
    public Sums decode_touch(DecodeState state) throws IOException {
        var sums = new Sums();
        state.codec.touch(state.codec.decode(state.next()), sums);
        return sums;
    }
}
