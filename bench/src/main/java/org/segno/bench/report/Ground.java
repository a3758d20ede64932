package org.segno.bench.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Machine and conditions of a run, without which its figures are meaningless.
 *
 * @param cores cores that the workers were pinned to
 * @param date date of the run, ISO
 * @param slicing description of the slices
 */
public record Ground(List<Integer> cores, String date, String slicing) {
    private static final Path CPU = Path.of("/proc/cpuinfo");
    private static final String MODEL = "model name";
    private static final String FLAGS = "flags";

    /** Copies the list. */
    public Ground {
        cores = List.copyOf(cores);
    }

    /** Returns lines for a header. */
    public List<String> describe() {
        return List.of(
                machine("segno bench", date),
                "2 processes, each pinned to its core " + cores
                        + ", one spinning thread each (DEDICATED: two that yield to each other), closed loop · "
                        + slicing,
                "one way = round trip / 2; p50 of groups of 8 round trips, p99 of single round trips (grain 5 ns);"
                        + " receivers of messages read one word of every line",
                "best of all slices; median and worst of the slices in the state named; x probe = time / cache-line"
                        + " ping-pong around it, median over near and far slices");
    }

    /** Returns one line with the machine and the date of a measurement. */
    public static String machine(String what, String date) {
        return String.format(
                Locale.ROOT,
                "%s · %s · %s · JDK %s · %d cores · %s",
                what,
                field(MODEL).strip(),
                field(FLAGS).contains(" hypervisor") ? "virtual machine" : "metal",
                Runtime.version(),
                Runtime.getRuntime().availableProcessors(),
                date);
    }

    private static String field(String name) {
        try {
            for (final String line : Files.readAllLines(CPU, StandardCharsets.ISO_8859_1)) {
                if (line.startsWith(name)) {
                    return line.substring(line.indexOf(':') + 1).stripTrailing();
                }
            }
        } catch (IOException e) {
            return "unknown processor";
        }
        return "unknown processor";
    }
}
