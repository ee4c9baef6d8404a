package abathur.bench;

import SC2APIProtocol.Sc2Api.ResponseObservation;
import com.google.protobuf.CodedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Messages in files. */
final class Frames {
    private static final String EXTENSION = ".binpb";

    private Frames() {}

    /** Messages with their lengths before them, as varints. */
    static List<byte[]> readDelimited(Path path) throws IOException {
        var frames = new ArrayList<byte[]>();
        try (var file = Files.newInputStream(path)) {
            var input = CodedInputStream.newInstance(file);
            input.setSizeLimit(Integer.MAX_VALUE);
            while (!input.isAtEnd()) {
                frames.add(input.readByteArray());
                input.resetSizeCounter();
            }
        }
        return frames;
    }

    /** Frames by the name that a benchmark's parameter has: a file of the folder, delimited. */
    static List<byte[]> read(String folder, String name) throws IOException {
        return readDelimited(Path.of(folder, name + EXTENSION));
    }

    static ResponseObservation parse(byte[] frame) throws IOException {
        return ResponseObservation.parseFrom(frame);
    }
}
