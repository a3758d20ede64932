package org.segno.engine.weak;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.segno.engine.weak.Orderings.Place;

/**
 * Mutation test of the engine's orderings. It removes them one after the other, each at every line that requests it,
 * and shows that a workload observes a forbidden outcome. {@link RedundantOrderings} lists those whose absence no
 * workload detects, with the reasons.
 */
class MissingOrderingTest {
    private static final String[] PACKAGES = {
        "org.segno.engine.counter",
        "org.segno.engine.dma",
        "org.segno.engine.doorbell",
        "org.segno.engine.fifo",
        "org.segno.engine.landing",
        "org.segno.engine.reuse",
        "org.segno.link",
        "org.segno.memory",
        "org.segno.pattern"
    };

    /**
     * Number of seeds of every workload within which a missing ordering is seen; fewer suffice for a quick check. The
     * rarest, the acquire of a lane's head by its producer, is seen under about one seed in 5,000, and which ones these
     * are changes with the code.
     */
    private static final int SEEDS = Integer.getInteger("segno.proof.seeds", 30_000);

    /** Number of seeds for redundant orderings. */
    private static final int UNNEEDED_SEEDS = 300;

    private static final int RECORDED_SEEDS = 30;

    private static final WeakRun RUN = new WeakRun();
    private static final Map<Place, List<Workload>> REACHED = reached();
    private static final Map<Place, String> NAMES = names();

    @AfterAll
    static void close() {
        RUN.close();
    }

    @Tag("proof")
    @Test
    void shouldReachEveryPlaceThatRequestsAnOrdering() {
        final Map<String, Integer> missed = OrderingSource.places(PACKAGES);
        NAMES.keySet().forEach(place -> missed.computeIfPresent(place.inSource(), (line, count) -> count - 1));
        missed.values().removeIf(count -> count == 0);

        assertThat(missed)
                .as("requested on lines that no workload of org.segno.engine.weak reaches: use them in one")
                .isEmpty();
    }

    @Tag("proof")
    @Test
    void shouldHaveReasonsOnlyForExistingOrderings() {
        assertThat(new HashSet<>(NAMES.values())).containsAll(RedundantOrderings.REASONS.keySet());
    }

    static Stream<String> needed() {
        return NAMES.values().stream()
                .filter(name -> !RedundantOrderings.REASONS.containsKey(name))
                .sorted();
    }

    static Stream<String> unneeded() {
        return RedundantOrderings.REASONS.keySet().stream().sorted();
    }

    @Tag("proof")
    @Timeout(3600)
    @ParameterizedTest
    @MethodSource("needed")
    void shouldSeeThatAnOrderingIsMissing(String name) {
        final String seen = seenWithout(SEEDS, name);
        System.out.println("without " + name + ": " + seen);
        assertThat(seen).as("nothing is seen within " + SEEDS + " seeds").isNotNull();
    }

    @Tag("proof")
    @Timeout(1200)
    @ParameterizedTest
    @MethodSource("unneeded")
    void shouldPassWithoutEachRedundantOrdering(String name) {
        assertThat(seenWithout(UNNEEDED_SEEDS, name)).isNull();
    }

    /** Removes both orderings: each alone orders the pass before a rest, so that no run shows the absence of one. */
    @Tag("proof")
    @Timeout(1200)
    @Test
    void shouldSeeThatBothOrderingsOfARestAreMissing() {
        assertThat(seenWithout(SEEDS, "QuietCount.rest FENCE", "QuietCount.rest RELEASE"))
                .isNotNull();
    }

    private static @Nullable String seenWithout(int seeds, String... names) {
        final Place[] removed = Stream.of(names).map(MissingOrderingTest::place).toArray(Place[]::new);
        for (long seed = 0; seed < seeds; seed++) {
            for (final Workload workload : REACHED.getOrDefault(removed[0], List.of())) {
                final String seen =
                        RUN.violation(seed, new Orderings.Without(removed), WeakMemoryTest.program(workload));
                if (seen != null) {
                    return workload.getClass().getSimpleName() + " " + seen;
                }
            }
        }
        return null;
    }

    private static Place place(String name) {
        return NAMES.keySet().stream()
                .filter(place -> name.equals(NAMES.get(place)))
                .findFirst()
                .orElseThrow();
    }

    private static Map<Place, List<Workload>> reached() {
        final Map<Place, List<Workload>> reached = new TreeMap<>();
        for (final Workload workload : WeakMemoryTest.WORKLOADS) {
            final Orderings.Recording recording = new Orderings.Recording();
            for (long seed = 0; seed < RECORDED_SEEDS; seed++) {
                RUN.violation(seed, recording, WeakMemoryTest.program(workload));
            }
            recording.places().values().stream()
                    .flatMap(Collection::stream)
                    .forEach(place -> reached.computeIfAbsent(place, key -> new ArrayList<>())
                            .add(workload));
        }
        return reached;
    }

    /**
     * Returns the places of the packages with their names: class, method and access, and its number if there are
     * several.
     */
    private static Map<Place, String> names() {
        final Set<String> lines = OrderingSource.places(PACKAGES).keySet();
        final Map<String, List<Place>> byMethod = new TreeMap<>();
        REACHED.keySet().stream()
                .filter(place -> lines.contains(place.inSource()))
                .sorted(Comparator.comparing(Place::line).thenComparing(Place::instruction))
                .forEach(place -> byMethod.computeIfAbsent(place.inMethod(), key -> new ArrayList<>())
                        .add(place));
        return byMethod.values().stream()
                .flatMap(places -> places.stream().map(place -> Map.entry(place, name(place, places))))
                .collect(toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static String name(Place place, List<Place> places) {
        return places.size() == 1 ? place.inMethod() : place.inMethod() + " " + (places.indexOf(place) + 1);
    }
}
