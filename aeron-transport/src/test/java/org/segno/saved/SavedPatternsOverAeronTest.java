package org.segno.saved;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The engine's tests of saved patterns, as {@link org.segno.node.NodesOverAeronTest} runs those of nodes. */
class SavedPatternsOverAeronTest {
    @Nested
    class EmptyPattern extends EmptyPatternTest {}

    @Nested
    @Tag("stress")
    class PreparedAgain extends PreparedAgainTest {}

    @Nested
    class SavedExchange extends SavedExchangeTest {}

    @Nested
    @Tag("stress")
    class SavedPatterns extends SavedPatternsTest {}
}
