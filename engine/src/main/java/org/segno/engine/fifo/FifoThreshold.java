package org.segno.engine.fifo;

/**
 * A fill of a FIFO below which an event is raised. The event is due once, whatever the number of crossings until it is
 * raised. Used by one thread.
 */
public final class FifoThreshold {
    private final Runnable crossed;
    private long level;
    private boolean reached;
    private boolean eventDue;

    /** Creates a threshold without a level. The engine's thread runs {@code crossed} at each crossing. */
    FifoThreshold(Runnable crossed) {
        this.crossed = crossed;
    }

    /** Sets the fill; zero for none. */
    void level(long fill) {
        level = fill;
        reached &= fill > 0;
    }

    /** Records that the fill has grown to {@code fill}. */
    void filled(long fill) {
        reached |= level > 0 && fill >= level;
    }

    /**
     * Records that the fill has fallen to {@code fill}. Returns true if this makes an event due and none was due
     * before.
     */
    boolean drained(long fill) {
        if (!reached || fill >= level) {
            return false;
        }
        final boolean isNew = !eventDue;
        reached = false;
        eventDue = true;
        crossed.run();
        return isNew;
    }

    /** Returns true from a crossing until the event is raised. */
    public boolean isEventDue() {
        return eventDue;
    }

    /** Records that the event has been raised. */
    public void eventRaised() {
        eventDue = false;
    }
}
