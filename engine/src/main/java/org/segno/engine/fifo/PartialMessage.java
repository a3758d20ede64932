package org.segno.engine.fifo;

/**
 * What a FIFO keeps of the message over a link of which a part was sent. Used by the engine's thread. The bytes that
 * were sent are {@link InjectionFifoConsumer#partialBytes}.
 */
public final class PartialMessage {
    /** Number of no message over a link. */
    public static final int NO_MESSAGE = 0;

    /** Id of no context for a notice. */
    public static final int NO_NOTICE = -1;

    private int number;
    private int notice = NO_NOTICE;

    /** Returns the number of the message, or {@link #NO_MESSAGE} if it was refused. */
    public int number() {
        return number;
    }

    /** Stores the number of the message that the descriptor at the head has begun. */
    public void number(int begun) {
        number = begun;
    }

    /** Returns the id of the context to which the message will send its notice; or {@link #NO_NOTICE}. */
    public int notice() {
        return notice;
    }

    /** Stores the id of the context of a notice, or {@link #NO_NOTICE}. */
    public void notice(int contextId) {
        notice = contextId;
    }

    /** Records that a message was refused, so that no more of it is sent. */
    void refused(int message) {
        if (message == number) {
            number = NO_MESSAGE;
        }
    }
}
