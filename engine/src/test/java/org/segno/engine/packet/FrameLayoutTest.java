package org.segno.engine.packet;

import static org.assertj.core.api.Assertions.assertThat;

import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.segno.RecordTable;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;

class FrameLayoutTest {
    private static final RecordTable TABLE = RecordTable.of(Frame.class);

    @Test
    void shouldAccountForEveryByteOfTheHeader() {
        assertThat(TABLE.requireWhole().length()).isEqualTo(Frame.LENGTH).isEqualTo(16);
    }

    @Test
    void shouldMatchItsTable() {
        final Memory memory = MappedMemory.ofProcess(64);
        final AtomicBuffer raw = memory.buffer(32, Frame.LENGTH);
        raw.setMemory(0, Frame.LENGTH, (byte) 0xEE);
        Frame.counts(memory, 32, 0x81828384, 0x91929394, 0xA1A2A3A4);
        Frame.head(memory, 32, 0xFEDC, 0xC1C2C3C4);

        assertThat(raw.getShort(TABLE.offset("packets"))).isEqualTo((short) 0xFEDC);
        assertThat(Frame.packets(memory, 32)).isEqualTo(0xFEDC);
        assertThat(raw.getInt(TABLE.offset("requests"))).isEqualTo(0x81828384);
        assertThat(Frame.requests(memory, 32)).isEqualTo(0x81828384);
        assertThat(raw.getInt(TABLE.offset("handlerReplies"))).isEqualTo(0x91929394);
        assertThat(Frame.handlerReplies(memory, 32)).isEqualTo(0x91929394);
        assertThat(raw.getInt(TABLE.offset("hits"))).isEqualTo(0xA1A2A3A4);
        assertThat(Frame.hits(memory, 32)).isEqualTo(0xA1A2A3A4);
        assertThat(raw.getShort(TABLE.offset("replies"))).isEqualTo((short) 0xC3C4);
        for (final int missing : new int[] {0, 1, 32_767, -1, -32_768}) {
            assertThat(Frame.missingReplies(memory, 32, 0xC1C2C3C4 - missing)).isEqualTo(missing);
        }
    }

    @Test
    void shouldPadPackets() {
        for (int length = 0; length < 100; length++) {
            assertThat(Frame.packetLength(length))
                    .isBetween(Packet.LENGTH + length, Packet.LENGTH + length + 7)
                    .matches(bytes -> bytes % Frame.ALIGNMENT == 0);
        }
    }

    @Test
    void shouldHoldTheLongestPacketOfItsLimit() {
        for (final int limit : new int[] {Frame.MIN_LIMIT, 560, Frame.MAX_LIMIT}) {
            final int payload = Frame.payloadLimit(limit);
            assertThat(Frame.LENGTH + Frame.packetLength(payload)).isEqualTo(limit);
            assertThat(payload).isLessThanOrEqualTo(0xFFFF);
        }
    }
}
