package org.segno.engine.fifo;

import org.jspecify.annotations.Nullable;

/**
 * Immediate execution of descriptors, by the engine that the calling thread runs. A lone SEND or RMW is executed when
 * it is injected; the next visit to its FIFO returns its slot. A round is executed when it starts, if its caller waits
 * for its end. Used by that thread, between two passes.
 */
public abstract class DirectExecution {
    /** Execution where the engine has a thread of its own: there is none. */
    static final DirectExecution NONE = new DirectExecution() {
        @Override
        protected void executeSend(long position) {
            throw new IllegalStateException("this engine executes nothing directly: position=" + position);
        }

        @Override
        protected void executeRmw(long position) {
            executeSend(position);
        }

        @Override
        public boolean executeRun(int first, int slots, int arms, int pattern, long generation) {
            return false;
        }

        @Override
        public boolean isHeld() {
            return false;
        }

        @Override
        public void shareCore() {
            // There is nothing to look at.
        }

        @Override
        void injectedBy(InjectionFifoProducer fifo) {
            // It is never ready, and common to all FIFOs.
        }
    };

    private @Nullable InjectionFifoProducer producer;

    /** Sets the FIFO that injects the descriptors. */
    void injectedBy(InjectionFifoProducer fifo) {
        producer = fifo;
    }

    /** Sets whether the next SEND or RMW may be executed directly. */
    protected final void ready(boolean next) {
        final InjectionFifoProducer fifo = producer;
        if (fifo != null) {
            fifo.ready(next);
        }
    }

    /**
     * Executes the SEND at a position if nothing precedes it in the FIFO, and if it succeeds at once. Otherwise a
     * pass executes it, or refuses it. Called only while ready.
     *
     * @param position position of the complete descriptor, before it is published
     */
    protected abstract void executeSend(long position);

    /** Executes the RMW at a position, as {@link #executeSend} does a SEND. */
    protected abstract void executeRmw(long position);

    /**
     * Executes a run that has no entry in the {@link RunRing} of replays yet, which has room for one, up to its end,
     * its first WAIT or the quantum of the FIFO. This has no effect if there is anything else to do in the FIFOs of the
     * engine, or another thread uses the engine, or it is at rest.
     *
     * @return true if the run is finished. Otherwise the caller adds its entry now, and passes begin or continue it
     */
    public abstract boolean executeRun(int first, int slots, int arms, int pattern, long generation);

    /** Returns true after {@link #shareCore} if the last {@link #executeRun} has left its run at a WAIT. */
    public abstract boolean isHeld();

    /**
     * Sets that the calling thread shares its core, so that a peer may need it to meet a WAIT: runs look at theirs only
     * once from now on.
     */
    public abstract void shareCore();
}
