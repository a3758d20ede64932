package org.segno.tools.process;

import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * Bytes that one thread passes to another in order, as the stream from which the other reads. The writer waits while
 * the queue is full.
 */
public final class ByteQueue extends InputStream {
    private final long limit;
    private final Deque<byte[]> blocks = new ArrayDeque<>();

    /** Position in the first block. */
    private int position;

    private long length;
    private boolean ended;
    private boolean discarding;

    /** Creates a queue that is full from {@code limit} bytes on. */
    public ByteQueue(long limit) {
        this.limit = limit;
    }

    /** Adds a block, which the queue keeps. Waits while the queue is full, unless it discards. */
    public synchronized void put(byte[] block) throws InterruptedException {
        while (length >= limit && !discarding) {
            wait();
        }
        if (length < limit && block.length > 0) {
            blocks.add(block);
            length += block.length;
            notifyAll();
        }
    }

    /** Ends the stream after the bytes that it contains. */
    public synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** Lets the writer drop bytes for which there is no room, instead of waiting. */
    public synchronized void discard() {
        discarding = true;
        notifyAll();
    }

    /** Waits until the reader has taken all bytes, or has taken none for {@code idleLimitMs}, or the queue discards. */
    public synchronized void awaitEmpty(long idleLimitMs) throws InterruptedException {
        long idleDeadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(idleLimitMs);
        long leftNs = idleDeadlineNs - System.nanoTime();
        while (length > 0 && !discarding && leftNs > 0) {
            final long before = length;
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(leftNs, TimeUnit.MILLISECONDS.toNanos(1)));
            if (length < before) {
                idleDeadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(idleLimitMs);
            }
            leftNs = idleDeadlineNs - System.nanoTime();
        }
    }

    @Override
    public int read() {
        final byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public synchronized int read(byte[] target, int offset, int count) {
        boolean interrupted = false;
        while (length == 0 && !ended) {
            try {
                wait();
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        final byte[] block = blocks.peek();
        if (block == null) {
            return -1;
        }
        final int taken = Math.min(count, block.length - position);
        System.arraycopy(block, position, target, offset, taken);
        position += taken;
        length -= taken;
        if (position == block.length) {
            blocks.remove();
            position = 0;
        }
        notifyAll();
        return taken;
    }
}
