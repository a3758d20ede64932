package org.segno.transport.aeron;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.NanoClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;
import org.segno.link.Link;
import org.segno.link.LinkState;
import org.segno.status.Deadline;

/** Streams of frames through a network with faults, which a seed determines: all arrive once, in order. */
class FaultyNetworkTest {
    private static final int MTU = 1408;
    private static final int SHORT = 64;
    private static final int LIMIT_SECONDS = 120;

    @TempDir
    private Path directory;

    /** Frames of one stream, with their number in each word, to the other end and back. */
    private static final class Exchange {
        private final AeronLink link;
        private final int stream;
        private final int lengths;
        private long sent;
        private long received;

        Exchange(AeronLink link, int stream, int lengths) {
            this.link = link;
            this.stream = stream;
            this.lengths = lengths;
        }

        private int length(long number) {
            return SHORT + Frame.ALIGNMENT * (int) (number * 31 % lengths);
        }

        void send(long frames) {
            while (sent < frames) {
                final int length = length(sent);
                final long frame = link.claim(stream, length);
                if (frame == Link.NO_ROOM) {
                    break;
                }
                for (int at = Frame.LENGTH; at < length; at += Long.BYTES) {
                    link.memory().putLong(frame + at, sent * 31 + at);
                }
                link.commit(stream);
                sent++;
            }
            link.flush();
        }

        boolean receive(Memory memory, long offset, int length) {
            boolean isRight = length == length(received);
            for (int at = Frame.LENGTH; isRight && at < length; at += Long.BYTES) {
                isRight = memory.getLong(offset + at) == received * 31 + at;
            }
            if (!isRight) {
                throw new AssertionError("frame " + received + " is another one or changed: length=" + length);
            }
            received++;
            return true;
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "3, 100"})
    void shouldPassEachFrameOnceInOrder(long seed, int lost) {
        pass(8_000, seed, lost);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"2, 20", "4, 300"})
    void shouldPassEachFrameOnceInOrderAtOtherLosses(long seed, int lost) {
        pass(8_000, seed, lost);
    }

    @Tag("stress")
    @ParameterizedTest
    @CsvSource({"11, 0", "12, 10", "13, 20", "14, 50", "15, 50", "16, 100", "17, 100", "18, 200", "19, 300", "20, 300"})
    void shouldPassALongStreamOnceInOrder(long seed, int lost) {
        pass(100_000, seed, lost);
    }

    private void pass(long frames, long seed, int lost) {
        final AeronDriver low = AeronDriver.launch(directory);
        final AeronDriver high = AeronDriver.launch(directory);
        try (Network network = new Network(low, high)) {
            final List<byte[]> old = earlierJob(low, high);
            final AeronLink[] ends = network.join(low, high, 0, 1, MTU, Faults.withLoss(lost), seed, old);
            final Exchange there = new Exchange(ends[0], Frame.REQUESTS, 100);
            final Exchange back = new Exchange(ends[1], Frame.REPLIES, 8);
            final long deadlineNs = Deadline.in(LIMIT_SECONDS, SECONDS);
            final long startNs = System.nanoTime();
            while (there.received < frames || back.received < frames / 4) {
                there.send(frames);
                back.send(frames / 4);
                network.step();
                ends[1].poll(Frame.REQUESTS, there::receive, Integer.MAX_VALUE);
                ends[0].poll(Frame.REPLIES, back::receive, Integer.MAX_VALUE);
                if (Deadline.reached(deadlineNs)) {
                    throw new AssertionError("seed=" + seed + " received " + there.received + " and " + back.received
                            + " of " + frames + " " + network.proxies());
                }
            }
            final long ms = (System.nanoTime() - startNs) / 1_000_000;
            network.settle();
            assertThat(ends[1].poll(Frame.REQUESTS, there::receive, 1)).isZero();
            assertThat(ends[0].state()).as("seed %d", seed).isEqualTo(LinkState.UP);
            assertThat(ends[1].state()).as("seed %d", seed).isEqualTo(LinkState.UP);
            System.out.println("seed=" + seed + " frames=" + frames + " ms=" + ms + " there: "
                    + network.proxies().get(0) + " back: " + network.proxies().get(1) + " refused: "
                    + refused(low, high));
            for (final DatagramRefusal reason :
                    new DatagramRefusal[] {DatagramRefusal.ADDRESS, DatagramRefusal.STATE, DatagramRefusal.RANGE}) {
                assertThat(low.refused(reason) + high.refused(reason))
                        .as("%s", reason)
                        .isZero();
            }
            if (lost > 0) {
                assertThat(high.refused(DatagramRefusal.TAG)).isPositive();
                assertThat(high.refused(DatagramRefusal.SESSION)).isPositive();
            }
        } finally {
            low.close();
            high.close();
        }
        assertThat(low.errors()).isZero();
        assertThat(high.errors()).isZero();
    }

    private static String refused(AeronDriver low, AeronDriver high) {
        final StringBuilder text = new StringBuilder();
        for (final DatagramRefusal reason : DatagramRefusal.values()) {
            text.append(reason + "=" + (low.refused(reason) + high.refused(reason)) + " ");
        }
        return text.toString();
    }

    /** Returns the datagrams of a link of another job. */
    private static List<byte[]> earlierJob(AeronDriver low, AeronDriver high) {
        final List<byte[]> datagrams = new ArrayList<>();
        try (Network network = new Network(low, high)) {
            final AeronLink[] ends = network.join(low, high, 4, 5, MTU, Faults.NONE, 1, List.of());
            final Exchange there = new Exchange(ends[0], Frame.REQUESTS, 100);
            there.send(100);
            network.settle();
            ends[1].poll(Frame.REQUESTS, there::receive, Integer.MAX_VALUE);
            network.settle();
            datagrams.addAll(network.proxies().get(0).keptOnward());
            ends[0].close();
            ends[1].close();
            network.settle();
        }
        return datagrams;
    }

    /** Drops one datagram, which is the last one for long. The clock stands still until the drivers have no work. */
    @Test
    void shouldSoonRepeatALostLastDatagram() {
        final ManualClock clock = new ManualClock();
        final AeronDriver low = AeronDriver.launch(directory, clock);
        final AeronDriver high = AeronDriver.launch(directory, clock);
        try (Network network = new Network(low, high)) {
            final AeronLink[] ends = network.join(
                    low, high, 0, 1, MTU, Faults.NONE, 1, List.of(), () -> clock.advance(MILLISECONDS.toNanos(1)));
            final long[] ns = delays(network, ends, clock, MICROSECONDS.toNanos(50), 200, 0);
            assertThat(ns[ns.length - 1]).isLessThan(MILLISECONDS.toNanos(1));
            network.proxies().forEach(proxy -> proxy.set(Faults.withLoss(100)));
            final long[] lossy = delays(network, ends, clock, MICROSECONDS.toNanos(50), 500, 0);
            assertThat(lossy[lossy.length * 99 / 100]).isLessThan(MILLISECONDS.toNanos(5));
        } finally {
            low.close();
            high.close();
        }
    }

    /** Prints the delays of real time. */
    @Test
    @Tag("stress")
    void shouldSoonRepeatALostLastDatagramInRealTime() {
        final AeronDriver low = AeronDriver.launch(directory);
        final AeronDriver high = AeronDriver.launch(directory);
        try (Network network = new Network(low, high)) {
            final AeronLink[] ends = network.join(low, high, 0, 1, MTU, Faults.NONE, 1, List.of());
            final long[] ns = delays(network, ends, System::nanoTime, 0, 5000, 2000);
            System.out.println("a lost last datagram arrives after us: p50=" + ns[2500] / 1000 + " p99="
                    + ns[4950] / 1000 + " p99.9=" + ns[4995] / 1000 + " max=" + ns[4999] / 1000);
            assertThat(ns[4950]).isLessThan(MILLISECONDS.toNanos(5));
        } finally {
            low.close();
            high.close();
        }
    }

    private static long[] delays(
            Network network, AeronLink[] ends, NanoClock clock, long stepNs, int count, int warmUp) {
        final Exchange there = new Exchange(ends[0], Frame.REQUESTS, 1);
        there.sent = 0;
        final long[] delays = new long[count];
        for (int i = -warmUp; i < count; i++) {
            network.proxies().get(0).dropNext(1);
            final long startNs = clock.nanoTime();
            final long expected = there.received + 1;
            there.send(there.sent + 1);
            final long deadlineNs = Deadline.in(LIMIT_SECONDS, SECONDS);
            while (there.received < expected) {
                if (stepNs == 0) {
                    network.step();
                } else {
                    network.rest();
                    ((ManualClock) clock).advance(stepNs);
                }
                ends[1].poll(Frame.REQUESTS, there::receive, Integer.MAX_VALUE);
                assertThat(Deadline.reached(deadlineNs)).isFalse();
            }
            delays[Math.max(0, i)] = clock.nanoTime() - startNs;
        }
        Arrays.sort(delays);
        return delays;
    }
}
