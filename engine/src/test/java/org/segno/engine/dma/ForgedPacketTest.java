package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Context;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.metrics.ErrorLog;
import org.segno.engine.metrics.Metric;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.geometry.Endpoint;
import org.segno.link.PacketEnd;
import org.segno.memory.Closing;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Deadline;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;

/** Forged packets: the test holds rank 0's end of a link and sends rank 1 packets that no engine would send. */
class ForgedPacketTest {
    private static final byte CANARY = 0x6B;
    private static final int ARENA = 1 << 15;
    private static final int WINDOW = 4096;
    private static final int RANGE_AT = 1000;
    private static final int RANGE = 2000;
    private static final int LINK_BYTES = 8192;
    private static final int FRAMES = 16;
    private static final int TRIALS = 50_000;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context victim;
    private PacketEnd link;
    private int number;
    private Window exported;
    private Window fetched;
    private ReceptionCounter counter;
    private InjectionCounter done;
    private long received;
    private int replies;
    private int refusals;
    private final Map<Refusal, Integer> reasons = new EnumMap<>(Refusal.class);

    @BeforeEach
    void make() {
        engines = EngineFixture.linked(
                directory, NodeSize.small().ranks(3).windowBytes(ARENA).dimensions(), LINK_BYTES);
        victim = engines.context(1);
        link = new PacketEnd(engines.link(0, 1));
        engines.client(1).window(100);
        exported = engines.client(1).window(WINDOW);
        fetched = engines.client(1).window(WINDOW);
        counter = engines.client(1).receptionCounter(exported, RANGE_AT, RANGE, 0, Right.values());
        done = engines.client(1).injectionCounter();
        engines.client(1).injectionCounter();
        engines.memory(1).arena().buffer(0, ARENA).setMemory(0, ARENA, CANARY);
        victim.handler(5, (from, buffer, metadata, metadataLength, payload, length) -> received += 1 + length);
        link.demandLane(Frame.REQUESTS, 4096, 0, 1);
        victim.advance();
        link.poll(Frame.REPLIES, packet -> {}, 8);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @ParameterizedTest
    @CsvSource({
        "kind,               0, 1,    0, BAD_PACKET",
        "kind,               0, 1,   13, BAD_PACKET",
        "kind of a reply,    0, 1,   11, BAD_PACKET",
        "flags,              1, 1, 0x11, BAD_PACKET",
        "flags,              1, 1, 0x80, BAD_PACKET",
        "length,             2, 2,    7, BAD_PACKET",
        "length,             2, 2,  513, BAD_PACKET",
        "length,             2, 2,   -1, BAD_PACKET",
        "source,             4, 2,    2, FORGED_PACKET",
        "source,             4, 2,    1, FORGED_PACKET",
        "destination,        6, 2,    2, FORGED_PACKET",
        "counter,            8, 4,   16, NO_SUCH_COUNTER",
        "counter,            8, 4,   -1, NO_SUCH_COUNTER",
        "counter,            8, 4,    9, COUNTER_DISABLED",
        "incarnation,       12, 4,    2, STALE_COUNTER",
        "offset,            16, 8,   -1, TARGET_OUT_OF_BOUNDS",
        "offset,            16, 8, 1993, TARGET_OUT_OF_BOUNDS",
        "remaining,         24, 8,    7, BAD_PACKET",
        "remaining,         24, 8,   -1, BAD_PACKET",
        "remaining,         24, 8, 2001, TARGET_OUT_OF_BOUNDS",
        "remaining,         24, 8, 4294967304, TARGET_OUT_OF_BOUNDS",
        "remaining,         24, 8, 9223372036854775807, TARGET_OUT_OF_BOUNDS",
    })
    void shouldRefuseAPutForTheFieldThatIsWrong(String field, int offset, int width, String value, Refusal refusal) {
        final Packet packet = put(0, 8);
        write(packet.memory(), packet.payload() - Packet.LENGTH + offset, width, Long.decode(value));
        link.publish(Frame.REQUESTS);
        put(8, 8);
        link.publish(Frame.REQUESTS);
        engines.pass(1);

        requireRefusedOnce(field, refusal);
        assertThat(counter.valueAcquire()).as("the next one lands").isEqualTo(-8);
        assertThat(exported.buffer().getLong(RANGE_AT)).as("nothing landed").isEqualTo(0x6B6B6B6B6B6B6B6BL);
        drainReplies();
        final boolean isFramed = refusal != Refusal.FORGED_PACKET && !(offset < 4);
        assertThat(refusals).as("reported to its sender").isEqualTo(isFramed ? 1 : 0);
    }

    @Test
    void shouldRefuseAPutOnceAndDropItsLaterPartsAndNoOthers() {
        putPart(Packet.FIRST, 1, 0, 4000);
        putPart(Packet.FIRST, 2, 0, 24);
        putPart(0, 1, 8, 24);
        putPart(0, 2, 8, 16);
        putPart(0, 1, 16, 8);
        putPart(0, 2, 16, 8);
        engines.pass(1);
        assertThat(refusedFor(Refusal.TARGET_OUT_OF_BOUNDS)).isEqualTo(1);
        assertThat(counter.valueAcquire()).as("the second PUT").isEqualTo(-24);
        drainReplies();
        assertThat(refusals).isEqualTo(1);

        // Later parts of a PUT that was not refused, and a PUT whose number recurs.
        putPart(0, 1, 32, 8);
        putPart(Packet.FIRST, 3, 0, 4000);
        putPart(Packet.FIRST, 3, 0, 16);
        putPart(0, 3, 8, 8);
        engines.pass(1);
        assertThat(counter.valueAcquire()).isEqualTo(-48);
        drainReplies();
        assertThat(refusals).isEqualTo(2);
    }

    private void putPart(int flags, int message, long offset, long remaining) {
        put(flags, message, offset, 8, remaining);
        link.publish(Frame.REQUESTS);
    }

    @Test
    void shouldRefuseLaterPartsAgainOnceTooManyPutsArePending() {
        for (int message = 1; message <= 65; message++) {
            putPart(Packet.FIRST, message, 0, 4000);
            engines.pass(1);
            drainReplies();
        }
        for (int message = 1; message <= 65; message++) {
            putPart(0, message, 8, 3992);
            engines.pass(1);
            drainReplies();
        }
        assertThat(refusedFor(Refusal.TARGET_OUT_OF_BOUNDS)).isGreaterThan(65);
        assertThat(counter.valueAcquire()).isZero();
    }

    @Test
    void shouldTakeEveryPacketOfAFrameUpToABrokenOne() {
        for (int extra = 0; extra <= 3; extra++) {
            final long before = counter.valueAcquire();
            final Packet packet = put(0, 8);
            final long second = packet.payload() + 16;
            packet.wrap(second)
                    .head(PacketKind.COUNT, Packet.FIRST, 0, 1)
                    .target(counter.id(), counter.incarnation(), 3);
            packet.wrap(second + Packet.LENGTH).head(extra == 2 ? 0 : PacketKind.COUNT, Packet.FIRST, 0, 1);
            packet.target(counter.id(), counter.incarnation(), 5).payloadLength(extra == 3 ? 600 : 0);
            Frame.head(
                    packet.memory(), second - 16 - Packet.LENGTH - Frame.LENGTH, extra == 1 ? 0xFFFF : 3, Frame.FIRST);
            link.publish(Frame.REQUESTS);
            engines.pass(1);
            final long change = extra < 2 ? 0 : -5;
            assertThat(counter.valueAcquire() - before).as("frame " + extra).isEqualTo(change);
        }
    }

    @Test
    void shouldContinueAFrameThatHasToWaitForALane() {
        final int messages = 8;
        int sent = 0;
        int held = 0;
        while (sent < 40 * messages) {
            if (link.room(Frame.REQUESTS) == 0) {
                if (engines.pass(1) == 0) {
                    held++;
                    victim.advance();
                }
                continue;
            }
            final Packet packet = link.claim(Frame.REQUESTS);
            final long first = packet.payload() - Packet.LENGTH;
            for (int i = 0; i < messages; i++) {
                packet.wrap(first + i * 48L)
                        .head(PacketKind.SEND, Packet.FIRST, 0, 1)
                        .target(5, 0, 0)
                        .bodyLength(9)
                        .payloadLength(9);
            }
            Frame.head(packet.memory(), first - Frame.LENGTH, messages, Frame.FIRST);
            link.publish(Frame.REQUESTS);
            sent += messages;
        }
        for (int pass = 0; pass < 50; pass++) {
            engines.pass(1);
            engines.pass(1);
            victim.advance();
        }
        assertThat(held).as("waits for the lane").isPositive();
        assertThat(received).as("each message once").isEqualTo(10L * sent);
        assertThat(refusals).isZero();
    }

    @Test
    void shouldNotLetOneRankUseACounterThatAdmitsAnother() {
        final ReceptionCounter other = engines.client(1).receptionCounter(exported, RANGE_AT, RANGE, 2, Right.values());
        request(PacketKind.PUT, other.id(), 8);
        request(PacketKind.COUNT, other.id(), 0);
        request(PacketKind.GET, other.id(), 8);
        request(PacketKind.RMW, other.id(), 24);
        engines.pass(1);
        assertThat(refusedFor(Refusal.SOURCE_NOT_ADMITTED)).isEqualTo(4);
        assertThat(other.valueAcquire()).isZero();
        drainReplies();
        assertThat(refusals).isEqualTo(4);
        assertThat(replies).isEqualTo(4);
    }

    @Test
    void shouldRefuseEveryPacketForAnEarlierUseOfACounter() {
        final Closing closing = engines.client(1).close(counter);
        final long deadlineNs = Deadline.in(10, TimeUnit.SECONDS);
        while (!closing.isDone()) {
            assertThat(Deadline.reached(deadlineNs)).as(closing.toString()).isFalse();
            engines.settle();
        }
        final ReceptionCounter later = engines.client(1).receptionCounter(exported, RANGE_AT, RANGE, 0, Right.values());
        assertThat(later.id()).isEqualTo(counter.id());
        final List<Integer> hits = new ArrayList<>();
        victim.onHit(later, hits::add);
        later.expect(8);
        request(PacketKind.PUT, later.id(), 8);
        request(PacketKind.COUNT, later.id(), 0);
        request(PacketKind.GET, later.id(), 8);
        request(PacketKind.RMW, later.id(), 24);
        victim.advance();

        assertThat(refusedFor(Refusal.STALE_COUNTER)).isEqualTo(4);
        assertThat(later.valueAcquire()).isEqualTo(8);
        assertThat(hits).isEmpty();
        assertThat(exported.buffer().getLong(RANGE_AT)).as("nothing landed").isEqualTo(0x6B6B6B6B6B6B6B6BL);
        drainReplies();
        assertThat(refusals).isEqualTo(4);
        assertThat(replies).as("no data").isEqualTo(4);
    }

    @Test
    void shouldRefuseAMessageForAContextThatIsNoneOrInAnotherUse() {
        message(Endpoint.idOf(1, 0));
        message(Endpoint.idOf(0, 1));
        victim.advance();
        assertThat(refusedFor(Refusal.NO_SUCH_CONTEXT)).isEqualTo(1);
        assertThat(refusedFor(Refusal.STALE_CONTEXT)).isEqualTo(1);
        assertThat(received).isZero();
        message(Endpoint.idOf(0, 0));
        victim.advance();
        assertThat(received).as("the next one arrives").isEqualTo(9);

        // The client of the context is closed between two parts of a message, and another one has the context.
        part(true, 0, 1000, 512);
        engines.pass(1);
        final NodeMemory node = engines.memory(1);
        node.owner().putLongRelease(node.contextStateOffset(0), 1);
        part(false, 512, 1000, 488);
        victim.advance();
        assertThat(refusedFor(Refusal.STALE_CONTEXT)).isEqualTo(2);
        assertThat(received).isEqualTo(9);
        drainReplies();
        assertThat(refusals).isEqualTo(3);
    }

    private void message(int context) {
        link.claim(Frame.REQUESTS)
                .head(PacketKind.SEND, Packet.FIRST, 0, 1)
                .target(5 | context << 16, 0, 0)
                .bodyLength(8)
                .payloadLength(8);
        link.publish(Frame.REQUESTS);
    }

    @ParameterizedTest
    @CsvSource({
        "too short for it,   2, 2,   31, BAD_PACKET",
        "remaining,         24, 8,    7, BAD_PACKET",
        "context,           42, 2,    9, NO_SUCH_CONTEXT",
        "origin,            44, 4,   -1, BAD_PACKET",
        "whole offset,      48, 8,   -1, TARGET_OUT_OF_BOUNDS",
        "whole offset,      48, 8, 1993, TARGET_OUT_OF_BOUNDS",
        "whole length,      56, 8,   -1, TARGET_OUT_OF_BOUNDS",
        "whole length,      56, 8, 2001, TARGET_OUT_OF_BOUNDS",
        "counter,            8, 4,   16, NO_SUCH_COUNTER",
        "offset,            16, 8, 1993, TARGET_OUT_OF_BOUNDS",
    })
    void shouldRefuseANotifyingPutForTheFieldThatIsWrong(
            String field, int offset, int width, String value, Refusal refusal) {
        final int[] notices = {0};
        victim.notified(7, (from, id, at, bytes) -> notices[0]++);
        for (int i = 0; i < 2; i++) {
            final Packet packet = link.claim(Frame.REQUESTS)
                    .head(PacketKind.NOTIFYING_PUT, Packet.FIRST, 0, 1)
                    .target(counter.id(), counter.incarnation(), 8L * i)
                    .remaining(8)
                    .number(++number)
                    .notice(7, 0, 8L * i, 8)
                    .payloadLength(Packet.NOTICE_PREFIX_LENGTH + 8);
            packet.memory().putLong(packet.payload() + Packet.NOTICE_PREFIX_LENGTH, 0);
            if (i == 0) {
                write(packet.memory(), packet.payload() - Packet.LENGTH + offset, width, Long.decode(value));
            }
            link.publish(Frame.REQUESTS);
        }
        victim.advance();

        requireRefusedOnce(field, refusal);
        assertThat(counter.valueAcquire()).as("the next one lands").isEqualTo(-8);
        assertThat(notices[0]).as("and notifies").isEqualTo(1);
        assertThat(exported.buffer().getLong(RANGE_AT)).as("nothing landed").isEqualTo(0x6B6B6B6B6B6B6B6BL);
        drainReplies();
        assertThat(refusals).as("reported to its sender").isEqualTo(1);
    }

    @Test
    void shouldDeliverNothingOfATornMessage() {
        part(true, 0, 1000, 512);
        link.claim(Frame.REQUESTS)
                .head(PacketKind.COUNT, Packet.FIRST, 0, 1)
                .target(counter.id(), counter.incarnation(), 3);
        link.publish(Frame.REQUESTS);
        part(false, 512, 1000, 488);
        part(true, 0, 700, 512);
        part(false, 500, 700, 188);
        part(false, 512, 700, 188);
        part(true, 0, 800, 512);
        part(true, 0, 20, 20);
        victim.advance();
        victim.advance();
        assertThat(received).as("the whole one alone").isEqualTo(21);
        assertThat(counter.valueAcquire()).isEqualTo(3);
        assertThat(engines.metrics(1).get(Refusal.BAD_PACKET)).isEqualTo(4);
        assertThat(engines.metrics(1).get(Metric.QUARANTINED_LANES)).isZero();
    }

    @Test
    void shouldIgnoreAnUnrequestedReply() {
        done.expect(100);
        victim.get(new Target(0, 1, 1, WINDOW, false), 0, fetched, 0, 100, done);
        victim.advance();
        final int[] request = new int[1];
        link.poll(Frame.REQUESTS, packet -> request[0] = packet.request(), 1);
        reply(PacketKind.GET_DATA, request[0] + 1, 0, 8);
        reply(PacketKind.GET_DATA, request[0] + 64, 0, 8);
        engines.pass(1);
        reply(PacketKind.GET_DATA, -1, 0, 8);
        reply(PacketKind.RMW_RESULT, request[0], 0, 8);
        engines.pass(1);
        assertThat(engines.metrics(1).get(Refusal.NOT_ASKED_FOR)).isEqualTo(4);
        reply(PacketKind.GET_DATA, request[0], 8, 8);
        reply(PacketKind.GET_DATA, request[0], 0, 101);
        engines.pass(1);
        reply(PacketKind.GET_DATA, request[0], 0, 0);
        engines.pass(1);
        assertThat(engines.metrics(1).get(Refusal.BAD_PACKET)).isEqualTo(3);
        // A refusal of a message that was never sent there must not fail a message that was sent elsewhere.
        link.claim(Frame.REPLIES)
                .head(PacketKind.REFUSED, Packet.FIRST, 0, 1)
                .refused(Refusal.BAD_FIFO.code(), Frame.HANDLER_REPLIES, Frame.FIRST, Packet.ALL);
        link.publish(Frame.REPLIES);
        engines.pass(1);
        assertThat(engines.metrics(1).get(Refusal.NOT_ASKED_FOR)).isEqualTo(5);
        assertThat(done.errorAcquire()).isZero();
        assertThat(done.valueAcquire()).isEqualTo(100);
        assertThat(fetched.buffer().getByte(0)).isEqualTo(CANARY);

        reply(PacketKind.GET_DATA, request[0], 0, 100);
        engines.pass(1);
        assertThat(done.valueAcquire()).isZero();
        assertThat(fetched.buffer().getByte(99)).isEqualTo((byte) 1);
        assertThat(fetched.buffer().getByte(100)).isEqualTo(CANARY);
    }

    @ParameterizedTest
    @CsvSource({"-47, 0", "-47, -1", "-47, 2147483648", "-22, 1"})
    void shouldIgnoreAnImpossibleReportOfUnderflows(int code, long times) {
        link.claim(Frame.REPLIES)
                .head(PacketKind.REFUSED, Packet.FIRST, 0, 1)
                .refused(code, Packet.NO_STREAM, counter.id(), times);
        link.publish(Frame.REPLIES);
        engines.pass(1);
        assertThat(engines.metrics(1).get(Refusal.NOT_ASKED_FOR)).isEqualTo(1);
        assertThat(engines.metrics(1).get(Refusal.UNDERFLOW)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, -56, -77, Integer.MIN_VALUE, 0, 5})
    void shouldReportTheCodeOfARefusalThatIsNone(int code) {
        done.expect(100);
        victim.get(new Target(0, 1, 1, WINDOW, false), 0, fetched, 0, 100, done);
        victim.advance();
        link.poll(
                Frame.REQUESTS,
                packet -> {
                    link.claim(Frame.REPLIES)
                            .head(PacketKind.REFUSED, Packet.FIRST, 0, 1)
                            .refused(code, Frame.REPLIES, packet.request(), Packet.ALL);
                    link.publish(Frame.REPLIES);
                },
                1);
        engines.pass(1);

        // An error word of zero or above would be none.
        final String named = code < 0 ? Integer.toString(code) : "-46";
        assertThatThrownBy(() -> victim.await(done, Deadline.in(10, TimeUnit.SECONDS)))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(
                        "rank 0 refused: the refusal has a code that this release does not define: " + named);
        assertThat(engines.metrics(1).get(Refusal.UNKNOWN_OPERATION)).isZero();
        assertThat(engines.metrics(1).get(Refusal.of(-77))).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 5, 6, 16})
    void shouldSurviveAnyPacketAndWriteNowhereElse(long seed) {
        final Random chance = new Random(seed);
        for (int trial = 0; trial < TRIALS; trial++) {
            while (link.room(Frame.REQUESTS) == 0
                    || link.room(Frame.REPLIES) == 0
                    || link.room(Frame.HANDLER_REPLIES) == 0) {
                victim.advance();
                drainReplies();
            }
            if (chance.nextInt(16) == 0) {
                victim.get(new Target(0, 1, 1, WINDOW, false), 0, fetched, chance.nextInt(2000), 700, done);
            }
            if (link.poll(Frame.REQUESTS, packet -> {}, FRAMES) > 0) {
                link.acknowledge();
            }
            forge(chance);
            if (trial % 1000 == 0) {
                engines.requireNothingThrown();
                assertNothingElseWritten("seed " + seed + " trial " + trial);
            }
        }
        victim.advance();
        drainReplies();
        assertNothingElseWritten("seed " + seed);
        assertThat(engines.metrics(1).get(Metric.QUARANTINED_LANES)).isZero();
        for (final Refusal refusal : new Refusal[] {Refusal.FORGED_PACKET, Refusal.BAD_PACKET, Refusal.NOT_ASKED_FOR}) {
            assertThat(engines.metrics(1).get(refusal)).as(refusal.name()).isPositive();
        }
        for (final Refusal refusal : new Refusal[] {Refusal.STALE_COUNTER, Refusal.MISALIGNED}) {
            assertThat(refusedFor(refusal)).as(refusal.name()).isPositive();
            assertThat(engines.metrics(1).get(refusal)).as(refusal.name()).isZero();
        }
        final long before = counter.valueAcquire();
        put(0, 8);
        link.publish(Frame.REQUESTS);
        victim.advance();
        assertThat(counter.valueAcquire()).as("a good one still lands").isEqualTo(before - 8);
    }

    private void forge(Random chance) {
        final int kind = 1 + chance.nextInt(PacketKind.LANE);
        final int first = PacketKind.stream(kind);
        final int stream = first == Frame.REQUESTS && chance.nextInt(4) == 0 ? Frame.HANDLER_REPLIES : first;
        final int length = chance.nextInt(8) == 0 ? 8 * chance.nextInt(4) : chance.nextInt(513);
        final int target = stream == Frame.REPLIES
                ? 64 * (1 + chance.nextInt(4)) + chance.nextInt(3)
                : kind == PacketKind.SEND ? 5 : counter.id();
        final Packet packet = link.claim(stream)
                .head(kind, chance.nextBoolean() ? Packet.FIRST : 0, 0, 1)
                .target(target, kind == PacketKind.SEND ? chance.nextInt(25) : 1, 8L * chance.nextInt(RANGE / 8))
                .payloadLength(length);
        if (PacketKind.isPut(kind)) {
            packet.remaining(length + chance.nextInt(600)).number(chance.nextInt(8));
        } else {
            packet.bodyLength(length + chance.nextInt(600)).request(chance.nextInt(4) - 1);
        }
        if (kind == PacketKind.GET || kind == PacketKind.RMW) {
            packet.payloadLength(kind == PacketKind.GET ? Long.BYTES : 3 * Long.BYTES);
            packet.memory().putLong(packet.payload(), chance.nextInt(9));
        }
        if (kind == PacketKind.NOTIFYING_PUT) {
            packet.notice(7, 0, chance.nextInt(40), chance.nextInt(RANGE))
                    .payloadLength(Packet.NOTICE_PREFIX_LENGTH + 8);
        }
        for (int changes = chance.nextInt(3); changes > 0; changes--) {
            final long word = packet.payload() - Packet.LENGTH + 4L * chance.nextInt(Packet.LENGTH / 4);
            packet.memory().putInt(word, chance.nextBoolean() ? chance.nextInt() : chance.nextInt(40) - 2);
        }
        link.publish(stream);
    }

    private void assertNothingElseWritten(String as) {
        final Memory arena = engines.memory(1).arena();
        for (long at = 0; at < ARENA; at++) {
            final boolean inRange = at >= exported.base() + RANGE_AT && at < exported.base() + RANGE_AT + RANGE;
            final boolean inPlace = at >= fetched.base() && at < fetched.base() + 2700;
            if (!inRange && !inPlace && arena.getByte(at) != CANARY) {
                throw new AssertionError(as + ": byte " + at + " of the arena");
            }
        }
        for (final int origin : new int[] {1, 2}) {
            for (int at = 0; at < 4096; at += 8) {
                if (engines.memory(1).peers().getLong(engines.memory(1).laneOffset(0, origin) + at) != 0) {
                    throw new AssertionError(as + ": the lane of rank " + origin);
                }
            }
        }
    }

    private Packet put(long offset, int length) {
        return put(Packet.FIRST, ++number, offset, length, length);
    }

    private Packet put(int flags, int message, long offset, int length, long remaining) {
        final Packet packet = link.claim(Frame.REQUESTS)
                .head(PacketKind.PUT, flags, 0, 1)
                .target(counter.id(), counter.incarnation(), offset)
                .remaining(remaining)
                .number(message)
                .payloadLength(Packet.PUT_PREFIX_LENGTH + length);
        packet.memory().putLong(packet.payload() + Packet.PUT_PREFIX_LENGTH, 0);
        return packet;
    }

    private void request(int kind, int id, int length) {
        if (kind == PacketKind.PUT) {
            put(0, length).target(id, 1, 0);
        } else {
            final Packet packet = link.claim(Frame.REQUESTS)
                    .head(kind, Packet.FIRST, 0, 1)
                    .target(id, 1, 0)
                    .payloadLength(length);
            packet.memory().putLong(packet.payload(), 1);
        }
        link.publish(Frame.REQUESTS);
    }

    private void part(boolean isFirst, long offset, int whole, int length) {
        while (link.room(Frame.REQUESTS) == 0) {
            victim.advance();
        }
        link.claim(Frame.REQUESTS)
                .head(PacketKind.SEND, isFirst ? Packet.FIRST : 0, 0, 1)
                .target(5, 0, offset)
                .bodyLength(whole)
                .payloadLength(length);
        link.publish(Frame.REQUESTS);
    }

    private void reply(int kind, int request, long offset, int length) {
        final Packet packet = link.claim(Frame.REPLIES)
                .head(kind, Packet.FIRST, 0, 1)
                .target(request, 0, offset)
                .payloadLength(length);
        for (int i = 0; i < length; i++) {
            packet.memory().putByte(packet.payload() + i, (byte) 1);
        }
        link.publish(Frame.REPLIES);
    }

    private void drainReplies() {
        replies += link.poll(
                Frame.REPLIES,
                packet -> {
                    if (packet.kind() == PacketKind.REFUSED) {
                        refusals++;
                        reasons.merge(Refusal.of(packet.target()), 1, Integer::sum);
                    }
                },
                FRAMES);
    }

    /** Returns how often rank 1 has reported a reason to the sender. */
    private int refusedFor(Refusal refusal) {
        drainReplies();
        return reasons.getOrDefault(refusal, 0);
    }

    /** Requires that rank 1 has refused one packet: it counts what no engine sends, its sender counts the rest. */
    private void requireRefusedOnce(String what, Refusal refusal) {
        final boolean isForged = refusal == Refusal.BAD_PACKET || refusal == Refusal.FORGED_PACKET;
        assertThat(engines.metrics(1).get(refusal)).as(what).isEqualTo(isForged ? 1 : 0);
        assertThat(ErrorLog.count(engines.memory(1))).as("logged").isEqualTo(isForged ? 1 : 0);
        if (!isForged) {
            assertThat(refusedFor(refusal)).as(what).isEqualTo(1);
        }
    }

    private static void write(Memory memory, long offset, int width, long value) {
        switch (width) {
            case 1 -> memory.putByte(offset, (byte) value);
            case 2 -> memory.putShort(offset, (short) value);
            case 4 -> memory.putInt(offset, (int) value);
            default -> memory.putLong(offset, value);
        }
    }
}
