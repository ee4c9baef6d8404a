package abathur.bench;

import java.io.IOException;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

/** Encoded frames. */
public class DecodeState extends BenchmarkState {
    private byte[][] encoded;
    private Object kept;

    @Setup(Level.Trial)
    public void start() throws IOException {
        load();
        encoded = new byte[recorded.size()][];
        for (int index = 0; index < encoded.length; index++) {
            encoded[index] = codec.encode(codec.prepare(Frames.parse(recorded.get(index))));
        }
    }

    @TearDown(Level.Trial)
    public void finish(BenchmarkParams params) throws IOException {
        boolean touches = params.getBenchmark().endsWith("touch");
        writeAllocated(touches ? "decode_touch" : "decode", index -> {}, index -> {
            Object decoded = codec.decode(encoded[index]);
            if (touches) codec.touch(decoded, new Sums());
            kept = decoded;
        });
    }

    /** The next frame, encoded. */
    byte[] next() {
        return encoded[advance()];
    }
}
