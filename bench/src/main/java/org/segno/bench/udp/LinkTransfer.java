package org.segno.bench.udp;

import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;
import org.segno.link.FrameHandler;

/**
 * Ranges over a {@link JoinedLink}, copied from memory into frames of maximum length, and out of them into memory. One
 * operation is one range, until the receiver's reply has arrived.
 */
public final class LinkTransfer implements Side, FrameHandler {
    private static final int POLLED_FRAMES = 16;

    private final Role role;
    private final JoinedLink link;
    private final LinkEnd end;
    private final Memory source;
    private final Memory target;
    private final int size;

    /** Received bytes of the range at the receiver. */
    private int arrived;

    /** Creates the side of an end, which it closes. */
    public LinkTransfer(Role role, JoinedLink link, int size) {
        this.role = role;
        this.link = link;
        this.end = link.end();
        this.size = size;
        this.source = MappedMemory.ofProcess(size);
        this.target = MappedMemory.ofProcess(size);
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        final long beginNs = System.nanoTime();
        for (int i = 0; i < operations; i++) {
            if (role == Role.ORIGIN) {
                send();
                awaitReply();
            } else {
                receive();
                reply();
            }
        }
        figures.set(0, (System.nanoTime() - beginNs) / (double) operations);
    }

    private void send() {
        final int longest = end.frameLimit() - Frame.LENGTH;
        int sent = 0;
        while (sent < size) {
            final int length = Math.min(longest, size - sent);
            final long frame = end.claim(Frame.LENGTH + length);
            source.copyTo(sent, end.memory(), frame + Frame.LENGTH, length);
            end.commit();
            sent += length;
        }
        end.flush();
    }

    private void awaitReply() {
        while (end.receiveAll((memory, offset, length) -> true, 1) == 0) {
            Thread.onSpinWait();
        }
    }

    private void receive() {
        arrived = 0;
        while (arrived < size) {
            end.receiveAll(this, POLLED_FRAMES);
        }
    }

    private void reply() {
        end.claim(Frame.LENGTH);
        end.commit();
        end.flush();
    }

    @Override
    public boolean onFrame(Memory memory, long offset, int length) {
        memory.copyTo(offset + Frame.LENGTH, target, arrived, length - Frame.LENGTH);
        arrived += length - Frame.LENGTH;
        return true;
    }

    @Override
    public void close() {
        link.close();
    }
}
