package org.segno.bench.parts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.segno.bench.jmh.Effort;
import org.segno.bench.jmh.JmhRun;
import org.segno.bench.jmh.PartCost;
import org.segno.node.NodeConfig.Threading;

/** Short runs of a few benchmarks in this JVM. Speed is not checked. */
class PartsTest {
    private static final Effort MOMENT = new Effort(0, 2, 300, 3, 200);
    private static final int ATTEMPTS = 10;

    @BeforeAll
    static void letOthersMeasureMeanwhile() {
        // JMH's lock keeps measurements apart, and these tests do not check times.
        System.setProperty("jmh.ignoreLock", "true");
    }

    @Test
    void shouldAllocateNothingForAMessageThatIsReplayed() {
        final PartCost cost = measureUntilFit("ReplayBenchmark.sendOfSome");

        assertThat(cost.mode()).isEqualTo(Threading.INVOKER);
        assertThat(cost.medianNs()).isPositive();
        assertThat(cost.bytes()).isLessThanOrEqualTo(PartCost.NOTHING_BYTES);
        assertThat(cost.isFit()).isTrue();
    }

    @Test
    void shouldReportNoThreadingForPartsThatAreDrivenWithoutANode() {
        assertThat(measure("RunRingBenchmark.run").mode()).isNull();
    }

    @Test
    @Tag("long")
    void shouldMeasureLinksBesideBareAeron() {
        assertThat(measure("LinkBenchmark.roundTripOverALink").medianNs()).isPositive();
        assertThat(measure("LinkBenchmark.roundTripOverBareAeron").medianNs()).isPositive();
        assertThat(measure("LinkBenchmark.roundTripOverBareAeronOfThreeStreams").medianNs())
                .isPositive();
    }

    @Test
    void shouldAllocateNothingForTheTagOfADatagram() {
        assertThat(measureUntilFit("FrameTagsBenchmark.tagOfAShortFrame").isFit())
                .isTrue();
        assertThat(measureUntilFit("FrameTagsBenchmark.checkOfMtu1408").isFit()).isTrue();
    }

    @Test
    @Tag("long")
    void shouldMeasureOperationsBetweenLinkedNodes() {
        assertThat(measure("LinkedNodesBenchmark.sendRoundTrip").mode()).isEqualTo(Threading.INVOKER);
        assertThat(measure("LinkedNodesBenchmark.replayedPuts").medianNs()).isPositive();
        assertThat(measure("LinkedNodesBenchmark.putOfARange").medianNs()).isPositive();
    }

    @Test
    void shouldMeasureAllocationAndRejectItInBenchmarksThatMustNotAllocate() {
        final PartCost cost = measure("ReplayBenchmark.recordAndClose");

        assertThat(cost.bytes()).isGreaterThan(100);
        assertThat(cost.isFit()).as("by design").isTrue();
        assertThat(new PartCost("hot", null, 1, 1, 1, cost.bytes(), cost.ownBytes(), false).isFit())
                .isFalse();
    }

    /**
     * Measures again until nothing is allocated, but not for ever. On busy cores the optimizing compiler, which removes
     * some objects, may be late; what allocates by itself does so in every attempt.
     */
    private static PartCost measureUntilFit(String benchmark) {
        PartCost cost = measure(benchmark);
        for (int attempt = 1; attempt < ATTEMPTS && !cost.isFit(); attempt++) {
            cost = measure(benchmark);
        }
        return cost;
    }

    private static PartCost measure(String benchmark) {
        return JmhRun.measure("org.segno.bench.parts." + benchmark, MOMENT);
    }
}
