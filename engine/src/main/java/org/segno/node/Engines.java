package org.segno.node;

import java.util.ArrayList;
import java.util.List;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.AgentRunner;
import org.segno.dma.DmaEngine;
import org.segno.job.Platform;
import org.segno.node.NodeConfig.Threading;

/**
 * The engines of a node and who runs them: the application's threads, one engine for each context; threads of their own; or the one
 * thread that all nodes of the process share.
 */
final class Engines implements AutoCloseable {
    private final List<AgentInvoker> invokers = new ArrayList<>();
    private final List<AgentRunner> runners = new ArrayList<>();
    private final List<Agent> shared = new ArrayList<>();
    private final List<DmaEngine> engines;
    private final NodeConfig config;
    private final int localSize;

    Engines(NodeConfig config, int localSize, List<DmaEngine> engines, ErrorHandler errors) {
        this.engines = engines;
        this.config = config;
        this.localSize = localSize;
        final Threading threading = config.threading(localSize);
        for (final DmaEngine engine : engines) {
            switch (threading) {
                case INVOKER -> invokers.add(new AgentInvoker(errors, null, engine));
                case DEDICATED ->
                    runners.add(new AgentRunner(config.idle(localSize).get(), errors, null, engine));
                case SHARED -> shared.add(new SharedEngineThread.Guarded(engine, errors));
            }
        }
    }

    /** By context, where the application runs the engines; else empty. */
    List<AgentInvoker> invokers() {
        return invokers;
    }

    /** True if the application's threads run them. */
    boolean areInvoked() {
        return !invokers.isEmpty();
    }

    /** They run from here on, or may be run; the first that has a thread of its own is bound where that is wished. */
    void start(EngineBinding binding) {
        if (runners.isEmpty()) {
            binding.warnWithoutThread();
        }
        invokers.forEach(AgentInvoker::start);
        for (final AgentRunner runner : runners) {
            final boolean first = runner.equals(runners.get(0));
            AgentRunner.startOnThread(
                    runner, work -> Platform.thread(runner.agent().roleName(), first ? binding.before(work) : work));
        }
        for (final Agent engine : shared) {
            SharedEngineThread.add(engine, config.idle(localSize));
        }
    }

    /** One pass of each, where the application's threads run them and none of them does. */
    void invoke() {
        for (final AgentInvoker invoker : invokers) {
            invoker.invoke();
        }
    }

    /** After the last pass of each: peers wait for them no more. */
    void ended() {
        engines.forEach(DmaEngine::ended);
    }

    /** They run no more once this has returned. */
    @Override
    public void close() {
        runners.forEach(AgentRunner::close);
        invokers.forEach(AgentInvoker::close);
        shared.forEach(SharedEngineThread::remove);
        shared.clear();
    }
}
