package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.metrics.Metric;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.link.PacketEnd;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;

/**
 * Packets of a fuzzer, on a link that is real but for the wire: each lands or is refused, and nothing else is written.
 */
@Tag("fuzz")
class PacketFuzzTest {
    private static final byte CANARY = 0x6B;
    private static final long CANARIES = 0x6B6B_6B6B_6B6B_6B6BL;
    private static final int ARENA = 1 << 13;
    private static final int WINDOW = 2048;
    private static final int RANGE_AT = 512;
    private static final int RANGE = 1024;
    private static final int FETCHED = 1024;
    private static final int LINK_BYTES = 8192;
    private static final int PACKETS = 8;
    private static final int FRAMES = 16;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context victim;
    private PacketEnd link;
    private int room;
    private Window exported;
    private Window fetched;
    private ReceptionCounter counter;
    private InjectionCounter done;
    private OwnerHalfSnapshot own;

    @BeforeEach
    void make() {
        engines = EngineFixture.linked(
                directory, NodeSize.small().ranks(3).windowBytes(ARENA).dimensions(), LINK_BYTES);
        victim = engines.context(1);
        link = new PacketEnd(engines.link(0, 1));
        room = link.room(Frame.REQUESTS);
        engines.client(1).window(128);
        exported = engines.client(1).window(WINDOW);
        fetched = engines.client(1).window(WINDOW);
        counter = engines.client(1).receptionCounter(exported, RANGE_AT, RANGE, 0, Right.values());
        done = engines.client(1).injectionCounter();
        engines.memory(1).arena().buffer(0, ARENA).setMemory(0, ARENA, CANARY);
        own = new OwnerHalfSnapshot(engines.memory(1));
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @FuzzTest(maxDuration = "1m")
    void shouldSurviveAnyPacket(FuzzedDataProvider data) {
        if (data.consumeBoolean()) {
            victim.get(new Target(0, 1, 1, WINDOW, false), 0, fetched, 0, FETCHED, done);
            victim.advance();
        }
        int count = 0;
        while (count < PACKETS && (count == 0 || data.remainingBytes() != 0)) {
            forge(data);
            count++;
        }
        victim.advance();
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            link.poll(stream, packet -> {}, FRAMES);
            assertThat(link.room(stream))
                    .as("all of stream %d is taken", stream)
                    .isGreaterThanOrEqualTo(room - 1);
        }
        engines.requireNothingThrown();
        assertThat(engines.metrics(1).get(Metric.QUARANTINED_LANES)).isZero();
        requireNothingElseWritten();
    }

    private void forge(FuzzedDataProvider data) {
        final int kind = 1 + (data.consumeByte() & 0xFF) % PacketKind.CONTEXT_STATE;
        final int first = PacketKind.stream(kind);
        final int stream = first == Frame.REQUESTS && data.consumeBoolean() ? Frame.HANDLER_REPLIES : first;
        final Packet packet = link.claim(stream)
                .head(kind, data.consumeBoolean() ? Packet.FIRST : 0, 0, 1)
                .target(kind == PacketKind.SEND ? 5 : counter.id(), kind == PacketKind.SEND ? 8 : 1, 8)
                .payloadLength(kind == PacketKind.GET ? Long.BYTES : 64);
        if (PacketKind.isPut(kind)) {
            packet.remaining(64 - Packet.PUT_PREFIX_LENGTH).number(data.consumeByte());
        } else {
            packet.bodyLength(64).request(0);
        }
        final Memory memory = packet.memory();
        final long header = packet.payload() - Packet.LENGTH;
        memory.putLong(packet.payload() + Packet.PUT_PREFIX_LENGTH, data.consumeByte());
        if (!PacketKind.isPut(kind)) {
            memory.putLong(packet.payload(), data.consumeByte());
        }
        if (data.consumeBoolean()) {
            final byte[] all = data.consumeBytes(Packet.LENGTH);
            for (int i = 0; i < all.length; i++) {
                memory.putByte(header + i, all[i]);
            }
        } else {
            memory.putInt(header - Frame.LENGTH + Integer.BYTES * data.consumeLong(0, 13), data.consumeInt());
            memory.putShort(header + Short.BYTES * data.consumeLong(0, 15), data.consumeShort());
        }
        link.publish(stream);
    }

    private void requireNothingElseWritten() {
        requireCanaries(0, exported.base() + RANGE_AT);
        requireCanaries(exported.base() + RANGE_AT + RANGE, fetched.base());
        requireCanaries(fetched.base() + FETCHED, ARENA);
        for (final int origin : new int[] {1, 2}) {
            for (int at = 0; at < engines.memory(1).layout().dimensions().laneBytes(); at += Long.BYTES) {
                assertThat(engines.memory(1).peers().getLong(engines.memory(1).laneOffset(0, origin) + at))
                        .as("word at %d of the lane of rank %d", at, origin)
                        .isZero();
            }
        }
        own.require("owner's half");
    }

    private void requireCanaries(long from, long to) {
        for (long at = from; at < to; at += Long.BYTES) {
            if (engines.memory(1).arena().getLong(at) != CANARIES) {
                throw new AssertionError("word at " + at + " of the arena");
            }
        }
    }
}
