package org.segno.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;
import org.segno.status.Deadline;

/** Contract of {@link Link}, for every transport that makes links. */
public abstract class LinkContractTest {
    private static final int FIRST = 3;
    private static final int SECOND = 7;
    private static final int SHORT = 24;
    private static final int TRANSFERS = 60_000;

    /** Bytes of the transfers, if all frames had the maximum length. */
    private static final int TRANSFER_BYTES = 1 << 24;

    /** Bytes of the trials of the room, with one such frame each. */
    private static final int TRIAL_BYTES = 1 << 21;

    private final List<Long> received = new ArrayList<>();
    private Link first;
    private Link second;

    /** Joins two ranks and returns the end of each. */
    protected abstract Link[] join(int firstRank, int secondRank);

    @BeforeEach
    void joinRanks() {
        final Link[] ends = join(FIRST, SECOND);
        first = ends[0];
        second = ends[1];
    }

    @AfterEach
    void closeBoth() {
        first.close();
        second.close();
    }

    @Test
    void shouldJoinTheTwoRanks() {
        assertThat(first.rank()).isEqualTo(SECOND);
        assertThat(second.rank()).isEqualTo(FIRST);
        assertThat(first.state()).isEqualTo(LinkState.UP);
    }

    @Test
    void shouldHoldAtLeastOneLongestFrame() {
        assertThat(first.frameLimit())
                .isEqualTo(second.frameLimit())
                .isBetween(Frame.MIN_LIMIT, Frame.MAX_LIMIT)
                .matches(limit -> limit % Frame.ALIGNMENT == 0);
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            assertThat(first.capacity(stream)).isGreaterThanOrEqualTo(first.frameLimit());
            assertThat(first.room(stream)).isGreaterThanOrEqualTo(first.capacity(stream));
            assertThat(first.hasRoom(stream, first.capacity(stream))).isTrue();
        }
    }

    @Test
    void shouldHaveARoomForEachStreamAndDirection() {
        while (send(first, Frame.REQUESTS, first.frameLimit(), 1)) {
            assertThat(received).isEmpty();
        }
        assertThat(first.room(Frame.REQUESTS)).isLessThan(first.frameLimit());
        assertThat(first.hasRoom(Frame.REQUESTS, first.frameLimit())).isFalse();
        assertThat(first.claim(Frame.REQUESTS, first.frameLimit())).isEqualTo(Link.NO_ROOM);
        assertThat(first.room(Frame.REPLIES))
                .as("another stream")
                .isGreaterThanOrEqualTo(first.capacity(Frame.REPLIES));
        assertThat(second.room(Frame.REQUESTS))
                .as("the other direction")
                .isGreaterThanOrEqualTo(second.capacity(Frame.REQUESTS));
        assertThat(second.poll(Frame.REPLIES, this::take, 10)).isZero();

        assertThat(second.poll(Frame.REQUESTS, this::take, Integer.MAX_VALUE)).isEqualTo(received.size());
        assertThat(first.room(Frame.REQUESTS)).isGreaterThanOrEqualTo(first.capacity(Frame.REQUESTS));
    }

    @Test
    void shouldPassAtMostTheLimitInOrder() {
        for (int i = 1; i <= 5; i++) {
            send(first, Frame.REPLIES, SHORT, i);
        }
        assertThat(second.poll(Frame.REPLIES, this::take, 3)).isEqualTo(3);
        assertThat(received).containsExactly(1L, 2L, 3L);
        assertThat(second.poll(Frame.REPLIES, this::take, 3)).isEqualTo(2);
        assertThat(received).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void shouldKeepAFrameThatIsNotAcceptedAndThoseBehindIt() {
        send(first, Frame.REQUESTS, SHORT, 1);
        send(first, Frame.REQUESTS, SHORT, 2);
        assertThat(second.poll(
                        Frame.REQUESTS,
                        (memory, offset, length) ->
                                memory.getLong(offset + Frame.LENGTH) == 1 && take(memory, offset, length),
                        10))
                .isEqualTo(1);
        assertThat(second.poll(Frame.REQUESTS, (memory, offset, length) -> false, 10))
                .isZero();
        assertThat(second.poll(Frame.REQUESTS, this::take, 10)).isEqualTo(1);
        assertThat(received).containsExactly(1L, 2L);
    }

    @Test
    void shouldSendNothingOfAFrameThatIsNotCommitted() {
        final long frame = first.claim(Frame.REQUESTS, SHORT);
        first.memory().putLong(frame + Frame.LENGTH, 9);
        first.flush();
        assertThat(second.poll(Frame.REQUESTS, this::take, 10)).isZero();
        send(first, Frame.REQUESTS, SHORT, 5);
        second.poll(Frame.REQUESTS, this::take, 10);
        assertThat(received).containsExactly(5L);
    }

    @Test
    void shouldCarryNothingOnceAnEndIsClosedAndStillPassReceivedFrames() {
        send(first, Frame.REQUESTS, SHORT, 1);
        second.close();
        assertThat(first.state()).as("not closed here").isEqualTo(LinkState.ENDED);
        assertThat(second.state()).isEqualTo(LinkState.DOWN);
        assertThat(first.room(Frame.REQUESTS)).isZero();
        assertThat(first.claim(Frame.REQUESTS, SHORT)).isEqualTo(Link.NO_ROOM);
        assertThat(second.poll(Frame.REQUESTS, this::take, 10)).isEqualTo(1);
    }

    /** Sends successive frames whenever the link promises room for all of them, at all positions of its buffer. */
    @Test
    void shouldHaveTheRoomThatItReports() {
        final Random chance = new Random(1);
        final int limit = first.frameLimit();
        for (int trial = 0; trial < Math.min(20_000, TRIAL_BYTES / limit); trial++) {
            long room = first.room(Frame.REQUESTS);
            if (chance.nextInt(3) == 0) {
                // Shift the position.
                send(first, Frame.REQUESTS, SHORT + 8 * chance.nextInt((limit - SHORT) / 8), 0);
                room = first.room(Frame.REQUESTS);
            }
            for (; room >= SHORT; room -= limit) {
                final int length = (int) Math.min(room, limit) & -Frame.ALIGNMENT;
                assertThat(send(first, Frame.REQUESTS, length, 0))
                        .as("trial %d: %d bytes of %d", trial, length, room)
                        .isTrue();
            }
            second.poll(Frame.REQUESTS, this::take, chance.nextInt(8));
            if (chance.nextInt(8) == 0) {
                second.poll(Frame.REQUESTS, this::take, Integer.MAX_VALUE);
                assertThat(first.room(Frame.REQUESTS)).isGreaterThanOrEqualTo(first.capacity(Frame.REQUESTS));
            }
        }
    }

    /** Returns the length of a frame. A prime far from any power of two mixes short and long ones from the start. */
    private static int length(int number, int words) {
        return Frame.LENGTH + Long.BYTES * (1 + (int) (number * 7919L % words));
    }

    @Test
    void shouldKeepTheOrderAndEveryWordBetweenTwoThreads() throws InterruptedException {
        final int words = first.frameLimit() / Long.BYTES - 2;
        final int transfers = Math.min(TRANSFERS, TRANSFER_BYTES / first.frameLimit());
        final Thread sender = new Thread(() -> {
            for (int i = 0; i < transfers; i++) {
                final int length = length(i, words);
                long frame = first.claim(Frame.REPLIES, length);
                while (frame == Link.NO_ROOM) {
                    YieldingIdleStrategy.INSTANCE.idle();
                    frame = first.claim(Frame.REPLIES, length);
                }
                for (int at = Frame.LENGTH; at < length; at += Long.BYTES) {
                    first.memory().putLong(frame + at, i * 31L + at);
                }
                first.commit(Frame.REPLIES);
                first.flush();
            }
        });
        sender.setDaemon(true);
        sender.start();
        final long deadlineNs = Deadline.in(60, TimeUnit.SECONDS);
        final int[] next = new int[1];
        while (next[0] < transfers) {
            assertThat(Deadline.reached(deadlineNs))
                    .as("the deadline has passed")
                    .isFalse();
            final int frames = second.poll(
                    Frame.REPLIES,
                    (memory, offset, length) -> {
                        final int i = next[0]++;
                        requireContent(memory, offset, length, i, length(i, words));
                        return true;
                    },
                    10);
            if (frames == 0) {
                YieldingIdleStrategy.INSTANCE.idle();
            }
        }
        sender.join();
        assertThat(next[0]).isEqualTo(transfers);
    }

    private static void requireContent(Memory memory, long offset, int length, int number, int expected) {
        if (length != expected) {
            throw new AssertionError("frame " + number + " has " + length + " bytes instead of " + expected);
        }
        for (int at = Frame.LENGTH; at < length; at += Long.BYTES) {
            if (memory.getLong(offset + at) != number * 31L + at) {
                throw new AssertionError("frame " + number + " has another word at " + at);
            }
        }
    }

    private boolean take(Memory memory, long offset, int length) {
        if (length > Frame.LENGTH) {
            received.add(memory.getLong(offset + Frame.LENGTH));
        }
        return true;
    }

    private static boolean send(Link link, int stream, int length, long value) {
        final long frame = link.claim(stream, length);
        if (frame == Link.NO_ROOM) {
            return false;
        }
        if (length > Frame.LENGTH) {
            link.memory().putLong(frame + Frame.LENGTH, value);
        }
        link.commit(stream);
        link.flush();
        return true;
    }
}
