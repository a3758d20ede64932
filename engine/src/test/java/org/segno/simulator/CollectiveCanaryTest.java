package org.segno.simulator;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.segno.simulator.SeededDefect.Finding;

/** Seeds defects of collectives, and shows that their simulations find each of them. */
@Timeout(600)
class CollectiveCanaryTest {
    private static final Path DOCUMENT = Path.of("docs", "CANARIES.md");

    /** Seeds within which a defect is found. */
    private static final int SEEDS = 400;

    /** Defects that each build tries, and the seeds within which these are found. */
    private static final int FEW = 3;

    private static final int FEW_SEEDS = 20;

    private static void findAll(List<Canary> canaries, Class<? extends LongFunction<List<String>>> run, int seeds) {
        final Map<Canary, Finding> found = new LinkedHashMap<>();
        canaries.forEach(
                canary -> found.put(canary, SeededDefect.in(canary, run).find(seeds)));
        final String table = found.entrySet().stream()
                .map(entry -> SeededDefect.row(entry.getKey(), entry.getValue()))
                .collect(joining("\n", "\n", "\n"));
        System.out.println(table);
        assertThat(found.values()).as(table).doesNotContain(Finding.NONE);
    }

    @Test
    void shouldFindSomeDefects() {
        findAll(CollectiveCanaries.all().subList(0, FEW), CollectiveCanaryRun.class, FEW_SEEDS);
    }

    @Test
    void shouldListEveryDefectInTheDocument() throws IOException {
        final String document = Files.readString(DOCUMENT);
        assertThat(Stream.of(CollectiveCanaries.all(), CollectiveCanaries.ofAlgorithms())
                        .flatMap(List::stream))
                .allSatisfy(canary -> assertThat(canary.changedSource()).isNotEqualTo(canary.originalSource()))
                .allSatisfy(canary -> assertThat(document).contains(SeededDefect.beginningOfRow(canary)));
    }

    /** Prints the table of the document. */
    @Tag("stress")
    @Test
    void shouldFindEveryDefect() {
        findAll(CollectiveCanaries.all(), CollectiveCanaryRun.class, SEEDS);
    }

    /** Prints the second table of the document. */
    @Tag("stress")
    @Test
    void shouldFindEveryDefectOfAnAlgorithm() {
        findAll(CollectiveCanaries.ofAlgorithms(), AlgorithmCanaryRun.class, SEEDS);
    }
}
