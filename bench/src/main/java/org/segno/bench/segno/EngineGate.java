package org.segno.bench.segno;

import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.segno.bench.experiment.Cores;
import org.segno.bench.experiment.Spin;
import org.segno.context.Context;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;

/**
 * Idle strategy of a node whose engine may have a thread of its own. That thread parks while the gate is shut, because
 * other experiments are measured then. While the gate is open it spins if it has a core of its own, and yields if it
 * shares the application's.
 */
final class EngineGate implements IdleStrategy {
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Thread application = Thread.currentThread();
    private final OptionalInt core;
    private final boolean yields;
    private volatile @Nullable Thread engine;
    private volatile boolean isOpen = true;

    /**
     * Creates an open gate on the application's thread.
     *
     * @param core core to which the engine's thread is bound, if any
     * @param yields true if the engine's thread shares the application's core
     */
    private EngineGate(OptionalInt core, boolean yields) {
        this.core = core;
        this.yields = yields;
    }

    /**
     * Returns the gate of a node. An engine with a thread of its own has the worker's core for engines, or shares that
     * of the application if the worker has none.
     */
    static EngineGate of(Threading threading) {
        if (threading == Threading.INVOKER) {
            return invoked();
        }
        final OptionalInt core = Cores.engine();
        return core.isPresent() ? on(core.getAsInt()) : onOneCore();
    }

    /** Returns the gate of a node whose engine the application runs. */
    static EngineGate invoked() {
        return new EngineGate(OptionalInt.empty(), false);
    }

    /** Returns the gate of an engine with a thread of its own on the application's core. */
    static EngineGate onOneCore() {
        return new EngineGate(OptionalInt.empty(), true);
    }

    /** Returns the gate of an engine with a thread of its own on {@code core}. */
    static EngineGate on(int core) {
        return new EngineGate(OptionalInt.of(core), false);
    }

    /** Returns the gate of one of several engines that share {@code core}, which is not the application's. */
    static EngineGate among(int core) {
        return new EngineGate(OptionalInt.of(core), true);
    }

    /** Returns a configuration in which the engine has this threading and waits at this gate. */
    NodeConfig configure(NodeConfig config, Threading threading) {
        return config.withThreading(threading).withIdle(() -> this);
    }

    /** Waits until the engine's thread is bound to its core, if it has one. */
    void awaitBound() {
        if (core.isPresent()) {
            while (engine == null) {
                LockSupport.parkNanos(POLL_NS);
            }
        }
    }

    void open() {
        isOpen = true;
        LockSupport.unpark(engine);
    }

    void shut() {
        isOpen = false;
    }

    /** Shuts the gate once a context's engine has carried everything out. The calling thread owns the context. */
    void shutAfter(Context context) {
        while (!context.isDrained()) {
            pause(context.advance(), 0);
        }
        shut();
    }

    /**
     * Pauses after a pass with {@code done} work. {@code spins} is the return value of the last call of this wait. A
     * core shared with a dedicated engine is yielded at once.
     */
    @SuppressWarnings("ThreadPriorityCheck") // Yielding to the scheduler is intended.
    int pause(int done, int spins) {
        if (done != 0) {
            return 0;
        }
        if (yields) {
            Thread.yield();
            return 0;
        }
        return Spin.pause(spins);
    }

    @Override
    public void idle(int workCount) {
        if (workCount == 0) {
            idle();
        }
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // Yielding to the scheduler is intended.
    public void idle() {
        if (Thread.currentThread() != application) {
            idleEngine();
        }
        if (yields) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    private void idleEngine() {
        if (engine == null) {
            core.ifPresent(Cores::bindThisThread);
            engine = Thread.currentThread();
        }
        while (!isOpen) {
            LockSupport.park(this);
        }
    }

    @Override
    public void reset() {}
}
