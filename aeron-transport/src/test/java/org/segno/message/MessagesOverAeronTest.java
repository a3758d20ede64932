package org.segno.message;

import org.junit.jupiter.api.Nested;

/**
 * The engine's tests of messages, as {@link org.segno.node.NodesOverAeronTest} runs those of nodes. The contract of
 * nodes has the behaviour of the others over Aeron.
 */
class MessagesOverAeronTest {
    @Nested
    class MessageOrder extends MessageOrderTest {}
}
