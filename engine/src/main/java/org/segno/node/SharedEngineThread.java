package org.segno.node;

import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * The thread of this process that runs the engines of all nodes in {@code SHARED} mode. It exists as long as they do.
 * Usable from any thread.
 */
final class SharedEngineThread {
    private static final String NAME = "segno-dma-shared";

    private static @Nullable EngineThread running;

    private SharedEngineThread() {}

    /** Adds {@code engine}. The supplier {@code idle} creates the thread's strategy if this is its first engine. */
    static synchronized void add(GuardedEngine engine, Supplier<IdleStrategy> idle) {
        EngineThread thread = running;
        if (thread == null || thread.hasFailed()) {
            thread = EngineThread.start(NAME, idle.get(), UnaryOperator.identity());
            running = thread;
        }
        thread.add(engine);
    }

    /** Removes {@code engine}. The thread ends with its last engine. */
    static synchronized void remove(GuardedEngine engine) {
        final EngineThread thread = running;
        if (thread == null) {
            return;
        }
        thread.remove(engine);
        if (thread.isEmpty()) {
            running = null;
            thread.close();
        }
    }
}
