package org.segno.bench.udp;

import org.segno.bench.experiment.Stream;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;
import org.segno.link.FrameHandler;

/**
 * Stream of messages of one length over a {@link JoinedLink}. Those of a turn fill frames, and the receiver copies each
 * into a ring before it reads it, as over links with engines.
 */
public final class LinkStream implements Stream, FrameHandler {
    private static final int HEADER_LENGTH = Long.BYTES;
    private static final int RING_LENGTH = 256 * 1024;
    private static final int FRAME_LIMIT = 16;

    /** Messages between two flushes, as in the rows of engines. */
    private static final int FLUSH_EVERY = 64;

    private final JoinedLink link;
    private final LinkEnd end;
    private final Memory message;
    private final Memory ring = MappedMemory.ofProcess(RING_LENGTH);
    private final int size;
    private final int record;
    private final int recordsPerFrame;
    private int written;
    private int received;
    private long sum;

    /** Creates the stream of an end, which it closes. */
    public LinkStream(JoinedLink link, int size) {
        this.link = link;
        this.end = link.end();
        this.size = size;
        this.message = MappedMemory.ofProcess(size);
        this.record = HEADER_LENGTH + size;
        this.recordsPerFrame = (end.frameLimit() - Frame.LENGTH) / record;
    }

    @Override
    public void prepare() {}

    /** Returns when the receiver has answered that it has received all messages. */
    @Override
    public void send(int messages) {
        for (int left = messages; left > 0; left -= FLUSH_EVERY) {
            for (int ofTurn = Math.min(left, FLUSH_EVERY); ofTurn > 0; ofTurn -= recordsPerFrame) {
                sendFrame(Math.min(ofTurn, recordsPerFrame));
            }
            end.flush();
        }
        while (end.receiveAll((memory, offset, length) -> true, 1) == 0) {
            Thread.onSpinWait();
        }
    }

    private void sendFrame(int count) {
        final long frame = end.claim(Frame.LENGTH + count * record);
        final Memory memory = end.memory();
        for (int i = 0; i < count; i++) {
            final long at = frame + Frame.LENGTH + (long) i * record;
            memory.putLong(at, size);
            message.copyTo(0, memory, at + HEADER_LENGTH, size);
        }
        end.commit();
    }

    @Override
    public void receive(int messages) {
        received = 0;
        while (received < messages) {
            end.receiveAll(this, FRAME_LIMIT);
        }
        end.claim(Frame.LENGTH);
        end.commit();
        end.flush();
    }

    @Override
    public boolean onFrame(Memory memory, long offset, int length) {
        for (int at = Frame.LENGTH; at < length; at += record) {
            if (written + record > RING_LENGTH) {
                written = 0;
            }
            memory.copyTo(offset + at, ring, written, record);
            for (int line = HEADER_LENGTH; line < record; line += Memory.LINE_LENGTH) {
                sum += ring.getLong(written + line);
            }
            written += record;
            received++;
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
