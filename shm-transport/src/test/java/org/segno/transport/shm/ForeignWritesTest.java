package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random words in the files of a running job, written by a foreign process of the same user: waits may reach their
 * deadlines and messages may get lost, but both ranks go on, no memory outside the arena changes, and each process ends
 * by itself with status 0.
 *
 * <p>A failure prints the two properties that repeat its run, for example {@code -Dsegno.attack.area=WINDOW_TABLE
 * -Dsegno.attack.seed=12000}; the words are the same then, the interleaving is not. {@code
 * -Dsegno.attack.exclude=WINDOW_TABLE,LANES} leaves areas out, {@code -Dsegno.attack.rounds} sets the runs for each
 * area, {@code -Dsegno.attack.ms} the length of an attack, and {@code -Dsegno.attack.report=true} prints the output of
 * the ranks with the exceptions that they have caught.
 */
class ForeignWritesTest {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final long SEEDS_PER_AREA = 1000;
    private static final int ROUNDS = Integer.getInteger("segno.attack.rounds", Attack.THREADINGS);
    private static final long SHORT_MS = 1500;
    private static final long LONG_MS = Long.getLong("segno.attack.ms", 4000);

    private Path directory = SHARED_MEMORY;

    /** Returns the areas that the properties select. */
    static Stream<String> areas() {
        final List<String> excluded = names("segno.attack.exclude");
        final List<String> wanted = names("segno.attack.area");
        return ForeignWriter.areas().stream()
                .filter(each -> !excluded.contains(each) && (wanted.isEmpty() || wanted.contains(each)));
    }

    private static List<String> names(String property) {
        final String names = System.getProperty(property, "");
        return names.isEmpty() ? List.of() : List.of(names.split(",", -1));
    }

    /** Returns attacks on an area with consecutive seeds, or the one with the seed of the property. */
    private static List<Attack> attacks(String area) {
        final Long seed = Long.getLong("segno.attack.seed");
        if (seed != null) {
            return List.of(new Attack(area, seed));
        }
        final long first = SEEDS_PER_AREA * ForeignWriter.areas().indexOf(area);
        return LongStream.range(first, first + ROUNDS)
                .mapToObj(each -> new Attack(area, each))
                .toList();
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

    @Test
    @Tag("long")
    void shouldEndByItselfAfterShortAttacks() throws Exception {
        final List<String> wrong = attack(
                List.of(
                        new Attack("OWNER", 1000),
                        new Attack("PEERS", 1001),
                        new Attack("WINDOWS", 1002),
                        new Attack("FILE", 1003)),
                SHORT_MS);
        assertThat(String.join("\n", wrong)).isEmpty();
    }

    /** A hundred attacks, four on each area, two at a time. */
    @ParameterizedTest
    @MethodSource("areas")
    @Tag("stress")
    @Timeout(600)
    void shouldEndByItselfAfterAttacksOnEveryArea(String area) throws Exception {
        final List<Attack> attacks = attacks(area);
        final List<String> wrong = new ArrayList<>();
        for (int i = 0; i < attacks.size(); i += 2) {
            wrong.addAll(attack(attacks.subList(i, Math.min(i + 2, attacks.size())), LONG_MS));
        }
        assertThat(String.join("\n", wrong)).isEmpty();
    }

    /** Runs one job for each attack, all concurrently; returns their failures. */
    private List<String> attack(List<Attack> attacks, long attackMs) throws Exception {
        final List<AttackedJob> jobs = new ArrayList<>();
        final List<String> wrong = new ArrayList<>();
        try {
            for (final Attack attack : attacks) {
                jobs.add(AttackedJob.start(
                        attack, Files.createDirectory(directory.resolve("" + attack.seed())), attackMs));
            }
            for (final AttackedJob job : jobs) {
                job.attack();
            }
            for (final AttackedJob job : jobs) {
                wrong.addAll(job.awaitEnd());
            }
        } finally {
            jobs.forEach(AttackedJob::close);
        }
        return wrong;
    }
}
