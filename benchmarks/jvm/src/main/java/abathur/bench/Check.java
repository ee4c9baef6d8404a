package abathur.bench;

import SC2APIProtocol.Sc2Api.ResponseObservation;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.Parser;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Checks decode(encode(x)) of every frame, before anything is timed, and writes sizes and findings as JSON. */
public final class Check {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Parser<ResponseObservation> KNOWN_FIELDS = DiscardUnknownFieldsParser.wrap(ResponseObservation.parser());

    private Check() {}

    /** Arguments: folder, output, names of frames, names of codecs (with commas between). */
    public static void main(String[] args) throws IOException {
        var result = JSON.createObjectNode().put("java", System.getProperty("java.version"));
        for (String name : args[2].split(",")) {
            List<byte[]> frames = Frames.read(args[0], name);
            ObjectNode rows = result.withObject("rows").putObject(name);
            for (String codec : args[3].split(",")) {
                rows.set(codec, check(Codecs.create(codec), frames));
            }
        }
        JSON.writeValue(Path.of(args[1]).toFile(), result);
    }

    private static ObjectNode check(Codec<Object> codec, List<byte[]> frames) {
        var row = JSON.createObjectNode();
        codec.footnotes().forEach(row.withArray("footnotes")::add);
        codec.cannotCarry().forEach(row.withArray("cannot_carry")::add);
        int lost = 0;
        for (int index = 0; index < frames.size(); index++) {
            try {
                lost += check(codec, frames.get(index), row) ? 1 : 0;
            } catch (IOException | RuntimeException error) {
                // Each is a finding about the codec.
                return row.put("error", error.toString()).put("failed", index);
            }
        }
        return row.put("lost_unknown_fields", lost);
    }

    /** Checks one frame, and adds it to the row; returns whether unknown fields were lost. */
    private static boolean check(Codec<Object> codec, byte[] frame, ObjectNode row) throws IOException {
        ResponseObservation message = Frames.parse(frame);
        byte[] encoded = codec.encode(codec.prepare(message));
        Object decoded = codec.decode(encoded);
        var sums = new Sums();
        codec.touch(decoded, sums);
        byte[] actual = codec.message(decoded).toByteArray();
        boolean isLost = !Arrays.equals(message.toByteArray(), actual);
        if (isLost && !Arrays.equals(KNOWN_FIELDS.parseFrom(frame).toByteArray(), actual)) {
            throw new IOException("the message differs after decoding");
        }
        var expected = new Sums();
        new ProtobufCodec().touch(message, expected);
        if (!sums.isSame(expected)) {
            throw new IOException("reading every field gave another sum than for the message");
        }
        row.withArray("bytes").add(encoded.length);
        row.withArray("sums").addObject().put("int", sums.whole()).put("float", Double.toString(sums.real()));
        return isLost;
    }
}
