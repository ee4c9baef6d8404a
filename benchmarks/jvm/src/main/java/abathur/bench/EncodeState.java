package abathur.bench;

import java.io.IOException;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** Objects to encode: a new one for each operation, because a message that was encoded remembers its size. */
public class EncodeState extends BenchmarkState {
    Object object;
    private byte[] kept;

    @Setup(Level.Trial)
    public void start() throws IOException {
        load();
    }

    @Setup(Level.Invocation)
    public void prepare() throws IOException {
        prepare(advance());
    }

    @TearDown(Level.Trial)
    public void finish() throws IOException {
        writeAllocated("encode", this::prepare, index -> kept = codec.encode(object));
    }

    private void prepare(int index) throws IOException {
        object = codec.prepare(Frames.parse(recorded.get(index)));
    }
}
