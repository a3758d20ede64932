package org.segno.engine.packet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.segno.RecordTable;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;

class PacketLayoutTest {
    private static final RecordTable TABLE = RecordTable.of(Packet.class);

    @Test
    void shouldAccountForEveryByteOfTheHeader() {
        assertThat(TABLE.requireWhole().length()).isEqualTo(Packet.LENGTH).isEqualTo(32);
    }

    @Test
    void shouldMatchItsTable() {
        final Memory memory = MappedMemory.ofProcess(128);
        final AtomicBuffer raw = memory.buffer(64, Packet.LENGTH);
        raw.setMemory(0, Packet.LENGTH, (byte) 0xEE);
        final Packet packet = new Packet(memory)
                .wrap(64)
                .head(PacketKind.GET_DATA, Packet.FIRST, 0xFFFE, 0x8001)
                .target(0x11121314, 0x21222324, 0x3132333435363738L)
                .remaining(0x7142_4344_4546_4748L)
                .payloadLength(512);

        assertThat(raw.getByte(TABLE.offset("kind"))).isEqualTo((byte) PacketKind.GET_DATA);
        assertThat(raw.getByte(TABLE.offset("flags"))).isEqualTo((byte) Packet.FIRST);
        assertThat(raw.getShort(TABLE.offset("length"))).isEqualTo((short) 512);
        assertThat(raw.getShort(TABLE.offset("source"))).isEqualTo((short) 0xFFFE);
        assertThat(raw.getShort(TABLE.offset("destination"))).isEqualTo((short) 0x8001);
        assertThat(raw.getInt(TABLE.offset("target"))).isEqualTo(0x11121314);
        assertThat(raw.getInt(TABLE.offset("detail"))).isEqualTo(0x21222324);
        assertThat(raw.getLong(TABLE.offset("offset"))).isEqualTo(0x3132333435363738L);
        assertThat(raw.getLong(TABLE.offset("remaining"))).isEqualTo(0x7142_4344_4546_4748L);

        assertThat(packet.kind()).isEqualTo(PacketKind.GET_DATA);
        assertThat(packet.flags()).isEqualTo(Packet.FIRST);
        assertThat(packet.isFirst()).isTrue();
        assertThat(packet.payloadLength()).isEqualTo(512);
        assertThat(packet.source()).isEqualTo(0xFFFE);
        assertThat(packet.destination()).isEqualTo(0x8001);
        assertThat(packet.target()).isEqualTo(0x11121314);
        assertThat(packet.detail()).isEqualTo(0x21222324);
        assertThat(packet.offset()).isEqualTo(0x3132333435363738L);
        assertThat(packet.remaining()).isEqualTo(0x7142_4344_4546_4748L);
        assertThat(packet.bodyLength()).isEqualTo(0x4546_4748);
        assertThat(packet.request()).isEqualTo(0x7142_4344);
        assertThat(packet.payload()).isEqualTo(64 + Packet.LENGTH);
        assertThat(packet.toString()).contains("GET_DATA of rank 65534 for rank 32769");
    }

    @Test
    void shouldKeepTheNumberAndTheNoticeOfAPutInItsPayload() {
        final Memory memory = MappedMemory.ofProcess(128);
        final AtomicBuffer raw = memory.buffer(Packet.LENGTH, Packet.NOTICE_PREFIX_LENGTH);
        final Packet packet = new Packet(memory)
                .wrap(0)
                .head(PacketKind.NOTIFYING_PUT, 0, 1, 2)
                .remaining(1L << 40)
                .number(0x51525354)
                .notice(0x6162 | 0x7172 << Short.SIZE, 0x11121314, 1L << 41, 1L << 42);

        assertThat(raw.getInt(0)).isEqualTo(0x51525354);
        assertThat(raw.getInt(4)).as("reserved").isZero();
        assertThat(raw.getShort(8)).isEqualTo((short) 0x6162);
        assertThat(raw.getShort(10)).isEqualTo((short) 0x7172);
        assertThat(raw.getInt(12)).isEqualTo(0x11121314);
        assertThat(raw.getLong(16)).isEqualTo(1L << 41);
        assertThat(raw.getLong(24)).isEqualTo(1L << 42);
        assertThat(packet.remaining()).isEqualTo(1L << 40);
        assertThat(packet.isFirst()).isFalse();
        assertThat(packet.number()).isEqualTo(0x51525354);
        assertThat(packet.noticeDispatchId()).isEqualTo(0x6162);
        assertThat(packet.noticeContext()).isEqualTo(0x7172);
        assertThat(packet.noticeOrigin()).isEqualTo(0x11121314);
        assertThat(packet.wholeOffset()).isEqualTo(1L << 41);
        assertThat(packet.wholeLength()).isEqualTo(1L << 42);
    }

    @Test
    void shouldNameTheRefusedPacketByItsStreamAndItsNumber() {
        final Packet packet = new Packet(MappedMemory.ofProcess(Packet.LENGTH)).wrap(0);
        packet.head(PacketKind.REFUSED, Packet.FIRST, 1, 2).refused(-42, Frame.HANDLER_REPLIES, 0x81828384, 1L << 40);
        assertThat(packet.target()).isEqualTo(-42);
        assertThat(packet.detail()).isEqualTo(Frame.HANDLER_REPLIES);
        assertThat(packet.offset()).isEqualTo(1L << 40);
        assertThat(packet.request()).isEqualTo(0x81828384);
    }

    @Test
    void shouldDecodeTheRangesOfPuts() {
        final Random chance = new Random(2);
        for (int trial = 0; trial < 1_000; trial++) {
            final int count = 1 + chance.nextInt(100);
            final int prefix = Packet.runPrefixLength(count);
            assertThat(prefix).isEqualTo((6 * count + 7) / 8 * 8);
            final Packet packet = new Packet(MappedMemory.ofProcess(Packet.LENGTH + prefix + 1)).wrap(0);
            packet.memory().putByte(packet.payload() + prefix, (byte) 77);
            final long first = chance.nextLong() >> 1;
            packet.head(PacketKind.PUTS, Packet.FIRST, 1, 2).target(3, 4, first).remaining(count);
            final int[] offsets = new int[count];
            final int[] lengths = new int[count];
            for (int i = 0; i < count; i++) {
                offsets[i] = chance.nextInt();
                lengths[i] = halfWord(chance);
                packet.put(count, i, offsets[i], lengths[i]);
            }
            for (int i = 0; i < count; i++) {
                assertThat(packet.putOffset(i)).isEqualTo(first + offsets[i]);
                assertThat(packet.putLength(count, i)).isEqualTo(lengths[i]);
            }
            assertThat(packet.memory().getByte(packet.payload() + prefix)).isEqualTo((byte) 77);
        }
    }

    @Test
    void shouldDecodeTheStrideOfPuts() {
        final Random chance = new Random(3);
        for (int trial = 0; trial < 1_000; trial++) {
            final int count = chance.nextInt();
            final int stride = chance.nextInt();
            final Packet packet = new Packet(MappedMemory.ofProcess(Packet.LENGTH)).wrap(0);
            packet.head(PacketKind.PUTS, Packet.FIRST, 1, 2).target(3, 4, 5);
            assertThat(packet.remaining(count & 0xFFFFL).stride()).isZero();
            packet.strided(count, stride);
            assertThat(packet.puts()).isEqualTo(count);
            assertThat(packet.stride()).isEqualTo(stride);
            assertThat(packet.offset()).isEqualTo(5);
        }
    }

    @Test
    void shouldDecodeTheMessagesOfOnePacketThatWereEncoded() {
        final Random chance = new Random(4);
        for (int trial = 0; trial < 1_000; trial++) {
            final int count = 1 + chance.nextInt(20);
            final int prefix = Packet.runPrefixLength(count);
            final Packet packet = new Packet(MappedMemory.ofProcess(Packet.LENGTH + prefix + 1)).wrap(0);
            packet.memory().putByte(packet.payload() + prefix, (byte) 77);
            packet.head(PacketKind.SENDS, Packet.FIRST, 1, 2).body(0, 5, 0).remaining(count);
            final int[][] fields = new int[count][];
            for (int i = 0; i < count; i++) {
                fields[i] = new int[] {halfWord(chance), halfWord(chance), halfWord(chance)};
                packet.send(count, i, fields[i][0], fields[i][1], fields[i][2]);
            }
            for (int i = 0; i < count; i++) {
                assertThat(packet.sendDispatchId(count, i)).isEqualTo(fields[i][0]);
                assertThat(packet.sendMetadataLength(count, i)).isEqualTo(fields[i][1]);
                assertThat(packet.sendLength(count, i)).isEqualTo(fields[i][2]);
            }
            assertThat(packet.context()).isEqualTo(5);
            assertThat(packet.remaining()).isEqualTo(count);
            assertThat(packet.memory().getByte(packet.payload() + prefix)).isEqualTo((byte) 77);
        }
    }

    @Test
    void shouldDecodeTheHeadAndTheBodyThatWereEncoded() {
        final Random chance = new Random(1);
        final Packet packet = new Packet(MappedMemory.ofProcess(Packet.LENGTH)).wrap(0);
        for (int trial = 0; trial < 10_000; trial++) {
            final int kind = PacketKind.PUT + chance.nextInt(PacketKind.CONTEXT_STATE);
            final int flags = chance.nextBoolean() ? Packet.FIRST : 0;
            final int source = halfWord(chance);
            final int destination = halfWord(chance);
            final int dispatchId = halfWord(chance);
            final int context = halfWord(chance);
            final int metadataLength = chance.nextInt();
            final int offset = chance.nextInt();
            final int origin = chance.nextInt();
            packet.head(kind, flags, source, destination)
                    .body(dispatchId, context, metadataLength)
                    .part(offset, origin);
            assertThat(packet.kind()).isEqualTo(kind);
            assertThat(packet.isFirst()).isEqualTo(flags != 0);
            assertThat(packet.source()).isEqualTo(source);
            assertThat(packet.destination()).isEqualTo(destination);
            assertThat(packet.dispatchId()).isEqualTo(dispatchId);
            assertThat(packet.context()).isEqualTo(context);
            assertThat(packet.metadataLength()).isEqualTo(metadataLength);
            assertThat(packet.partOffset()).isEqualTo(offset);
            assertThat(packet.origin()).isEqualTo(origin);
        }
    }

    private static int halfWord(Random chance) {
        return switch (chance.nextInt(4)) {
            case 0 -> 0;
            case 1 -> 0xFFFF;
            default -> chance.nextInt(0x1_0000);
        };
    }

    @Test
    void shouldGiveEveryKindOneStreamAndAName() {
        for (int kind = PacketKind.PUT; kind <= PacketKind.SENDS; kind++) {
            assertThat(PacketKind.stream(kind)).isEqualTo(Frame.REQUESTS);
            assertThat(PacketKind.isIn(kind, Frame.HANDLER_REPLIES)).isTrue();
            assertThat(PacketKind.isIn(kind, Frame.REPLIES)).isFalse();
        }
        for (int kind = PacketKind.GET_DATA; kind <= PacketKind.LANE; kind++) {
            assertThat(PacketKind.stream(kind)).isEqualTo(Frame.REPLIES);
            assertThat(PacketKind.isIn(kind, Frame.REQUESTS)).isFalse();
            assertThat(PacketKind.isIn(kind, Frame.HANDLER_REPLIES)).isFalse();
        }
        assertThat(PacketKind.name(PacketKind.REFUSED)).isEqualTo("REFUSED");
        for (final int unknown : new int[] {-1, 0, 18, 255}) {
            assertThat(PacketKind.stream(unknown)).isEqualTo(-1);
            assertThat(PacketKind.name(unknown)).isEqualTo("unknown(" + unknown + ")");
        }
    }
}
