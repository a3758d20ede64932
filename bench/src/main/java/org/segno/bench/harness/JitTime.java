package org.segno.bench.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Time that the JIT compilers of this process have taken. The JVM reports a compilation when it has ended; Linux
 * reports the time of its threads at once.
 */
final class JitTime {
    private static final Path THREADS = Path.of("/proc/self/task");

    /** Part of the names of the compilers' threads, of which Linux keeps 15 bytes. */
    private static final String NAME = "CompilerThre";

    private JitTime() {}

    /** Returns the time so far as both report it, in ms: it increases by up to twice the time that was taken. */
    static long takenMs() {
        final CompilationMXBean compilation = ManagementFactory.getCompilationMXBean();
        final long reportedMs = compilation == null ? 0 : compilation.getTotalCompilationTime();
        return reportedMs + TimeUnit.NANOSECONDS.toMillis(threadsNs());
    }

    private static long threadsNs() {
        long sumNs = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
            for (final Path thread : threads) {
                sumNs += isCompiler(thread) ? ranNs(thread) : 0;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the time of the JIT compilers is unknown", e);
        }
        return sumNs;
    }

    private static boolean isCompiler(Path thread) throws IOException {
        try {
            return Files.readString(thread.resolve("comm")).contains(NAME);
        } catch (NoSuchFileException e) {
            // It has ended since.
            return false;
        }
    }

    /** Returns the time on a core, or zero if Linux does not report it. */
    private static long ranNs(Path thread) throws IOException {
        try {
            return Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ", -1)[0]);
        } catch (NoSuchFileException e) {
            return 0;
        }
    }
}
