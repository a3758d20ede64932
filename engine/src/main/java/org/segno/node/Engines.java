package org.segno.node;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.agrona.concurrent.IdleStrategy;
import org.segno.engine.work.Pass;
import org.segno.node.NodeConfig.Threading;

/**
 * The engines of a node and their threads. The threads are the application's, with one engine for each context, or
 * threads of their own, or the one thread that all nodes of the process share.
 */
final class Engines implements AutoCloseable {
    private final List<EngineThread> threads = new ArrayList<>();
    private final List<GuardedEngine> engines;
    private final NodeConfig config;
    private final Threading threading;
    private final int localSize;
    private final boolean areShared;
    private boolean started;

    /** Creates the engines of a node. If they are shared, other threads than their contexts' receive for them. */
    Engines(NodeConfig config, int localSize, List<GuardedEngine> engines, boolean areShared) {
        this.engines = engines;
        this.areShared = areShared;
        this.config = config;
        this.localSize = localSize;
        this.threading = config.threading(localSize);
    }

    /** Writes a trace of what the engines carry out. Called before {@link #start}. */
    void trace(NodeTrace trace) {
        for (int engine = 0; engine < engines.size(); engine++) {
            engines.get(engine).trace(trace.ring(engine), trace.scope(), trace.withPayloads());
        }
    }

    /** Returns the engines by context if the application runs them, otherwise an empty list. */
    List<Pass> invoked() {
        if (!areInvoked()) {
            return List.of();
        }
        return areShared && engines.size() > 1
                ? engines.stream().map(this::shared).toList()
                : List.copyOf(engines);
    }

    private Pass shared(GuardedEngine own) {
        return new SharedPass(
                own, engines.stream().filter(engine -> engine != own).toList());
    }

    /** Returns the threading, chosen or by default. */
    Threading threading() {
        return threading;
    }

    /** Returns a new instance of the strategy with which the node's loops idle. */
    IdleStrategy newIdle() {
        return config.idle(localSize).get();
    }

    /** Returns true if the application's threads run them. */
    boolean areInvoked() {
        return threading == Threading.INVOKER;
    }

    /**
     * Starts the engines, on their threads or for the application's. Binds the first one with a thread of its own if
     * the job requires it.
     */
    void start(EngineBinding binding) {
        started = true;
        if (threading != Threading.DEDICATED) {
            binding.warnWithoutThread();
        }
        for (final GuardedEngine engine : engines) {
            engine.start();
            switch (threading) {
                case INVOKER -> {}
                case DEDICATED -> startThread(engine, threads.isEmpty() ? binding::before : UnaryOperator.identity());
                case SHARED -> SharedEngineThread.add(engine, config.idle(localSize));
            }
        }
    }

    private void startThread(GuardedEngine engine, UnaryOperator<Runnable> before) {
        final EngineThread thread =
                EngineThread.start(engine.name(), config.idle(localSize).get(), before);
        threads.add(thread);
        thread.add(engine);
    }

    /**
     * Runs one pass of each engine. Called if the application's threads run the engines and none of them does at
     * present.
     */
    void invoke() {
        engines.forEach(GuardedEngine::run);
    }

    /** Returns true if other threads than their contexts' receive for them. */
    boolean areShared() {
        return areShared;
    }

    /**
     * Receives for each engine that the application has not run for a while. Called by the membership thread.
     *
     * @return true if the application does not rest: it may compute from now on
     */
    boolean attend(long nowNs) {
        boolean isAtWork = false;
        // No iterator: the thread must not allocate.
        for (int i = 0; i < engines.size(); i++) {
            isAtWork |= engines.get(i).attend(nowNs);
        }
        return isAtWork;
    }

    /** Ends all engines after their last passes, so that closing peers no longer wait for them. */
    void ended() {
        engines.forEach(GuardedEngine::ended);
    }

    /** Stops all engines. None of them runs any more when this method returns. */
    @Override
    public void close() {
        try {
            threads.forEach(EngineThread::close);
            if (started && threading == Threading.SHARED) {
                started = false;
                engines.forEach(SharedEngineThread::remove);
            }
        } finally {
            engines.forEach(GuardedEngine::stop);
        }
    }
}
