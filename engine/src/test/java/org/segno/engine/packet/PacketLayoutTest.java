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
                .message(-1)
                .remaining(1L << 40)
                .payloadLength(512);

        assertThat(raw.getByte(TABLE.offset("kind"))).isEqualTo((byte) PacketKind.GET_DATA);
        assertThat(raw.getByte(TABLE.offset("channel"))).isEqualTo((byte) (Packet.REPLIES | Packet.FIRST));
        assertThat(raw.getShort(TABLE.offset("length"))).isEqualTo((short) 512);
        assertThat(raw.getShort(TABLE.offset("source"))).isEqualTo((short) 0xFFFE);
        assertThat(raw.getShort(TABLE.offset("destination"))).isEqualTo((short) 0x8001);
        assertThat(raw.getInt(TABLE.offset("target"))).isEqualTo(0x11121314);
        assertThat(raw.getInt(TABLE.offset("detail"))).isEqualTo(0x21222324);
        assertThat(raw.getLong(TABLE.offset("offset"))).isEqualTo(0x3132333435363738L);
        assertThat(raw.getInt(TABLE.offset("remaining"))).isEqualTo(Integer.MAX_VALUE);
        assertThat(raw.getInt(TABLE.offset("message"))).isEqualTo(-1);

        assertThat(packet.kind()).isEqualTo(PacketKind.GET_DATA);
        assertThat(packet.channel()).isEqualTo(Packet.REPLIES);
        assertThat(packet.isFirst()).isTrue();
        assertThat(packet.payloadLength()).isEqualTo(512);
        assertThat(packet.source()).isEqualTo(0xFFFE);
        assertThat(packet.destination()).isEqualTo(0x8001);
        assertThat(packet.target()).isEqualTo(0x11121314);
        assertThat(packet.detail()).isEqualTo(0x21222324);
        assertThat(packet.offset()).isEqualTo(0x3132333435363738L);
        assertThat(packet.remaining()).isEqualTo(Integer.MAX_VALUE);
        assertThat(packet.message()).isEqualTo(-1);
        assertThat(packet.payload()).isEqualTo(64 + Packet.LENGTH);
        assertThat(packet.toString()).contains("GET_DATA of rank 65534 for rank 32769");
    }

    @Test
    void shouldDecodeTheHeadAndTheBodyThatWereEncoded() {
        final Random chance = new Random(1);
        final Packet packet = new Packet(MappedMemory.ofProcess(Packet.LENGTH)).wrap(0);
        for (int trial = 0; trial < 10_000; trial++) {
            final int kind = PacketKind.PUT + chance.nextInt(PacketKind.REFUSED);
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
            assertThat(packet.channel()).isEqualTo(PacketKind.channel(kind));
            assertThat(packet.isFirst()).isEqualTo(flags != 0);
            assertThat(packet.in(Packet.HANDLER_REPLIES).channel()).isEqualTo(Packet.HANDLER_REPLIES);
            assertThat(packet.isFirst()).as("still").isEqualTo(flags != 0);
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
    void shouldGiveEveryKindOneChannelAndAName() {
        for (int kind = PacketKind.PUT; kind <= PacketKind.NOTIFYING_PUT; kind++) {
            assertThat(PacketKind.channel(kind)).isEqualTo(Packet.REQUESTS);
            assertThat(PacketKind.isIn(kind, Packet.HANDLER_REPLIES)).isTrue();
            assertThat(PacketKind.isIn(kind, Packet.REPLIES)).isFalse();
        }
        for (int kind = PacketKind.GET_DATA; kind <= PacketKind.REFUSED; kind++) {
            assertThat(PacketKind.channel(kind)).isEqualTo(Packet.REPLIES);
            assertThat(PacketKind.isIn(kind, Packet.REQUESTS)).isFalse();
            assertThat(PacketKind.isIn(kind, Packet.HANDLER_REPLIES)).isFalse();
        }
        assertThat(PacketKind.name(PacketKind.REFUSED)).isEqualTo("REFUSED");
        for (final int unknown : new int[] {-1, 0, 10, 255}) {
            assertThat(PacketKind.channel(unknown)).isEqualTo(-1);
            assertThat(PacketKind.name(unknown)).isEqualTo("unknown(" + unknown + ")");
        }
    }
}
