package org.segno.bench.parts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.segno.bench.jmh.Effort;
import org.segno.bench.jmh.JmhRun;
import org.segno.bench.jmh.PartCost;
import org.segno.node.NodeConfig.Threading;

/** Short runs of a few benchmarks in this JVM. Speed is not checked. */
class PartsTest {
    private static final Effort MOMENT = new Effort(0, 2, 300, 3, 200);

    @BeforeAll
    static void letOthersMeasureMeanwhile() {
        // JMH's lock keeps measurements apart, and these tests do not check times.
        System.setProperty("jmh.ignoreLock", "true");
    }

    @Test
    void shouldAllocateNothingForAMessageThatIsReplayed() {
        final PartCost cost = measure("ReplayBenchmark.sendOfSome");

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
    void shouldMeasureLinksBesideBareAeron() {
        assertThat(measure("LinkBenchmark.roundTripOverALink").medianNs()).isPositive();
        assertThat(measure("LinkBenchmark.roundTripOverBareAeron").medianNs()).isPositive();
        assertThat(measure("LinkBenchmark.roundTripOverBareAeronOfThreeStreams").medianNs())
                .isPositive();
    }

    @Test
    void shouldAllocateNothingForTheTagOfADatagram() {
        assertThat(measure("FrameTagsBenchmark.tagOfAShortFrame").isFit()).isTrue();
        assertThat(measure("FrameTagsBenchmark.checkOfMtu1408").isFit()).isTrue();
    }

    @Test
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
        assertThat(new PartCost("hot", null, 1, 1, 1, cost.bytes(), false).isFit())
                .isFalse();
    }

    private static PartCost measure(String benchmark) {
        return JmhRun.measure("org.segno.bench.parts." + benchmark, MOMENT);
    }
}
