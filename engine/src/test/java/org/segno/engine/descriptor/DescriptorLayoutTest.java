package org.segno.engine.descriptor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.RecordTable;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeSize;

class DescriptorLayoutTest {
    private static final RecordTable TABLE = RecordTable.of(Descriptor.class);

    @Test
    void shouldAccountForEveryByteOfOneCacheLine() {
        assertThat(TABLE.requireWhole().length())
                .isEqualTo(Descriptor.LENGTH)
                .isEqualTo(NodeLayout.DESCRIPTOR_LENGTH)
                .isEqualTo(64);
    }

    @Test
    void shouldMatchItsTable() {
        assertThat(Map.ofEntries(
                        Map.entry("operation", Descriptor.OPERATION_OFFSET),
                        Map.entry("flags", Descriptor.FLAGS_OFFSET),
                        Map.entry("reserved", Descriptor.RESERVED_OFFSET),
                        Map.entry("rank", Descriptor.RANK_OFFSET),
                        Map.entry("target id", Descriptor.TARGET_OFFSET),
                        Map.entry("target detail", Descriptor.DETAIL_OFFSET),
                        Map.entry("source offset", Descriptor.SOURCE_OFFSET_OFFSET),
                        Map.entry("source operand", Descriptor.SOURCE_OPERAND_OFFSET),
                        Map.entry("injection counter", Descriptor.INJECTION_COUNTER_OFFSET),
                        Map.entry("target offset", Descriptor.TARGET_OFFSET_OFFSET),
                        Map.entry("operand", Descriptor.OPERAND_OFFSET),
                        Map.entry("comparand", Descriptor.COMPARAND_OFFSET),
                        Map.entry("length", Descriptor.LENGTH_OFFSET)))
                .allSatisfy((field, offset) -> assertThat(offset).as(field).isEqualTo(TABLE.offset(field)));
        // Fields within fields.
        assertThat(Descriptor.CONTEXT_OFFSET).isEqualTo(TABLE.offset("target id") + 2);
        assertThat(Descriptor.IMMEDIATE_LENGTH_OFFSET).isEqualTo(TABLE.offset("target detail") + 1);
        assertThat(Descriptor.INLINE_OFFSET).isEqualTo(TABLE.offset("target offset"));
        assertThat(Descriptor.INLINE_OFFSET + Descriptor.MAX_IMMEDIATE_LENGTH).isEqualTo(Descriptor.LENGTH);
        assertThat(Descriptor.INLINE_OFFSET + Descriptor.MAX_INLINE_METADATA_LENGTH)
                .isEqualTo(TABLE.offset("length"));
    }

    @Test
    void shouldReadEachFieldWhereItLies(@TempDir Path directory) {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final Memory memory = nodes.own(0).arena();
            final AtomicBuffer raw = memory.buffer(0, 3 * Descriptor.LENGTH);
            raw.setMemory(0, raw.capacity(), (byte) 0xEE);
            final int at = Descriptor.LENGTH;
            memory.putLong(at, Descriptor.head(Operation.PUT, Descriptor.ALTERNATE | Descriptor.DEPOSIT, 0x01020304));
            memory.putLong(at + Descriptor.TARGET_OFFSET, Descriptor.counterTarget(0x11121314, 0x21222324));
            memory.putLong(at + Descriptor.SOURCE_OFFSET_OFFSET, 0x3132333435363738L);
            memory.putLong(at + Descriptor.SOURCE_OPERAND_OFFSET, Descriptor.source(0x41424344, Descriptor.NO_COUNTER));
            memory.putLong(at + Descriptor.TARGET_OFFSET_OFFSET, 0x5152535455565758L);
            memory.putLong(at + Descriptor.LENGTH_OFFSET, 0x6162636465666768L);

            final Descriptor descriptor = new Descriptor(memory).wrap(at);
            assertThat(descriptor.operation()).isEqualTo(Operation.PUT).isEqualTo(raw.getByte(at));
            assertThat(descriptor.flags()).isEqualTo(0x11).isEqualTo(raw.getByte(at + TABLE.offset("flags")));
            assertThat(descriptor.reserved()).isZero();
            assertThat(raw.getShort(at + TABLE.offset("reserved"))).isZero();
            raw.putShort(at + TABLE.offset("reserved"), (short) 0x8001);
            assertThat(descriptor.reserved()).isEqualTo(0x8001);
            assertThat(descriptor.rank()).isEqualTo(0x01020304).isEqualTo(raw.getInt(at + TABLE.offset("rank")));
            assertThat(descriptor.target()).isEqualTo(0x11121314);
            assertThat(descriptor.dispatchId()).isEqualTo(0x1314);
            assertThat(descriptor.context()).isEqualTo(0x1112);
            assertThat(descriptor.incarnation()).isEqualTo(0x21222324);
            assertThat(descriptor.metadataLength()).isEqualTo(0x24);
            assertThat(descriptor.immediateLength()).isEqualTo(0x23);
            assertThat(descriptor.sourceOffset()).isEqualTo(0x3132333435363738L);
            assertThat(descriptor.sourceOperand()).isEqualTo(0x41424344);
            assertThat(descriptor.injectionCounter()).isEqualTo(-1);
            assertThat(descriptor.targetOffset()).isEqualTo(0x5152535455565758L);
            assertThat(descriptor.amount()).isEqualTo(descriptor.targetOffset());
            assertThat(descriptor.length()).isEqualTo(0x6162636465666768L);
            assertThat(descriptor.toString()).contains("PUT to rank 16909060");
        }
    }

    @Test
    void shouldHoldTheTargetsOfAMulticastInTheFieldsThatASendDoesNotUse(@TempDir Path directory) {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final Memory memory = nodes.own(0).arena();
            memory.putLong(0, Descriptor.head(Operation.MULTICAST, 0, 0x1234));
            memory.putLong(Descriptor.TARGET_OFFSET, 0x0000_0518_0003_0007L);
            memory.putLong(Descriptor.METADATA_OPERAND_OFFSET, Descriptor.metadata(9, 100));
            for (int target = 1; target < Descriptor.MAX_TARGETS; target++) {
                memory.putInt(Descriptor.further(target), (0xFFF0 + target) | (60 + target) << 16);
            }
            final Descriptor descriptor = new Descriptor(memory).wrap(0);
            assertThat(descriptor.targets()).isEqualTo(Descriptor.MAX_TARGETS);
            assertThat(descriptor.dispatchId()).isEqualTo(7);
            assertThat(descriptor.metadataLength()).isEqualTo(0x18);
            assertThat(descriptor.metadataOperand()).isEqualTo(9);
            assertThat(descriptor.length()).isEqualTo(100);
            assertThat(descriptor.targetRank(0)).isEqualTo(0x1234);
            assertThat(descriptor.targetContext(0)).isEqualTo(3);
            for (int target = 1; target < Descriptor.MAX_TARGETS; target++) {
                assertThat(descriptor.targetRank(target)).isEqualTo(0xFFF0 + target);
                assertThat(descriptor.targetContext(target)).isEqualTo(60 + target);
            }
            assertThat(descriptor.toString()).startsWith("MULTICAST to ranks 4660, 65521, 65522, 65523, 65524 target ");
            assertThat(Descriptor.further(Descriptor.MAX_TARGETS)).isEqualTo(Descriptor.LENGTH);
            assertThat(Descriptor.further(1)).isEqualTo(Descriptor.MULTICAST_LENGTH_OFFSET + Integer.BYTES);
        }
    }

    @Test
    void shouldHoldTypeAndOperatorOfACombineInTheDetailAndItsThirdOperandInTheOperandWords(@TempDir Path directory) {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final Memory memory = nodes.own(0).arena();
            final long target = Descriptor.combineTarget(0x01020304, 22, 0xFE);
            memory.putLong(0, Descriptor.head(Operation.COMBINE, Descriptor.THIRD, 0));
            memory.putLong(Descriptor.TARGET_OFFSET, target);
            memory.putLong(TABLE.offset("operand"), 4096);
            memory.putInt(TABLE.offset("comparand"), 77);
            assertThat(memory.getByte(TABLE.offset("target detail"))).isEqualTo((byte) 22);
            assertThat(memory.getByte(TABLE.offset("target detail") + 1)).isEqualTo((byte) 0xFE);
            assertThat(memory.getShort(TABLE.offset("target detail") + 2)).isZero();
            assertThat(Descriptor.window(target)).isEqualTo(0x01020304);
            assertThat(Descriptor.elementType(target)).isEqualTo(22);
            assertThat(Descriptor.operator(target)).isEqualTo(0xFE);
            assertThat(Descriptor.operator(target | 1L << 48))
                    .as("the rest of the detail must be zero")
                    .isEqualTo(0x1FE);
            assertThat(Descriptor.withOperand(target, -2)).isEqualTo(Descriptor.combineTarget(-2, 22, 0xFE));
            assertThat(new Descriptor(memory).wrap(0).toString())
                    .startsWith("COMBINE of type 22 by operator 254 with third 77 offset 4096 target ");
        }
    }

    @Test
    void shouldNameEveryOperationAndTheNumberOfAnUnknownOne() {
        assertThat(Operation.name(Operation.PUT)).isEqualTo("PUT");
        assertThat(Operation.name(Operation.ARM)).isEqualTo("ARM");
        assertThat(Operation.name(Operation.MULTICAST)).isEqualTo("MULTICAST");
        for (final int unknown : new int[] {-128, -1, 0, 11, 127}) {
            assertThat(Operation.name(unknown)).isEqualTo("unknown(" + unknown + ")");
        }
    }
}
