package org.segno.message;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.segno.transport.aeron.LoopbackTransport;

/**
 * The engine's tests of messages in which one thread runs both ranks until neither has anything to do. Their links over
 * Aeron deliver what an engine has sent before the next one runs, in the profile {@code long}.
 */
@Tag("long")
class SettledMessagesOverAeronTest {
    private static final String PROPERTY = "segno.tests.transports";
    private static final String TRANSPORTS = System.getProperty(PROPERTY, "");

    @BeforeAll
    static void useLinksThatDeliver() {
        System.setProperty(PROPERTY, LoopbackTransport.NAME);
    }

    @AfterAll
    static void restoreTheTransports() {
        System.setProperty(PROPERTY, TRANSPORTS);
    }

    @Nested
    class Completion extends CompletionTest {}

    @Nested
    class DeferredMessage extends DeferredMessageTest {}

    @Nested
    class MessageMatrix extends MessageMatrixTest {}

    @Nested
    class MessengerClient extends MessengerClientTest {}

    @Nested
    class MessengerOpening extends MessengerOpeningTest {}

    @Nested
    class Messenger extends MessengerTest {}

    @Nested
    class ShortMessagePressure extends ShortMessagePressureTest {}
}
