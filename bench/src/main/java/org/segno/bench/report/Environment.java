package org.segno.bench.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import org.segno.tools.command.Version;
import org.segno.tools.output.Report;

/** Machine and program of a measurement, without which its figures are meaningless. */
public final class Environment {
    private static final Path CPU = Path.of("/proc/cpuinfo");
    private static final String MODEL = "model name";
    private static final String FLAGS = "flags";
    private static final Path CACHES = Path.of("/sys/devices/system/cpu/cpu0/cache");
    private static final Path MEMORY = Path.of("/proc/meminfo");
    private static final String MEMORY_SIZE = "MemTotal";

    private Environment() {}

    /**
     * Creates the report of a measurement. Its fields describe the environment, its title is a header for people.
     *
     * @param schema name and version of the report's structure
     * @param command command that measures
     * @param jvmOptions options of the JVMs that are measured
     * @param conditions further lines of the header
     */
    public static Report report(String schema, String command, List<String> jvmOptions, List<String> conditions) {
        final StringBuilder title = new StringBuilder("# ").append(describe(command));
        conditions.forEach(line -> title.append("\n# ").append(line));
        return new Report(schema, title.toString())
                .put("version", Version.number())
                .put("commit", Version.commit())
                .put("jdk", Runtime.version().toString())
                .put("jvmOptions", String.join(" ", jvmOptions))
                .put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"))
                .put("cpu", cpu())
                .put("virtual", isVirtual())
                .put("cores", Runtime.getRuntime().availableProcessors())
                .put("caches", caches())
                .put("memory", field(MEMORY, MEMORY_SIZE).strip())
                .put("date", date());
    }

    private static String describe(String command) {
        return String.format(
                Locale.ROOT,
                "%s · %s · %s · JDK %s · %d cores · %s",
                command,
                cpu(),
                isVirtual() ? "virtual machine" : "metal",
                Runtime.version(),
                Runtime.getRuntime().availableProcessors(),
                date());
    }

    private static String cpu() {
        return field(CPU, MODEL).strip();
    }

    private static boolean isVirtual() {
        return field(CPU, FLAGS).contains(" hypervisor");
    }

    /** Returns the date on which this process started. */
    private static String date() {
        return ProcessHandle.current()
                .info()
                .startInstant()
                .map(start -> LocalDate.ofInstant(start, ZoneId.systemDefault()).toString())
                .orElse("date unknown");
    }

    /**
     * Returns the sizes of the first core's caches, from the nearest, or an empty text if Linux does not report them.
     */
    private static String caches() {
        final StringJoiner sizes = new StringJoiner(" ");
        for (int index = 0; Files.exists(CACHES.resolve("index" + index)); index++) {
            try {
                sizes.add(Files.readString(CACHES.resolve("index" + index).resolve("size"))
                        .strip());
            } catch (IOException e) {
                sizes.add("unknown");
            }
        }
        return sizes.toString();
    }

    private static String field(Path file, String name) {
        try {
            for (final String line : Files.readAllLines(file, StandardCharsets.ISO_8859_1)) {
                if (line.startsWith(name)) {
                    return line.substring(line.indexOf(':') + 1).stripTrailing();
                }
            }
        } catch (IOException e) {
            return "unknown";
        }
        return "unknown";
    }
}
