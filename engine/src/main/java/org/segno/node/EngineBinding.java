package org.segno.node;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.OptionalInt;
import org.segno.engine.job.Platform;

/**
 * Binding of a node's engine thread to the core that its job specifies. If the binding fails, the thread runs unbound,
 * and the failure is logged.
 */
record EngineBinding(int rank, OptionalInt core) {
    private static final Logger LOGGER = System.getLogger(EngineBinding.class.getName());

    static EngineBinding of(JobConfig job) {
        return new EngineBinding(job.rank(), job.engineCore());
    }

    /** Returns the same work, preceded by the binding of its thread. */
    Runnable before(Runnable work) {
        if (core.isEmpty()) {
            return work;
        }
        return () -> {
            bind();
            work.run();
        };
    }

    private void bind() {
        try {
            Platform.bindThisThread(core.getAsInt());
        } catch (IOException e) {
            LOGGER.log(
                    Level.ERROR,
                    "the engine of rank {0} is not bound to core {1}: {2}; install util-linux, and allow the core",
                    rank,
                    core.getAsInt(),
                    e.getMessage());
        }
    }

    /** Warns that there is nothing to bind if the node has no engine with a thread of its own. */
    void warnWithoutThread() {
        if (core.isPresent()) {
            LOGGER.log(
                    Level.WARNING,
                    "rank {0} has no engine thread to bind to core {1}: its application runs the engine, or nodes"
                            + " share it; NodeConfig.withThreading(DEDICATED) gives it one",
                    rank,
                    core.getAsInt());
        }
    }
}
