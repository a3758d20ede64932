package org.segno.transport.aeron;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;
import org.segno.link.Link;
import org.segno.link.LinkState;
import org.segno.status.Deadline;

/**
 * A forger with the addresses of both ends, who knows the session and sees what is sent: of its datagrams, a third are
 * changed genuine ones, a third messages of Aeron with the right session, and a third noise.
 */
class ForgerTest {
    private static final int MTU = 1408;
    private static final int LENGTH = 1024;
    private static final long SECOND_NS = SECONDS.toNanos(1);

    /** Datagrams in a second. */
    private static final int RATE = 100_000;

    private static final int BURST = 20;

    /** Datagrams of a round. */
    private static final int ROUND = 100_000;

    @TempDir
    private Path directory;

    private AeronDriver low;
    private AeronDriver high;
    private AeronLink first;
    private AeronLink second;
    private Network network;
    private UdpProxy there;
    private long sent;
    private long received;

    /** Lines that the dropped datagrams were worth. */
    private static final class Lines extends Handler {
        private final AtomicInteger count = new AtomicInteger();

        @Override
        public void publish(LogRecord line) {
            count.incrementAndGet();
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @BeforeEach
    void join() {
        low = AeronDriver.launch(directory);
        high = AeronDriver.launch(directory);
        network = new Network(low, high);
        final AeronLink[] ends = network.join(low, high, 0, 1, MTU, Faults.NONE, 1, List.of());
        first = ends[0];
        second = ends[1];
        there = network.proxies().get(0);
    }

    @AfterEach
    void close() {
        low.close();
        high.close();
        network.close();
        assertThat(low.errors()).isZero();
        assertThat(high.errors()).isZero();
    }

    @Test
    void shouldNotDisturbALink() throws Exception {
        run(30_000, 1, 0);
    }

    @Test
    @Tag("stress")
    void shouldNotHalveTheRateOfALink() throws Exception {
        run(ROUND, 10, 0.5);
    }

    private void run(int datagrams, int rounds, double share) throws Exception {
        final Logger logger = Logger.getLogger(Refusals.class.getName());
        final Lines lines = new Lines();
        logger.addHandler(lines);
        try {
            if (rounds > 1) {
                transferFor(3 * SECOND_NS);
            }
            final long files = files();
            final long heap = heap();
            final int linesBefore = lines.count.get();
            final double[] before = new double[rounds];
            final double[] during = new double[rounds];
            final Forger forger = new Forger(datagrams);
            final long startNs = System.nanoTime();
            // In turns, so that other load of the machine befalls both.
            for (int round = 0; round < rounds; round++) {
                before[round] = transferFor((long) datagrams * SECOND_NS / RATE);
                final Thread thread = new Thread(forger);
                thread.start();
                during[round] = transferWhile(thread::isAlive);
                thread.join();
            }
            transferLast();
            final double seconds = (System.nanoTime() - startNs) / 1e9;
            assertThat(first.state()).isEqualTo(LinkState.UP);
            assertThat(second.state()).isEqualTo(LinkState.UP);
            print(
                    datagrams * rounds,
                    seconds,
                    median(before),
                    median(during),
                    heap,
                    files,
                    lines.count.get() - linesBefore);
            // A second may have begun before, and another at the end.
            assertThat(lines.count.get() - linesBefore).isLessThanOrEqualTo((int) (LogLimit.LINES * (seconds + 2)));
            assertThat(files()).isEqualTo(files);
            assertThat(heap() - heap).isLessThan(8 << 20);
            assertThat(median(during)).isGreaterThanOrEqualTo(share * median(before));
            requireRefused();
        } finally {
            logger.removeHandler(lines);
        }
    }

    private static double median(double[] rates) {
        final double[] sorted = rates.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private void requireRefused() {
        for (final DatagramRefusal reason : List.of(
                DatagramRefusal.LENGTH,
                DatagramRefusal.TYPE,
                DatagramRefusal.SESSION,
                DatagramRefusal.SETUP,
                DatagramRefusal.POSITION,
                DatagramRefusal.TAG)) {
            assertThat(low.refused(reason) + high.refused(reason))
                    .as("%s", reason)
                    .isPositive();
        }
    }

    private void print(int datagrams, double seconds, double before, double during, long heap, long files, int lines)
            throws IOException {
        final StringBuilder text = new StringBuilder(String.format(
                "forged=%d seconds=%.1f frames/s before=%.0f during=%.0f heap=%+d KiB files=%+d lines=%d refused:",
                datagrams, seconds, before, during, (heap() - heap) / 1024, files() - files, lines));
        for (final DatagramRefusal reason : DatagramRefusal.values()) {
            text.append(" " + reason + "=" + (low.refused(reason) + high.refused(reason)));
        }
        System.out.println(text);
    }

    private double transferFor(long durationNs) {
        final long startNs = System.nanoTime();
        return transferWhile(() -> System.nanoTime() - startNs < durationNs);
    }

    /** Sends and receives frames. Returns their number in a second. */
    private double transferWhile(BooleanSupplier isOn) {
        final long startNs = System.nanoTime();
        final long from = received;
        final long deadlineNs = Deadline.in(300, SECONDS);
        while (isOn.getAsBoolean()) {
            send();
            network.step();
            receive();
            assertThat(Deadline.reached(deadlineNs)).isFalse();
        }
        return (received - from) * 1e9 / (System.nanoTime() - startNs);
    }

    /** Receives all that was sent. The system may have dropped some of it, beside the forged datagrams. */
    private void transferLast() {
        final long deadlineNs = Deadline.in(60, SECONDS);
        while (received < sent) {
            network.step();
            receive();
            assertThat(Deadline.reached(deadlineNs)).isFalse();
        }
        network.settle();
        receive();
        assertThat(received).isEqualTo(sent);
    }

    private void send() {
        for (int i = 0; i < 4; i++) {
            final long frame = first.claim(Frame.REQUESTS, LENGTH);
            if (frame == Link.NO_ROOM) {
                break;
            }
            for (int at = Frame.LENGTH; at < LENGTH; at += Long.BYTES) {
                first.memory().putLong(frame + at, sent * 31 + at);
            }
            first.commit(Frame.REQUESTS);
            sent++;
        }
        first.flush();
    }

    private void receive() {
        second.poll(Frame.REQUESTS, this::take, Integer.MAX_VALUE);
    }

    private boolean take(Memory memory, long offset, int length) {
        boolean isRight = length == LENGTH;
        for (int at = Frame.LENGTH; isRight && at < LENGTH; at += Long.BYTES) {
            isRight = memory.getLong(offset + at) == received * 31 + at;
        }
        if (!isRight) {
            throw new AssertionError("frame " + received + " is another one or changed");
        }
        received++;
        return true;
    }

    private long files() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.count();
        }
    }

    private static long heap() {
        System.gc();
        final Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /** Sends forged datagrams to both ends. */
    private final class Forger implements Runnable {
        private final Random chance = new Random(9);
        private final int datagrams;

        /** All but the key is right. */
        private final Forgery forgery = new Forgery(new LinkAccess(
                new LinkKey(LinkEnds.key(0, 1).session(), 1, 2),
                new LinkSizes(MTU, low.socketBuffer()),
                low.refusalsOfLink(1)));

        Forger(int datagrams) {
            this.datagrams = datagrams;
        }

        @Override
        public void run() {
            final long startNs = System.nanoTime();
            for (int i = 0; i < datagrams; i++) {
                // Bursts leave the processor to the link in between.
                if (i % BURST == 0) {
                    LockSupport.parkNanos(startNs + i * (SECOND_NS / RATE) - System.nanoTime());
                }
                forge(i % 3);
            }
        }

        private void forge(int kind) {
            if (kind == 0) {
                final boolean isOnward = chance.nextInt(4) != 0;
                send(isOnward, changed(isOnward ? there.lastOnward() : there.lastBackward()));
            } else if (kind == 1) {
                message();
            } else {
                final byte[] noise = new byte[chance.nextInt(200)];
                chance.nextBytes(noise);
                send(chance.nextBoolean(), noise);
            }
        }

        private void send(boolean isOnward, byte[] bytes) {
            if (isOnward) {
                there.sendOnward(bytes);
            } else {
                there.sendBackward(bytes);
            }
        }

        private byte[] changed(byte[] bytes) {
            if (bytes.length == 0) {
                return bytes;
            }
            final byte[] other =
                    chance.nextInt(4) == 0 ? Forgery.cut(bytes, chance.nextInt(bytes.length)) : bytes.clone();
            if (other.length != 0) {
                other[chance.nextInt(other.length)] ^= (byte) (1 + chance.nextInt(255));
            }
            return other;
        }

        private void message() {
            final int stream = chance.nextInt(Frame.STREAMS);
            final long position = chance.nextInt(1 << 20) * 32L;
            switch (chance.nextInt(6)) {
                case 0 -> send(true, forgery.setup(stream, any -> {}));
                case 1 -> send(true, forgery.heartbeat(stream, position, header -> header.flags((short) 0xE0)));
                case 2 -> send(false, forgery.report(stream, position, report -> report.flags((short) 0x40)));
                case 3 -> send(false, forgery.report(stream, position, any -> {}));
                case 4 -> send(false, forgery.request(stream, position, 1 << 16, any -> {}));
                default ->
                    send(true, forgery.begin().frame(stream, position, 64).end());
            }
        }
    }
}
