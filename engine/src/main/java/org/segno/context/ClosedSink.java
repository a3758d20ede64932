package org.segno.context;

import org.segno.fifo.DescriptorSink;
import org.segno.status.ClosedException;

/**
 * Where the descriptors of a closed context go: nowhere. It stands in the FIFO's place, so that an open context need not ask whether it is
 * closed.
 *
 * @param reason why the context was closed
 */
record ClosedSink(String reason) implements DescriptorSink {
    ClosedException exception() {
        return new ClosedException(reason + "; its client takes nothing more");
    }

    @Override
    public long claim() {
        throw exception();
    }

    @Override
    public long publish() {
        throw exception();
    }
}
