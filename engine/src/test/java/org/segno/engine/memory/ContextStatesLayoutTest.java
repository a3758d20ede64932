package org.segno.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Random;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.RecordTable;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.geometry.Endpoint;

class ContextStatesLayoutTest {
    private static final RecordTable TABLE = RecordTable.of(ContextStates.class);
    private static final int CONTEXT = 1;

    @TempDir
    Path directory;

    @Test
    void shouldMatchItsTable() {
        try (MappedNodes nodes =
                MappedNodes.create(directory, NodeSize.small().contexts(2).dimensions())) {
            final NodeMemory node = nodes.own(0);
            final ContextStates states = new ContextStates(node);
            final AtomicBuffer raw = node.owner()
                    .buffer(
                            node.layout().offset(Part.CONTEXT_STATES) + NodeLayout.CONTEXT_STATE_LENGTH,
                            NodeLayout.CONTEXT_STATE_LENGTH);
            assertThat(raw.getLong(0)).isZero();
            states.open(CONTEXT, 5, 3);
            assertThat(raw.getShort(TABLE.offset("use"))).isZero();
            assertThat(raw.getByte(TABLE.offset("client"))).isEqualTo((byte) 5);
            assertThat(raw.getByte(TABLE.offset("offset"))).isEqualTo((byte) 3);
            states.close(CONTEXT, 9);
            assertThat(raw.getInt(TABLE.offset("barriers"))).isEqualTo(9 << 1 | 1);
            assertThat(raw.getByte(TABLE.offset("client"))).isEqualTo((byte) 5);
            states.reopen(CONTEXT);
            assertThat(raw.getShort(TABLE.offset("use"))).isEqualTo((short) 1);
            assertThat(raw.getByte(TABLE.offset("client"))).isZero();
            assertThat(raw.getByte(TABLE.offset("offset"))).isZero();
            assertThat(raw.getInt(TABLE.offset("barriers"))).isEqualTo(9 << 1);
            assertThat(states.stateAcquire(0)).as("of another context").isZero();
        }
    }

    @Test
    void shouldAdmitOnlyThePresentUseOfAnOpenContext() {
        try (MappedNodes nodes =
                MappedNodes.create(directory, NodeSize.small().contexts(2).dimensions())) {
            final ContextStates states = new ContextStates(nodes.own(0));
            final ContextStates seen = new ContextStates(nodes.asPeer(0));
            for (int use = 0; use < Endpoint.USES; use++) {
                final int present = Endpoint.idOf(CONTEXT, use);
                states.open(CONTEXT, 1 + use % 63, use % 64);
                assertThat(ContextStates.admits(seen.stateAcquire(CONTEXT), present))
                        .isTrue();
                assertThat(ContextStates.admits(seen.stateAcquire(CONTEXT), Endpoint.idOf(CONTEXT, use ^ 1)))
                        .isFalse();
                final int origin = ContextStates.origin(CONTEXT, seen.stateAcquire(CONTEXT));
                assertThat(ContextStates.endpoint(7, origin))
                        .isEqualTo(Endpoint.of(7, 1 + use % 63, use % 64, CONTEXT, use));

                states.close(CONTEXT, use);
                assertThat(ContextStates.isClosing(seen.stateAcquire(CONTEXT))).isTrue();
                assertThat(ContextStates.admits(seen.stateAcquire(CONTEXT), present))
                        .isFalse();
                assertThat(ContextStates.origin(CONTEXT, seen.stateAcquire(CONTEXT)))
                        .as("what is left to send comes from the old use")
                        .isEqualTo(origin);

                assertThat(states.hasNextUse(CONTEXT)).isEqualTo(use < Endpoint.USES - 1);
                if (states.hasNextUse(CONTEXT)) {
                    states.reopen(CONTEXT);
                }
                assertThat(ContextStates.isBehind(seen.stateAcquire(CONTEXT), use))
                        .isFalse();
                assertThat(ContextStates.isBehind(seen.stateAcquire(CONTEXT), use + 1))
                        .isTrue();
                assertThat(ContextStates.admits(seen.stateAcquire(CONTEXT), present))
                        .isFalse();
            }
        }
    }

    @Test
    void shouldReturnThePartsOfAnOrigin() {
        final Random chance = new Random(1);
        for (int trial = 0; trial < 10_000; trial++) {
            final int id = chance.nextInt(0x1_0000);
            final int client = chance.nextInt(64);
            final int offset = chance.nextInt(64);
            final int origin = ContextStates.origin(id, client, offset);
            assertThat(ContextStates.originId(origin)).isEqualTo(id);
            assertThat(ContextStates.originContext(origin)).isEqualTo(Endpoint.contextOf(id));
            assertThat(ContextStates.originClient(origin)).isEqualTo(client);
            assertThat(ContextStates.originOffset(origin)).isEqualTo(offset);
            assertThat(origin >>> ContextStates.ORIGIN_BITS).isZero();
        }
        assertThat(ContextStates.origin(5)).isEqualTo(ContextStates.origin(5, 0L));
    }
}
