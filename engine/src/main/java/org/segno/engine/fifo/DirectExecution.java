package org.segno.engine.fifo;

import org.jspecify.annotations.Nullable;

/**
 * Execution of lone SENDs and RMWs when they are injected, by the engine that the injecting thread runs. The next visit
 * to the FIFO returns their slots. Used by that thread, between two passes.
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
}
