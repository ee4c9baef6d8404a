package abathur.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the classpath that Maven has made, one entry a line, so that benchmarks start without Maven. */
public final class WriteClasspath {
    private WriteClasspath() {}

    public static void main(String[] args) throws IOException {
        String[] entries = System.getProperty("java.class.path").split(System.getProperty("path.separator"));
        Files.writeString(Path.of(args[0]), String.join("\n", entries));
    }
}
