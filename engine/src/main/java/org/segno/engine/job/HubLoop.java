package org.segno.engine.job;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;

/** The one thread of a hub, with its selector. */
final class HubLoop implements AutoCloseable {
    /**
     * Interval of the clock by which hubs of other hosts are watched. TCP repeats what was lost after 0.2, 0.6 and
     * 1.4 s, so that a host is heard again at most 1.5 s after the last sign before a network was down for a second.
     */
    static final long TICK_MS = 100;

    private static final Logger LOGGER = System.getLogger(HubLoop.class.getName());
    private static final long CLOSE_LIMIT_NS = 5_000_000_000L;
    private static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(TICK_MS);

    private final Selector selector;
    private final boolean hasTicks;
    private final Work work;
    private final Thread thread;
    private volatile boolean closing;
    private long tickNs = System.nanoTime();

    /** What a hub does on its thread. */
    interface Work {
        /** Returns true once there is nothing left to serve. */
        boolean isOver();

        /** Serves a channel that is ready. */
        void serve(SelectionKey key);

        /** Called about every {@value #TICK_MS} ms if the hub has ticks. */
        void tick();

        /** Writes what the other ends accept now. Called after every pass. */
        void flush();

        /** Called before the end, if an error has ended the thread. */
        void failed(Throwable cause);

        /** Closes all channels. */
        void end();
    }

    /**
     * Creates the loop.
     *
     * @param hasTicks whether the hub has members of other hosts; without, the loop waits without limit
     */
    HubLoop(String name, Selector selector, boolean hasTicks, Work work) {
        this.selector = selector;
        this.hasTicks = hasTicks;
        this.work = work;
        this.thread = Platform.thread(name, this::run);
    }

    void start() {
        thread.start();
    }

    /** Lets this process end only after the hub, or after {@value #CLOSE_LIMIT_NS} ns. Does not wait. */
    void keepProcess() {
        // The thread of the hub itself would keep a process for as long as any rank of the job lives.
        final Thread end = Platform.thread(thread.getName() + "-end", () -> Platform.join(thread, CLOSE_LIMIT_NS));
        end.setDaemon(false);
        end.start();
    }

    /** Ends the thread and waits for its end, but not if it calls this itself. May be called twice. */
    @Override
    public void close() {
        closing = true;
        selector.wakeup();
        if (!Thread.currentThread().equals(thread)) {
            Platform.join(thread, CLOSE_LIMIT_NS);
        }
    }

    private void run() {
        try {
            while (!closing && !work.isOver()) {
                selector.select(this::serve, hasTicks ? TICK_MS : 0);
                // With the interrupt flag set, the selector would return at once.
                Thread.interrupted();
                tick();
                work.flush();
            }
            // Frames that were sent before the request to close still count: a goodbye is not a death.
            selector.selectNow(this::serve);
            work.flush();
        } catch (IOException | RuntimeException | Error e) {
            work.failed(e);
        } finally {
            end();
        }
    }

    private void serve(SelectionKey key) {
        // With the interrupt flag set, a channel would close itself.
        Thread.interrupted();
        work.serve(key);
    }

    private void tick() {
        final long nowNs = System.nanoTime();
        if (hasTicks && nowNs - tickNs >= TICK_NS) {
            tickNs = nowNs;
            work.tick();
        }
    }

    private void end() {
        try {
            work.end();
        } finally {
            try {
                selector.close();
            } catch (IOException e) {
                LOGGER.log(Level.WARNING, "cannot close the selector of a hub", e);
            }
        }
    }
}
