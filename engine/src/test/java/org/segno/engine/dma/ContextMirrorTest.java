package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.memory.ContextStates;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.Peer;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;

/** The introduction of a linked peer, seen by the threads of an application. */
class ContextMirrorTest {
    private static final int CONTEXTS = 64;
    private static final int MORE = 1;

    @TempDir
    Path directory;

    private static Packet state(int context, int more, long state) {
        return new Packet(MappedMemory.ofProcess(Packet.LENGTH))
                .head(PacketKind.CONTEXT_STATE, Packet.FIRST, 1, 0)
                .target(context, more, state);
    }

    @Test
    void shouldShowAnIntroductionOnceItIsComplete() throws Exception {
        try (MappedNodes nodes = MappedNodes.create(
                directory, NodeSize.small().contexts(CONTEXTS).dimensions())) {
            for (int round = 0; round < 2_000; round++) {
                final Peer peer = Peer.linked(1, nodes.own(1).layout().dimensions());
                final ContextMirror mirror = mirror(nodes.own(0), peer);
                final CompletableFuture<Integer> seen = CompletableFuture.supplyAsync(() -> useOfTheLastContext(peer));
                if (round % 2 == 1) {
                    mirror.accept(state(0, MORE, 7));
                    mirror.accept(state(1, 0, 5));
                }
                mirror.received();

                assertThat(seen.get()).as("round %d", round).isZero();
                assertThat(use(peer, 0)).isEqualTo(round % 2 * 7);
                assertThat(use(peer, 1)).isEqualTo(round % 2 * 5);
            }
        }
    }

    @Test
    void shouldKeepAChangeOfContextZeroAfterTheIntroduction() {
        try (MappedNodes nodes =
                MappedNodes.create(directory, NodeSize.small().contexts(2).dimensions())) {
            final Peer peer = Peer.linked(1, nodes.own(1).layout().dimensions());
            final ContextMirror mirror = mirror(nodes.own(0), peer);
            mirror.accept(state(0, MORE, 7));
            mirror.received();
            assertThat(use(peer, 0)).isEqualTo(ContextStates.UNKNOWN_USE);
            mirror.accept(state(1, 0, 5));
            mirror.received();
            assertThat(use(peer, 0)).isEqualTo(7);

            mirror.accept(state(0, 0, 8));
            assertThat(use(peer, 0)).isEqualTo(8);
            mirror.received();
            assertThat(use(peer, 0)).isEqualTo(8);
        }
    }

    /** Waits for the introduction as a context does, and reads another state then. */
    private static int useOfTheLastContext(Peer peer) {
        while (use(peer, 0) == ContextStates.UNKNOWN_USE) {
            Thread.onSpinWait();
        }
        return use(peer, CONTEXTS - 1);
    }

    private static int use(Peer peer, int context) {
        return ContextStates.use(peer.states(0).stateAcquire(context));
    }

    /** Returns a mirror that only receives, so that it needs no port. */
    @SuppressWarnings("NullAway")
    private static ContextMirror mirror(NodeMemory node, Peer peer) {
        return new ContextMirror(null, node, peer, 0);
    }
}
