package abathur.bench;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** What both states have: a codec and its frames, which the driver has written to a folder. */
@State(Scope.Thread)
public abstract class BenchmarkState {
    /** Names the folder. It is no argument, because arguments of a forked JVM are split at spaces. */
    static final String FOLDER = "ABATHUR_BENCH_FOLDER";

    @Param("protobuf")
    public String name;

    /** The recording, or a level. */
    @Param("")
    public String frames;

    Codec<Object> codec;
    List<byte[]> recorded;
    private int position;

    void load() throws IOException {
        codec = Codecs.create(name);
        recorded = Frames.read(System.getenv(FOLDER), frames);
    }

    /** The index of the next frame. */
    int advance() {
        int index = position;
        position = index + 1 == recorded.size() ? 0 : index + 1;
        return index;
    }

    /** One operation on a frame. */
    interface Operation {
        void run(int index) throws IOException;
    }

    /** Appends the bytes that an operation allocates for a frame, as a mean over all frames. Its code is compiled by then. */
    void writeAllocated(String operation, Operation prepare, Operation run) throws IOException {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = 0;
        for (int index = 0; index < recorded.size(); index++) {
            prepare.run(index);
            long before = threads.getCurrentThreadAllocatedBytes();
            run.run(index);
            allocated += threads.getCurrentThreadAllocatedBytes() - before;
        }
        String line = String.join("\t", name, frames, operation, Double.toString((double) allocated / recorded.size())) + "\n";
        Files.writeString(Path.of(System.getenv(FOLDER), "allocated.tsv"), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
