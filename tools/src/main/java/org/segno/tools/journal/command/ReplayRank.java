package org.segno.tools.journal.command;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.demo.rank.RankProgram;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.RankMain;
import org.segno.tools.command.ExitCode;
import org.segno.tools.journal.Journal;
import org.segno.tools.journal.JournalRecord;
import org.segno.tools.journal.PatternSections.Section;
import org.segno.tools.journal.RecordKind;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Main class of each rank of a replayed journal. */
@Command(name = "replay-rank", description = "One rank of 'segno journal replay'.")
public final class ReplayRank implements Callable<Integer>, RankMain {
    /** Ranks may end their parts of a journal at very different times. The death of one ends every wait. */
    private static final long LIMIT_NS = TimeUnit.HOURS.toNanos(24);

    private static final int DIGITS = 3;
    private static final double MEDIAN = 50;
    private static final double NS_PER_US = 1e3;
    private static final double PERCENT = 100;

    @Parameters
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path directory;

    @Option(names = "--speed")
    private double speed;

    @Option(names = "--pattern")
    private @Nullable String wanted;

    @Option(names = "--times")
    private int times;

    @Option(names = "--verify")
    private boolean verify;

    /** The job of a rank that is a thread; null for a process. */
    private @Nullable JobConfig threadJob;

    /** The present pattern of each context and index, in the order of their first rounds. */
    private final Map<Long, ReplayedPattern> patterns = new LinkedHashMap<>();

    private final RecordedPayloads payloads = new RecordedPayloads();
    private final List<String> rows = new ArrayList<>();
    private long rounds;
    private long descriptors;

    /** Descriptors and rounds of the recorded rank that the journal lacks, rounds of an unknown section among them. */
    private long missing;

    /** Bytes of payloads that the journal lacks, and that the replay has made. */
    private long missingBytes;

    private ReplayRank() {}

    /** Runs one rank and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(RankProgram.execute(new ReplayRank(), arguments));
    }

    @Override
    public void run(JobConfig job, String[] arguments) {
        threadJob = job;
        RankProgram.executeAsThread(this, arguments);
    }

    @Override
    public Integer call() {
        final JobConfig thread = threadJob;
        final JobConfig job = thread == null ? JobConfig.fromEnvironment() : thread;
        final ReplaySizes sizes = ReplaySizes.of(directory);
        final NodeConfig config = sizes.fit(NodeConfig.defaults(), job.size())
                .withWindowBytes(ReplayTraffic.windowBytes(job.size(), sizes));
        try (Node node = RankProgram.join(job, config)) {
            final ReplayTraffic traffic = new ReplayTraffic(node, sizes, verify, LIMIT_NS);
            final long startNs = System.nanoTime();
            replay(node.rank(), traffic);
            final long endNs = System.nanoTime();
            final int wrong = verify ? traffic.verify() : 0;
            patterns.values().forEach(pattern -> measure(pattern, traffic));
            print(node, traffic, endNs - startNs, wrong);
            return wrong == 0 ? ExitCode.DONE : ExitCode.NEGATIVE_RESULT;
        }
    }

    /** Repeats the records of a rank, up to a damaged one, which the command has reported. */
    private void replay(int rank, ReplayTraffic traffic) {
        final Context context = traffic.context();
        try (Journal journal = JournalFile.open(directory, number -> number == rank)) {
            final long referenceNs = System.nanoTime();
            for (JournalRecord record = JournalFile.next(journal); record != null; record = JournalFile.next(journal)) {
                if (speed > 0) {
                    final long dueNs = (long) ((record.timeNs() - journal.startNs()) / speed);
                    await(context, () -> System.nanoTime() - referenceNs >= dueNs);
                }
                repeat(record, traffic);
                context.advance();
            }
            await(context, context::isDrained);
        }
    }

    private static void await(Context context, BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (context.advance() == 0) {
                YieldingIdleStrategy.INSTANCE.idle();
            }
        }
    }

    private void repeat(JournalRecord record, ReplayTraffic traffic) {
        if (record.kind() == RecordKind.PAYLOAD) {
            payloads.add(record);
        } else if (record.kind() == RecordKind.DESCRIPTORS) {
            for (int i = 0; i < record.descriptors(); i++) {
                final RecordedContent content = payloads.take(record, record.position() + i);
                if (wanted == null) {
                    traffic.inject(new RecordedOperation(record.words(i)), content);
                    descriptors++;
                }
            }
        } else if (record.kind() == RecordKind.ROUND && !record.isRecording()) {
            repeatRound(record, traffic);
        } else if (record.kind() == RecordKind.LOST) {
            missing += record.lostDescriptors() + record.lostRounds();
            missingBytes += record.lostBytes();
        }
    }

    private void repeatRound(JournalRecord record, ReplayTraffic traffic) {
        final Section section = record.section();
        if (section == null) {
            missing++;
            return;
        }
        final List<RecordedContent> contents = new ArrayList<>();
        for (int i = 0; i < section.descriptors().size(); i++) {
            contents.add(payloads.take(record, i));
        }
        if (wanted == null || section.name().equals(wanted)) {
            traffic.round(pattern(record, section, traffic), contents);
            rounds++;
        }
    }

    /**
     * Returns the pattern of a section, which is prepared at its first round. If another section had this index before,
     * its pattern is closed.
     */
    private ReplayedPattern pattern(JournalRecord record, Section section, ReplayTraffic traffic) {
        final long key = (long) record.context() << Integer.SIZE | record.patternIndex();
        final ReplayedPattern known = patterns.get(key);
        if (known != null && known.section().equals(section)) {
            return known;
        }
        if (known != null) {
            await(traffic.context(), known.pattern()::isComplete);
            known.pattern().close();
        }
        final ReplayedPattern made = traffic.prepare(section);
        patterns.put(key, made);
        return made;
    }

    /** Measures a pattern: rounds that are replayed and the same operations injected one by one, by turns. */
    private void measure(ReplayedPattern pattern, ReplayTraffic traffic) {
        final Section section = pattern.section();
        final Context context = traffic.context();
        final Histogram replayed = new Histogram(DIGITS);
        final Histogram injected = new Histogram(DIGITS);
        for (int i = 0; i < times; i++) {
            final long startNs = System.nanoTime();
            traffic.replay(pattern);
            await(context, context::isDrained);
            final long middleNs = System.nanoTime();
            pattern.operations().forEach(traffic::injectUncounted);
            await(context, context::isDrained);
            replayed.recordValue(middleNs - startNs);
            injected.recordValue(System.nanoTime() - middleNs);
        }
        if (times > 0) {
            final double replay = replayed.getValueAtPercentile(MEDIAN) / NS_PER_US;
            final double inject = injected.getValueAtPercentile(MEDIAN) / NS_PER_US;
            rows.add(String.format(
                    Locale.ROOT,
                    "%-9s %,11d %,11d %9.2f us %9.2f us %6.0f %%",
                    section.name(),
                    section.descriptors().size(),
                    section.bytes(),
                    inject,
                    replay,
                    (inject - replay) / inject * PERCENT));
        }
    }

    /** Prints the results of each rank in turn. */
    private void print(Node node, ReplayTraffic traffic, long tookNs, int wrong) {
        for (int rank = 0; rank < node.size(); rank++) {
            if (rank == node.rank()) {
                final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
                if (rank == 0) {
                    out.println("rank  pattern   descriptors       bytes   inject anew       replay   saved");
                }
                for (final String row : rows) {
                    out.println(String.format(Locale.ROOT, "%4d  %s", rank, row));
                }
                out.println(String.format(
                        Locale.ROOT,
                        "%4d  %,d descriptors and %,d rounds in %.3f s, %,d local ones omitted%s%s",
                        rank,
                        descriptors,
                        rounds,
                        tookNs / 1e9,
                        traffic.omitted(),
                        missing == 0 && missingBytes == 0
                                ? ""
                                : String.format(
                                        Locale.ROOT,
                                        ", %,d and %,d bytes of payloads missing in the journal",
                                        missing,
                                        missingBytes),
                        verify ? (wrong == 0 ? ", verified" : ", DIVERGED: " + wrong + " differences") : ""));
            }
            traffic.context().barrier(traffic.deadline());
        }
    }
}
