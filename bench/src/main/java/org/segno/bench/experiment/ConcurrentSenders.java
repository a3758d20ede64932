package org.segno.bench.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Senders that send equal shares to one receiver at the same time, each on a thread of its own. The calling thread is
 * the first of them.
 *
 * <p>All threads share the core of the worker. Senders therefore yield when they find no room, and after every
 * {@value #SENT_BETWEEN_YIELDS} messages, so that the senders alternate many times within a slice.
 */
public final class ConcurrentSenders implements Sender {
    /** Messages after which a sender yields the core to the others. */
    public static final int SENT_BETWEEN_YIELDS = 256;

    private final List<Sender> senders;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger sending = new AtomicInteger();
    private int messages;
    private volatile long round;
    private volatile boolean closed;

    /** Creates the senders. The threads sleep until {@link #send}. */
    public ConcurrentSenders(List<? extends Sender> senders) {
        this.senders = List.copyOf(senders);
        for (int i = 1; i < senders.size(); i++) {
            final int index = i;
            final Thread thread = new Thread(() -> work(index), "sender-" + index);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
    }

    @Override
    public void prepare() {
        senders.forEach(Sender::prepare);
    }

    @Override
    @SuppressWarnings({"NonAtomicVolatileUpdate", "ThreadPriorityCheck"}) // written by one thread; intended
    public void send(int count) {
        messages = count;
        sending.set(threads.size());
        round++;
        threads.forEach(LockSupport::unpark);
        senders.get(0).send(share(0));
        while (sending.get() > 0) {
            senders.get(0).prepare();
            Thread.yield();
        }
    }

    private void work(int index) {
        long done = 0;
        while (!closed) {
            if (round == done) {
                LockSupport.park(this);
            } else {
                done++;
                senders.get(index).send(share(index));
                sending.decrementAndGet();
            }
        }
    }

    private int share(int index) {
        return messages / senders.size() + (index < messages % senders.size() ? 1 : 0);
    }

    @Override
    public void close() {
        closed = true;
        for (final Thread thread : threads) {
            LockSupport.unpark(thread);
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        senders.forEach(Sender::close);
    }
}
