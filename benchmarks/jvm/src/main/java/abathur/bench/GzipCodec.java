package abathur.bench;

import SC2APIProtocol.Sc2Api.ResponseObservation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** A row with gzip around it. */
final class GzipCodec<T> implements Codec<T> {
    /** The level of the daemon and of all rows with gzip. */
    private static final int LEVEL = 4;

    private static final int EXPECTED_BYTES = 1 << 16;
    private final Codec<T> inner;

    GzipCodec(Codec<T> inner) {
        this.inner = inner;
    }

    static byte[] compress(byte[] data) throws IOException {
        var compressed = new ByteArrayOutputStream(EXPECTED_BYTES);
        try (var stream = new LeveledStream(compressed)) {
            stream.write(data);
        }
        return compressed.toByteArray();
    }

    static byte[] decompress(byte[] data) throws IOException {
        try (var stream = new GZIPInputStream(new ByteArrayInputStream(data), EXPECTED_BYTES)) {
            return stream.readAllBytes();
        }
    }

    @Override
    public T prepare(ResponseObservation message) throws IOException {
        return inner.prepare(message);
    }

    @Override
    public byte[] encode(T object) throws IOException {
        return compress(inner.encode(object));
    }

    @Override
    public T decode(byte[] data) throws IOException {
        return inner.decode(decompress(data));
    }

    @Override
    public void touch(T decoded, Sums sums) {
        inner.touch(decoded, sums);
    }

    @Override
    public ResponseObservation message(T decoded) throws IOException {
        return inner.message(decoded);
    }

    @Override
    public List<String> footnotes() {
        var footnotes = new ArrayList<>(inner.footnotes());
        footnotes.add("gzip by java.util.zip (the JDK's zlib), level " + LEVEL + ", a new stream for each frame.");
        return footnotes;
    }

    @Override
    public List<String> cannotCarry() {
        return inner.cannotCarry();
    }

    private static final class LeveledStream extends GZIPOutputStream {
        LeveledStream(ByteArrayOutputStream out) throws IOException {
            super(out, EXPECTED_BYTES);
            def.setLevel(LEVEL);
        }
    }
}
