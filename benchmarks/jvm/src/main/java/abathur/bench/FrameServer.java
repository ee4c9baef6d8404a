package abathur.bench;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;

/**
 * The server of the comparison over HTTP; ends with its standard input.
 *
 * <p>GET /prepare/CODEC/FRAME makes the object that the next GET /frame/CODEC sends: that is not timed. POST /frame/CODEC takes a frame
 * and answers with the sums over its fields. `Server-Timing` has the milliseconds that encoding, or decoding and reading, have taken,
 * with gzip apart.
 */
public final class FrameServer {
    private final Map<String, Codec<Object>> codecs = new HashMap<>();
    private final List<byte[]> frames;
    private Object prepared;

    private FrameServer(List<byte[]> frames) {
        this.frames = frames;
        for (HttpVariant each : HttpVariant.all()) codecs.computeIfAbsent(each.codec(), Codecs::create);
    }

    /** Arguments: folder of the frames, their name. Prints `ready PORT`. */
    public static void main(String[] args) throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", new FrameServer(Frames.read(args[0], args[1]))::handle);
        server.setExecutor(Executors.newSingleThreadExecutor());
        server.start();
        System.out.println("ready " + server.getAddress().getPort());
        while (System.in.read() >= 0) {
            // Nothing is read; the end of the input ends the server.
        }
        System.exit(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String[] path = exchange.getRequestURI().getPath().split("/");
            Codec<Object> codec = codecs.get(path[2]);
            if (path[1].equals("prepare")) {
                prepared = codec.prepare(Frames.parse(frames.get(Integer.parseInt(path[3]))));
                answer(exchange, new byte[0]);
            } else if (exchange.getRequestMethod().equals("POST")) {
                answer(exchange, take(exchange, codec));
            } else {
                answer(exchange, give(exchange, codec));
            }
        }
    }

    private byte[] give(HttpExchange exchange, Codec<Object> codec) throws IOException {
        long start = System.nanoTime();
        byte[] body = codec.encode(prepared);
        long encoded = System.nanoTime();
        boolean isCompressed = "gzip".equals(exchange.getRequestHeaders().getFirst("Accept-Encoding"));
        if (isCompressed) {
            body = GzipCodec.compress(body);
            exchange.getResponseHeaders().set("Content-Encoding", "gzip");
        }
        setTiming(exchange, encoded - start, System.nanoTime() - encoded);
        return body;
    }

    private byte[] take(HttpExchange exchange, Codec<Object> codec) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        boolean isCompressed = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
        long start = System.nanoTime();
        if (isCompressed) body = GzipCodec.decompress(body);
        long decompressed = System.nanoTime();
        var sums = new Sums();
        codec.touch(codec.decode(body), sums);
        setTiming(exchange, System.nanoTime() - decompressed, decompressed - start);
        return FrameClient.text(sums).getBytes(StandardCharsets.UTF_8);
    }

    private static void setTiming(HttpExchange exchange, long codec, long gzip) {
        exchange.getResponseHeaders().set("Server-Timing", "codec;dur=" + codec / 1e6 + ", gzip;dur=" + gzip / 1e6);
    }

    private static void answer(HttpExchange exchange, byte[] body) throws IOException {
        exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
        if (body.length > 0) exchange.getResponseBody().write(body);
    }
}
