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
 * Random words in the files of a running job, written by a foreign process of the same user: waits may reach their deadlines and messages
 * may get lost, but both ranks go on, no memory outside the arena changes, and each process ends by itself with status 0.
 *
 * <p>One run is repeated by {@code -Dsegno.attack.area=WINDOW_TABLE -Dsegno.attack.seed=12}; each property alone restricts the hundred
 * runs. {@code -Dsegno.attack.exclude=WINDOW_TABLE,LANES} leaves areas out, {@code -Dsegno.attack.ms} sets the length of an attack and
 * {@code -Dsegno.attack.report=true} prints the exceptions that the ranks have caught.
 */
class ForeignWritesTest {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final long SHORT_MS = 1500;
    private static final long LONG_MS = Long.getLong("segno.attack.ms", 4000);

    private Path directory = SHARED_MEMORY;

    /** Returns the areas that the properties leave. */
    static Stream<String> areas() {
        final List<String> excluded =
                List.of(System.getProperty("segno.attack.exclude", "").split(",", -1));
        final String area = System.getProperty("segno.attack.area");
        return ForeignWriter.areas().stream()
                .filter(each -> !excluded.contains(each) && (area == null || area.equals(each)));
    }

    /** Returns one attack for each pair of threadings, or the one with the seed of the property. */
    private static List<Attack> attacks(String area) {
        final Long seed = Long.getLong("segno.attack.seed");
        if (seed != null) {
            return List.of(new Attack(area, seed));
        }
        final long first = (long) Attack.THREADINGS * ForeignWriter.areas().indexOf(area);
        return LongStream.range(first, first + Attack.THREADINGS)
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
    void shouldEndByItselfAfterShortAttacks() throws Exception {
        attack(
                List.of(
                        new Attack("OWNER", 1000),
                        new Attack("PEERS", 1001),
                        new Attack("WINDOWS", 1002),
                        new Attack("FILE", 1003)),
                SHORT_MS);
    }

    /** A hundred attacks, four on each area, two at a time. */
    @ParameterizedTest
    @MethodSource("areas")
    @Tag("stress")
    @Timeout(600)
    void shouldEndByItselfAfterAttacksOnEveryArea(String area) throws Exception {
        final List<Attack> attacks = attacks(area);
        for (int i = 0; i < attacks.size(); i += 2) {
            attack(attacks.subList(i, Math.min(i + 2, attacks.size())), LONG_MS);
        }
    }

    /** Runs one job for each attack, all at once. */
    private void attack(List<Attack> attacks, long attackMs) throws Exception {
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
        assertThat(wrong).isEmpty();
    }
}
