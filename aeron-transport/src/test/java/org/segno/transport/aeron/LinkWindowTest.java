package org.segno.transport.aeron;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.packet.Frame;
import org.segno.link.FrameHandler;
import org.segno.link.Link;

/** Streams whose window is full: how soon the sender has room again. */
class LinkWindowTest {
    private static final FrameHandler ACCEPTING = (memory, offset, length) -> true;

    /** More than the receiver sends for a window. */
    private static final int REPORTS = 16;

    private static final int MOST_ROUNDS = 100_000;

    @TempDir
    private Path directory;

    private final TestClock clock = new TestClock();
    private AeronDriver low;
    private AeronDriver high;

    @BeforeEach
    void launch() {
        low = AeronDriver.launch(directory, clock);
        high = AeronDriver.launch(directory, clock);
    }

    @AfterEach
    void close() {
        low.close();
        high.close();
    }

    /**
     * Nothing more arrives than what has filled the window, and nothing leaves: neither end may rest then. The receiver
     * reports all after a pass of all agents and one more, whether it receives in polls alone or in flushes, too. The
     * sender receives a report in each round, of which the first ones may be older, or answers to its heartbeats.
     */
    @ParameterizedTest
    @CsvSource({"1408, false", "8192, false", "65504, false", "1408, true", "8192, true", "65504, true"})
    void shouldHaveRoomSoonAfterTheReceiverHasTakenAll(int mtu, boolean answers) {
        final AeronLink[] ends = LinkEnds.join(low, high, 0, 1, mtu);
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            for (int window = 0; window < 8; window++) {
                take(ends[1], stream, fill(ends[0], stream, 1), answers);
                // The first one after a flush may have no pass.
                poll(ends[1], stream, 1 + DriverAgents.WHOLE + 1);
                assertThat(roundsUntilRoom(ends[0], stream, ends[0].frameLimit()))
                        .as("stream %d, window %d", stream, window)
                        .isBetween(1, DriverAgents.WHOLE_IDLE - DriverAgents.WHOLE);
                for (int i = 0; i < REPORTS; i++) {
                    low.run();
                }
                assertThat(ends[0].room(stream))
                        .as("stream %d, window %d", stream, window)
                        .isGreaterThanOrEqualTo(ends[0].capacity(stream));
            }
        }
    }

    /** A long message waits for room for all of its frames while there is room for one. */
    @ParameterizedTest
    @ValueSource(ints = {1_408, 8_192, 65_504})
    void shouldHaveRoomForSeveralFramesSoonAfterTheReceiverHasTakenAll(int mtu) {
        final AeronLink[] ends = LinkEnds.join(low, high, 0, 1, mtu);
        for (int window = 0; window < 8; window++) {
            take(ends[1], Frame.REQUESTS, fill(ends[0], Frame.REQUESTS, 2), false);
            poll(ends[1], Frame.REQUESTS, 1 + DriverAgents.WHOLE + 1);
            assertThat(ends[0].hasRoom(Frame.REQUESTS, ends[0].frameLimit())).isTrue();
            assertThat(roundsUntilRoom(ends[0], Frame.REQUESTS, ends[0].capacity(Frame.REQUESTS)))
                    .as("window %d", window)
                    .isBetween(1, DriverAgents.WHOLE_IDLE - DriverAgents.WHOLE);
        }
    }

    @ParameterizedTest
    @CsvSource({"8192, 4", "65504, 1"})
    void shouldSendWholeDatagramsTogetherWithTheCommitOfTheLast(int mtu, int together) {
        final AeronLink[] ends = LinkEnds.join(low, high, 0, 1, mtu);
        for (int i = 1; i <= 3 * together; i++) {
            commit(ends[0], Frame.REQUESTS, ends[0].frameLimit());
            assertThat(ends[0].unsent()).as("frame %d", i).isEqualTo((long) i % together * mtu);
        }
        commit(ends[0], Frame.REQUESTS, Frame.LENGTH);
        final long shortFrame = ends[0].unsent();
        assertThat(shortFrame).isPositive();
        for (int i = 1; i <= together; i++) {
            commit(ends[0], Frame.REQUESTS, ends[0].frameLimit());
        }
        // The short frame has left alone, because the next one does not fit behind it.
        assertThat(ends[0].unsent()).isLessThan(mtu);
        ends[0].flush();
        assertThat(ends[0].unsent()).isZero();
    }

    /** Sends frames of maximum length until there is no room for so many. Returns their number. */
    private static int fill(AeronLink end, int stream, int room) {
        int frames = 0;
        while (end.hasRoom(stream, (long) room * end.frameLimit())) {
            commit(end, stream, end.frameLimit());
            end.flush();
            frames++;
        }
        return frames;
    }

    /** Runs rounds of polls until there is room for so many bytes, as an engine that waits for it does. */
    private static int roundsUntilRoom(AeronLink end, int stream, long bytes) {
        int rounds = 0;
        while (!end.hasRoom(stream, bytes) && rounds <= DriverAgents.WHOLE_IDLE) {
            poll(end, stream, 1);
            rounds++;
        }
        return rounds;
    }

    /** Takes frames of a stream. The end may flush a short frame before each poll, and receives then, too. */
    private void take(AeronLink end, int stream, int frames, boolean answers) {
        int taken = 0;
        for (int round = 0; taken < frames; round++) {
            assertThat(round).as("rounds until %d frames were taken", frames).isLessThan(MOST_ROUNDS);
            if (answers) {
                commit(end, (stream + 1) % Frame.STREAMS, Frame.LENGTH);
                end.flush();
            }
            taken += poll(end, stream, 1);
            if (round > frames) {
                // The system has dropped a datagram, which is sent again.
                low.run();
            }
        }
    }

    private static void commit(AeronLink end, int stream, int length) {
        assertThat(end.claim(stream, length)).isNotEqualTo(Link.NO_ROOM);
        end.commit(stream);
    }

    /** Runs rounds of polls of one end, with one link. Returns the frames of a stream that were taken. */
    private static int poll(AeronLink end, int polled, int rounds) {
        int taken = 0;
        for (int i = 0; i < rounds * Frame.STREAMS; i++) {
            final int stream = i % Frame.STREAMS;
            final int frames = end.poll(stream, ACCEPTING, Integer.MAX_VALUE);
            taken += stream == polled ? frames : 0;
        }
        return taken;
    }
}
