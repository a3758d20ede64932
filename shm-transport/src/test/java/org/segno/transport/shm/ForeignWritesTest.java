package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.segno.job.JobConfig;
import org.segno.job.JobDirectory;
import org.segno.node.NodeConfig.Threading;

/**
 * Random words in the files of a running job, written by a foreign process of the same user: waits may reach their deadlines and messages
 * may get lost, but both ranks go on, no memory outside the arena changes, and each process ends by itself with status 0.
 *
 * <p>One run is repeated by {@code -Dsegno.attack.area=WINDOW_TABLE -Dsegno.attack.seed=12}; each property alone restricts the hundred
 * runs. {@code -Dsegno.attack.exclude=WINDOW_TABLE,LANES} leaves areas out, {@code -Dsegno.attack.ms} sets the length of an attack and
 * {@code -Dsegno.attack.report=true} prints the exceptions that the ranks have caught.
 */
class ForeignWritesTest {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final int END_S = 60;
    private static final long SHORT_MS = 400;
    private static final long LONG_MS = Long.getLong("segno.attack.ms", 2000);
    private static final Threading[][] THREADINGS = {
        {Threading.INVOKER, Threading.INVOKER},
        {Threading.DEDICATED, Threading.DEDICATED},
        {Threading.INVOKER, Threading.DEDICATED},
        {Threading.INVOKER, Threading.INVOKER}
    };

    private Path directory = SHARED_MEMORY;

    /**
     * An attack.
     *
     * @param area part of the files that is written to
     * @param seed of the words, and of the steps of the ranks
     */
    record Attack(String area, long seed) {
        Threading threading(int rank) {
            return THREADINGS[(int) (seed % THREADINGS.length)][rank];
        }
    }

    static Stream<Attack> fourAttacks() {
        return Stream.of(
                new Attack("OWNER", 1000),
                new Attack("PEERS", 1001),
                new Attack("WINDOWS", 1002),
                new Attack("FILE", 1003));
    }

    /** Returns one attack for each area and each pair of threadings: a hundred. */
    static Stream<Attack> hundredAttacks() {
        final List<String> excluded =
                List.of(System.getProperty("segno.attack.exclude", "").split(",", -1));
        final String area = System.getProperty("segno.attack.area");
        final Long seed = Long.getLong("segno.attack.seed");
        final List<String> areas = ForeignWriter.areas();
        final List<Attack> attacks = new ArrayList<>();
        for (int round = 0; round < THREADINGS.length; round++) {
            for (int i = 0; i < areas.size(); i++) {
                // Congruent to the round modulo the number of threadings.
                final long ownSeed = (long) THREADINGS.length * i + round;
                if (!excluded.contains(areas.get(i))
                        && (area == null || area.equals(areas.get(i)))
                        && (seed == null || (area == null ? seed == ownSeed : round == 0))) {
                    attacks.add(new Attack(areas.get(i), seed == null ? ownSeed : seed));
                }
            }
        }
        return attacks.stream();
    }

    @BeforeEach
    void createDirectory() throws IOException {
        directory = Files.createTempDirectory(SHARED_MEMORY, "foreign-writes-");
    }

    @AfterEach
    void deleteDirectory() throws IOException {
        try (Stream<Path> entries = Files.walk(directory)) {
            for (final Path path : entries.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("fourAttacks")
    void shouldEndByItselfAfterAShortAttack(Attack attack) throws InterruptedException {
        attack(attack, SHORT_MS);
    }

    @ParameterizedTest
    @MethodSource("hundredAttacks")
    @Tag("stress")
    @Timeout(600)
    void shouldEndByItselfAfterAnAttackOnEveryPart(Attack attack) throws InterruptedException {
        attack(attack, LONG_MS);
    }

    private void attack(Attack attack, long attackMs) throws InterruptedException {
        final JobConfig job = JobConfig.of("attack", 0, 2)
                .withDirectory(directory)
                .withKeep(true)
                .withJoinTimeout(Duration.ofSeconds(END_S));
        final List<String> wrong = new ArrayList<>();
        try (AttackedProcess first = start(job, 0, attack, attackMs);
                AttackedProcess second = start(job, 1, attack, attackMs)) {
            first.awaitRunning();
            second.awaitRunning();
            final Path files = JobDirectory.pathOf(job);
            final ForeignWriter writer = ForeignWriter.start(
                    List.of(files.resolve("node-0"), files.resolve("node-1")), attack.area(), attack.seed());
            try (writer) {
                wrong.addAll(first.awaitEnd(END_S));
                wrong.addAll(second.awaitEnd(END_S));
            }
            report(attack + ": " + writer, first, second);
        }
        assertThat(wrong)
                .as("repeat with -Dsegno.attack.area=%s -Dsegno.attack.seed=%d", attack.area(), attack.seed())
                .isEmpty();
    }

    private AttackedProcess start(JobConfig job, int rank, Attack attack, long attackMs) {
        return AttackedProcess.start(
                job.withRank(rank), attack.threading(rank), attack.seed() * 2 + rank, attackMs, directory);
    }

    private static void report(String title, AttackedProcess... processes) {
        if (!Boolean.getBoolean("segno.attack.report")) {
            return;
        }
        System.out.println(title);
        for (final AttackedProcess process : processes) {
            process.lines(
                            Thrown.CLEAR,
                            Thrown.UNCLEAR,
                            AttackedRank.SLOW,
                            AttackedRank.CLOSED,
                            "WARN",
                            "SEVERE",
                            "Exception")
                    .forEach(line -> System.out.println("  " + line));
        }
    }
}
