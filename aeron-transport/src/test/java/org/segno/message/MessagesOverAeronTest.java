package org.segno.message;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The engine's tests of messages, as {@link org.segno.node.NodesOverAeronTest} runs those of nodes. The contract of
 * nodes has the behaviour of the others over Aeron.
 */
class MessagesOverAeronTest {
    @Nested
    @Tag("long")
    class MessageOrder extends MessageOrderTest {}
}
