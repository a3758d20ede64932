package org.segno.simulator;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.segno.simulator.SeededDefect.Finding;

/** Seeds defects into the engine, and shows that simulations find each of them. */
@Timeout(600)
class CanaryTest {
    private static final Path DOCUMENT = Path.of("docs", "CANARIES.md");

    /** Seeds within which a defect is found. */
    private static final int SEEDS = 400;

    /** Seeds within which those of the quick test are found, and in which engines without a defect are simulated. */
    private static final int FEW_SEEDS = 20;

    /** Engines with defects log what they refuse. */
    private static final Logger LOGGER = Logger.getLogger("org.segno");

    @BeforeAll
    static void silence() {
        LOGGER.setLevel(Level.OFF);
    }

    @AfterAll
    static void restore() {
        LOGGER.setLevel(null);
    }

    @Test
    @Tag("long")
    void shouldFindDefectsOfEachPartOfTheEngine() {
        final Map<Canary, Finding> found = new LinkedHashMap<>();
        Canaries.quick()
                .forEach(canary -> found.put(canary, SeededDefect.in(canary).find(FEW_SEEDS)));
        assertThat(found.values()).as(table(found)).doesNotContain(Finding.NONE);
    }

    @Test
    void shouldFindNothingInClassesWithoutADefect() {
        final Canary any = Canaries.all().get(0);
        assertThat(SeededDefect.without(any).find(FEW_SEEDS)).isEqualTo(Finding.NONE);
    }

    @Test
    void shouldFindEveryTextOnce() {
        assertThat(Canaries.all())
                .hasSizeGreaterThanOrEqualTo(25)
                .allSatisfy(canary -> assertThat(canary.changedSource()).isNotEqualTo(canary.originalSource()));
    }

    @Test
    void shouldListEveryDefectInTheDocument() throws IOException {
        final String document = Files.readString(DOCUMENT);
        assertThat(Canaries.all())
                .allSatisfy(canary -> assertThat(document).contains(SeededDefect.beginningOfRow(canary)));
    }

    /** Prints the table of the document. */
    @Tag("stress")
    @Test
    void shouldFindEveryDefect() {
        final Map<Canary, Finding> found = new LinkedHashMap<>();
        Canaries.all()
                .forEach(canary -> found.put(canary, SeededDefect.in(canary).find(SEEDS)));
        System.out.println(table(found));
        assertThat(found.values()).as(table(found)).doesNotContain(Finding.NONE);
    }

    /** Every class of which a canary changes the source, compiled in the same way without the change. */
    @Tag("stress")
    @Test
    void shouldFindNothingInAnyClassWithoutADefect() {
        final Map<String, Canary> one = new LinkedHashMap<>();
        Canaries.all().forEach(canary -> one.put(canary.type(), canary));
        final List<Finding> found = one.values().stream()
                .map(canary -> SeededDefect.without(canary).find(FEW_SEEDS))
                .toList();
        assertThat(found).containsOnly(Finding.NONE);
    }

    private static String table(Map<Canary, Finding> found) {
        return found.entrySet().stream()
                .map(entry -> SeededDefect.row(entry.getKey(), entry.getValue()))
                .collect(joining("\n", "\n", "\n"));
    }
}
