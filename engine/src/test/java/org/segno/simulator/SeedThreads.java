package org.segno.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** Threads that simulate seeds. */
final class SeedThreads {
    private static final int THREADS = 2;

    private SeedThreads() {}

    /** Passes the seeds from 1 on to several threads. */
    static void forEachSeed(long last, LongConsumer simulation) throws InterruptedException {
        final AtomicLong seeds = new AtomicLong();
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(new Thread(() -> {
                for (long seed = seeds.incrementAndGet(); seed <= last; seed = seeds.incrementAndGet()) {
                    simulation.accept(seed);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (final Thread thread : threads) {
            thread.join();
        }
    }
}
