package org.segno.message;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The engine's tests of messages, as {@link org.segno.node.NodesOverAeronTest} runs those of nodes.
 * {@link SettledMessagesOverAeronTest} has the others.
 */
class MessagesOverAeronTest {
    @Nested
    @Tag("long")
    class MessageOrder extends MessageOrderTest {}
}
