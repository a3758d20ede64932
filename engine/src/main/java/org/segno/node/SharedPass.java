package org.segno.node;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.DirectExecution;
import org.segno.engine.fifo.Exclusion;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.work.Pass;

/**
 * Pass of a context in a node that has links and is run by its application: the pass of the context's own engine, and
 * reception for all other engines, over whose links messages to this context arrive too. So a context whose thread does
 * not advance holds only those who send to it.
 *
 * @param own engine of the context
 * @param others engines of the other contexts
 */
record SharedPass(GuardedEngine own, List<GuardedEngine> others) implements Pass {
    @Override
    public int run() {
        int work = own.run();
        for (int i = 0; i < others.size(); i++) {
            work += others.get(i).receive();
        }
        return work;
    }

    @Override
    public void rest() {
        own.rest();
    }

    @Override
    public boolean isBlocked() {
        return own.isBlocked();
    }

    @Override
    public @Nullable ReceptionFifoProducer lane(int rank, int context) {
        return own.lane(rank, context);
    }

    @Override
    public @Nullable DirectExecution direct() {
        return own.direct();
    }

    @Override
    public Exclusion exclusion() {
        return own.exclusion();
    }

    @Override
    public void arrived(int rank, int context) {
        own.arrived(rank, context);
    }
}
