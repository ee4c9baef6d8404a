package abathur.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;

/**
 * The client of the comparison over HTTP: one request at a time, over one connection that stays open.
 *
 * <p>A GET is timed from the request to the object with every field read, a POST from the object to the answer of a server that has read
 * every field.
 */
public final class FrameClient {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern DURATION = Pattern.compile("dur=([0-9.E-]+)");

    // HTTP/1.1, because the JDK's server has no other version.
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Map<String, Codec<Object>> codecs = new HashMap<>();
    private final String address;
    private final List<byte[]> frames;

    private FrameClient(String address, List<byte[]> frames) {
        this.address = address;
        this.frames = frames;
        for (HttpVariant each : HttpVariant.all()) codecs.computeIfAbsent(each.codec(), Codecs::create);
    }

    /** Arguments: folder of the frames, their name, the server's address, output, rounds, seed, warm-up in ms. */
    public static void main(String[] args) throws IOException, InterruptedException {
        var client = new FrameClient(args[2], Frames.read(args[0], args[1]));
        ObjectNode result = client.run(Integer.parseInt(args[4]), Long.parseLong(args[5]), Long.parseLong(args[6]));
        JSON.writeValue(Path.of(args[3]).toFile(), result);
    }

    /** Sums as the text that a server answers with. */
    static String text(Sums sums) {
        return sums.whole() + " " + sums.real();
    }

    private ObjectNode run(int rounds, long seed, long warmUpMs) throws IOException, InterruptedException {
        var variants = new ArrayList<>(HttpVariant.all());
        for (HttpVariant each : variants) {
            long end = System.nanoTime() + warmUpMs * 1_000_000;
            for (int index = 0; index == 0 || System.nanoTime() < end; index++) take(each, index % frames.size());
        }
        var random = new Random(seed);
        var result = JSON.createObjectNode();
        for (HttpVariant each : variants) result.putObject(each.name());
        for (int round = 0; round < rounds; round++) {
            Collections.shuffle(variants, random);
            for (HttpVariant each : variants) addRound(each, result.withObject(each.name()));
        }
        return result;
    }

    private void addRound(HttpVariant variant, ObjectNode row) throws IOException, InterruptedException {
        ArrayNode total = row.withArray("total").addArray();
        ArrayNode codec = row.withArray("server_codec").addArray();
        ArrayNode gzip = row.withArray("server_gzip").addArray();
        ArrayNode bytes = row.putArray("bytes");
        for (int index = 0; index < frames.size(); index++) {
            Taken taken = take(variant, index);
            total.add(taken.totalNs);
            codec.add(taken.codecNs);
            gzip.add(taken.gzipNs);
            bytes.add(taken.bytes);
        }
    }

    private Taken take(HttpVariant variant, int index) throws IOException, InterruptedException {
        return variant.isPost() ? post(variant, index) : get(variant, index);
    }

    private Taken get(HttpVariant variant, int index) throws IOException, InterruptedException {
        Codec<Object> codec = codecs.get(variant.codec());
        send(request("/prepare/" + variant.codec() + "/" + index).build());
        var request = request("/frame/" + variant.codec()).header("Accept", variant.contentType());
        if (variant.isCompressed()) request.header("Accept-Encoding", "gzip");
        var get = request.build();
        var sums = new Sums();
        long start = System.nanoTime();
        HttpResponse<byte[]> response = send(get);
        byte[] body = response.body();
        boolean isCompressed = response.headers().firstValue("Content-Encoding").isPresent();
        codec.touch(codec.decode(isCompressed ? GzipCodec.decompress(body) : body), sums);
        long total = System.nanoTime() - start;
        check(variant, index, text(sums));
        return taken(total, response, body.length);
    }

    private Taken post(HttpVariant variant, int index) throws IOException, InterruptedException {
        Codec<Object> codec = codecs.get(variant.codec());
        Object object = codec.prepare(Frames.parse(frames.get(index)));
        var request = request("/frame/" + variant.codec()).header("Content-Type", variant.contentType());
        if (variant.isCompressed()) request.header("Content-Encoding", "gzip");
        long start = System.nanoTime();
        byte[] body = codec.encode(object);
        if (variant.isCompressed()) body = GzipCodec.compress(body);
        HttpResponse<byte[]> response = send(request.POST(BodyPublishers.ofByteArray(body)).build());
        long total = System.nanoTime() - start;
        check(variant, index, new String(response.body(), StandardCharsets.UTF_8));
        return taken(total, response, body.length);
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(address + path));
    }

    private HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<byte[]> response = client.send(request, BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) throw new IOException(request + " was answered with " + response.statusCode());
        return response;
    }

    /** Compares the sums of a frame that was moved with those of the recorded one. */
    private void check(HttpVariant variant, int index, String sums) throws IOException {
        var expected = new Sums();
        new ProtobufCodec().touch(Frames.parse(frames.get(index)), expected);
        if (!sums.equals(text(expected))) throw new IOException(variant.name() + ", frame " + index + ": another content");
    }

    private static Taken taken(long total, HttpResponse<byte[]> response, int bytes) {
        var durations = DURATION.matcher(response.headers().firstValue("Server-Timing").orElseThrow());
        double[] ns = durations.results().mapToDouble(each -> Double.parseDouble(each.group(1)) * 1e6).toArray();
        return new Taken(total, ns[0], ns[1], bytes);
    }

    /** One request: nanoseconds in all, of the server's codec and of its gzip; bytes of the body. */
    private record Taken(long totalNs, double codecNs, double gzipNs, int bytes) {}
}
