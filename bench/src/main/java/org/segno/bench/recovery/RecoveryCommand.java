package org.segno.bench.recovery;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.segno.bench.report.Environment;
import org.segno.tools.output.Format;
import org.segno.tools.output.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code bench recovery} command. It loses datagrams that no other follows, and measures until they arrive. */
@Command(
        name = "recovery",
        mixinStandardHelpOptions = true,
        description = {
            "Sends messages of 64 bytes one by one through a network that drops the datagram of each, and measures the"
                    + " time from right before a message is sent until the repeated one has arrived: over a link, then"
                    + " over bare Aeron with its default settings. Takes about half a minute."
        })
public final class RecoveryCommand implements Callable<Integer> {
    private static final String SCHEMA = "segno-bench-recovery-1";
    private static final int LIMIT_EXCEEDED = 1;
    private static final int UNFIT = 3;
    private static final int WARM_UP_MESSAGES = 20_000;
    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);
    private static final double NS_PER_MS = 1e6;
    private static final double MEDIAN = 50;
    private static final double HIGH = 99;
    private static final int DIGITS = 3;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--losses", paramLabel = "N", description = "Lost messages over a link. Default: 1000.")
    private int losses = 1_000;

    @Option(
            names = "--bare-losses",
            paramLabel = "N",
            description = "Lost messages over bare Aeron, 0.1 s each. Default: 100.")
    private int bareLosses = 100;

    @Option(
            names = "--limit-ms",
            paramLabel = "MS",
            description = "Exit code 1 if p99 over a link is higher. Default: 5.")
    private double limitMs = 5;

    @Option(names = "--format", paramLabel = "F", description = "table, csv, json or ndjson. Default: table.")
    private Format format = Format.TABLE;

    /** Opener of a connection with files in a directory. */
    @FunctionalInterface
    private interface Opener {
        LossyConnection open(Path directory) throws IOException;
    }

    @Override
    public Integer call() {
        if (losses < 1 || bareLosses < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--losses and --bare-losses must be 1 or more: " + losses + ", " + bareLosses);
        }
        try {
            final Histogram link = measure(LossyConnection::link, losses);
            return report(link, measure(LossyConnection::bareAeron, bareLosses));
        } catch (IOException e) {
            spec.commandLine().getErr().println("bench: " + e.getMessage());
            return UNFIT;
        }
    }

    private static Histogram measure(Opener opener, int losses) throws IOException {
        final Path memory = Path.of("/dev/shm");
        final Path directory = Files.isWritable(memory)
                ? Files.createTempDirectory(memory, "segno-recovery-")
                : Files.createTempDirectory("segno-recovery-");
        final Histogram timesNs = new Histogram(DIGITS);
        try (LossyConnection connection = opener.open(directory)) {
            for (int i = 0; i < WARM_UP_MESSAGES; i++) {
                passOn(connection, false);
            }
            for (int i = 0; i < losses; i++) {
                rest(connection);
                timesNs.recordValue(passOn(connection, true));
            }
        }
        Files.delete(directory);
        return timesNs;
    }

    /** Sends a message and returns the time until it has arrived. Its first datagram is lost on request. */
    private static long passOn(LossyConnection connection, boolean isLost) throws IOException {
        final long expected = connection.received() + 1;
        if (isLost) {
            connection.network().loseNext();
        }
        final long beginNs = System.nanoTime();
        connection.send();
        while (connection.received() < expected) {
            connection.run();
            if (System.nanoTime() - beginNs > PATIENCE_NS) {
                throw new IOException("a message did not arrive within 20 s");
            }
        }
        final long tookNs = System.nanoTime() - beginNs;
        if (!connection.network().hasLost()) {
            throw new IOException("a message arrived whose datagram was to be lost");
        }
        return tookNs;
    }

    /** Runs the connection until the sender knows that all has arrived. It repeats nothing then. */
    private static void rest(LossyConnection connection) {
        final long beginNs = System.nanoTime();
        while (System.nanoTime() - beginNs < QUIET_NS) {
            connection.run();
        }
    }

    private int report(Histogram link, Histogram bare) {
        final Table table = Table.of("losses", "connection", "losses", "p50", "p99", "max", "unit", "limit")
                .numbers(value -> String.format(Locale.ROOT, "%.3f", value));
        add(table, "link over Aeron", link, limitMs);
        add(table, "bare Aeron", bare, Double.NaN);
        final boolean isHeld = link.getValueAtPercentile(HIGH) / NS_PER_MS <= limitMs;
        Environment.report(
                        SCHEMA,
                        "segno bench recovery",
                        List.of(),
                        List.of(
                                "one thread runs both ends, both drivers and the network between them, loopback"
                                        + " interface, MTU 1408",
                                "ms from right before a message of 64 bytes until it has arrived, the datagram of each"
                                        + " is lost once and none follows"))
                .put("held", isHeld)
                .add(table)
                .note(String.format(
                        Locale.ROOT, "limit %.1f ms for p99 over a link: %s", limitMs, isHeld ? "held" : "exceeded"))
                .print(spec.commandLine().getOut(), format);
        return isHeld ? 0 : LIMIT_EXCEEDED;
    }

    private static void add(Table table, String connection, Histogram timesNs, double limit) {
        table.row(
                connection,
                timesNs.getTotalCount(),
                timesNs.getValueAtPercentile(MEDIAN) / NS_PER_MS,
                timesNs.getValueAtPercentile(HIGH) / NS_PER_MS,
                timesNs.getMaxValue() / NS_PER_MS,
                "ms",
                limit);
    }
}
