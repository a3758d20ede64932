package org.segno.multisend;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The engine's tests of multisend, as {@link org.segno.node.NodesOverAeronTest} runs those of nodes. */
class MultisendOverAeronTest {
    @Nested
    @Tag("stress")
    class JointPattern extends JointPatternTest {}

    @Nested
    @Tag("stress")
    class ManyToManyOpening extends ManyToManyOpeningTest {}

    @Nested
    @Tag("stress")
    class ManyToMany extends ManyToManyTest {}

    @Nested
    class NestedRecording extends NestedRecordingTest {}

    @Nested
    @Tag("stress")
    class OutsideContext extends OutsideContextTest {}

    @Nested
    @Tag("stress")
    class RequestModes extends RequestModesTest {}
}
