package org.segno.collective;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The engine's tests of collectives, as {@link org.segno.node.NodesOverAeronTest} runs those of nodes. */
class CollectivesOverAeronTest {
    @Nested
    @Tag("stress")
    class Agreement extends AgreementTest {}

    @Nested
    @Tag("stress")
    class Results extends CollectivesTest {}

    @Nested
    @Tag("stress")
    class Product extends CollectiveProductTest {}

    @Nested
    @Tag("stress")
    class Reductions extends ReductionsTest {}

    @Nested
    @Tag("long")
    class Rounds extends CollectiveTest {}

    @Nested
    @Tag("long")
    class Failures extends FailedRoundsTest {}

    @Nested
    @Tag("long")
    class Creation extends CreationTableTest {
        @Override
        int mostRanks() {
            // The links of more exceed the counters of a driver.
            return 9;
        }
    }

    @Nested
    @Tag("long")
    class Endpoints extends EndpointGeometryTest {}

    @Nested
    class Started extends StartedRoundsTest {}

    @Nested
    @Tag("long")
    class Skipped extends SkippedRoundsTest {}

    @Nested
    @Tag("long")
    class Geometries extends GeometryTest {}

    @Nested
    @Tag("stress")
    class ManyGeometries extends ManyGeometriesTest {
        @Override
        int manyRanks() {
            // The links of more exceed the counters of a driver.
            return 8;
        }
    }

    @Nested
    @Tag("stress")
    class Clients extends ClientGeometriesTest {}

    @Nested
    @Tag("stress")
    class Overlap extends OverlapTest {
        @Override
        long replays() {
            return 100_000;
        }
    }

    @Nested
    @Tag("stress")
    class ManyRounds extends AlgorithmRoundsTest {
        @Override
        int mostRanks() {
            // The links of more exceed the counters of a driver.
            return 9;
        }
    }

    @Nested
    @Tag("stress")
    class Recorded extends RecordedCollectivesTest {}

    @Nested
    @Tag("stress")
    class Unattended extends UnattendedCollectivesTest {}
}
