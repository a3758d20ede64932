package org.segno.bench.udp;

import org.segno.bench.experiment.Exchange;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;
import org.segno.link.FrameHandler;

/** Ping-pong of messages of one length over a {@link JoinedLink}. Each is a frame and leaves at once. */
public final class LinkMessages implements Exchange, FrameHandler {
    private final JoinedLink link;
    private final LinkEnd end;
    private final Memory message;
    private final int size;
    private long sum;

    /** Creates the ping-pong of an end, which it closes. */
    public LinkMessages(JoinedLink link, int size) {
        this.link = link;
        this.end = link.end();
        this.size = size;
        this.message = MappedMemory.ofProcess(size);
    }

    @Override
    public void prepare() {}

    @Override
    public void request(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            send();
            receive();
        }
    }

    @Override
    public void reply(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            receive();
            send();
        }
    }

    private void send() {
        final long frame = end.claim(Frame.LENGTH + size);
        message.copyTo(0, end.memory(), frame + Frame.LENGTH, size);
        end.commit();
        end.flush();
    }

    private void receive() {
        while (end.receiveAll(this, 1) == 0) {
            Thread.onSpinWait();
        }
    }

    @Override
    public boolean onFrame(Memory memory, long offset, int length) {
        for (int at = Frame.LENGTH; at < length; at += Memory.LINE_LENGTH) {
            sum += memory.getLong(offset + at);
        }
        return true;
    }

    /** Returns the sum of the read words, so that the JIT cannot eliminate the reads. */
    long sum() {
        return sum;
    }

    @Override
    public void close() {
        link.close();
    }
}
