package org.segno.context;

import org.segno.fifo.DescriptorSink;

/** Stands in for the FIFO while a handler runs: handlers do not send. */
final class RefusingSink implements DescriptorSink {
    @Override
    public long claim() {
        throw new IllegalStateException("a handler cannot send: a flood of answers could not be held back;"
                + " note what to send and send it after advance has returned");
    }

    @Override
    public long publish() {
        return claim();
    }
}
