package org.segno.demo.kmeans;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusteringTest {
    private static final int POINTS = 1_000;
    private static final int DIMENSIONS = 3;
    private static final int CLUSTERS = 5;

    private static long[] firstCentres() {
        final Points first = new Points(0, CLUSTERS, DIMENSIONS);
        final long[] centres = new long[CLUSTERS * DIMENSIONS];
        Arrays.setAll(centres, i -> first.at(i / DIMENSIONS, i % DIMENSIONS));
        return centres;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void shouldFindTheSameClustersForAnyDivisionOfThePoints(int parts) {
        final Clustering whole = new Clustering(new Points(0, POINTS, DIMENSIONS), firstCentres());
        final List<Clustering> divided = new ArrayList<>();
        for (int part = 0; part < parts; part++) {
            divided.add(new Clustering(
                    new Points(POINTS * part / parts, POINTS * (part + 1) / parts, DIMENSIONS), firstCentres()));
        }
        long changed = POINTS;
        for (int iteration = 0; iteration < 100 && changed != 0; iteration++) {
            changed = whole.iterate(Totals.OWN);
            final long[] sums = new long[Clustering.length(CLUSTERS, DIMENSIONS)];
            for (final Clustering part : divided) {
                part.assign();
                for (int i = 0; i < sums.length; i++) {
                    sums[i] += part.sums()[i];
                }
            }
            for (final Clustering part : divided) {
                part.move(sums);
                assertThat(part.centres()).isEqualTo(whole.centres());
            }
            assertThat(sums[sums.length - 1]).isEqualTo(changed);
        }
        assertThat(changed).isZero();
        assertThat(Arrays.stream(whole.counts()).sum()).isEqualTo(POINTS);
    }
}
