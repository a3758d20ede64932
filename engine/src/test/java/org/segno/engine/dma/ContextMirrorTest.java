package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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
    private static final int ROUNDS = 20_000;

    @TempDir
    Path directory;

    private static Packet state(int context, int more, long state) {
        return new Packet(MappedMemory.ofProcess(Packet.LENGTH))
                .head(PacketKind.CONTEXT_STATE, Packet.FIRST, 1, 0)
                .target(context, more, state);
    }

    /** Reads the last context as soon as context 0 shows the introduction, in another thread and many times. */
    @Test
    @Timeout(60)
    void shouldShowAnIntroductionOnceItIsComplete() throws Exception {
        final AtomicReference<Peer> current = new AtomicReference<>();
        final AtomicReference<Peer> watched = new AtomicReference<>();
        final AtomicInteger seen = new AtomicInteger();
        try (MappedNodes nodes = MappedNodes.create(
                directory, NodeSize.small().contexts(CONTEXTS).dimensions())) {
            final Thread reader = new Thread(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    seen.set(useOfTheLastContext(take(current), watched));
                    current.set(null);
                }
            });
            reader.setDaemon(true);
            reader.start();
            for (int round = 0; round < ROUNDS; round++) {
                final Peer peer = Peer.linked(1, nodes.own(1).layout().dimensions());
                final ContextMirror mirror = mirror(nodes.own(0), peer);
                current.set(peer);
                while (watched.get() != peer) {
                    Thread.onSpinWait();
                }
                if (round % 2 == 1) {
                    mirror.accept(state(0, MORE, 7));
                    mirror.accept(state(1, 0, 5));
                }
                mirror.received();
                while (current.get() != null) {
                    Thread.onSpinWait();
                }
                assertThat(seen.get()).as("round %d", round).isZero();
                assertThat(use(peer, 0)).isEqualTo(round % 2 * 7);
                assertThat(use(peer, 1)).isEqualTo(round % 2 * 5);
            }
            reader.join();
        }
    }

    @Test
    void shouldTakeTheUnknownUseOfAPeerForItsFirst() {
        try (MappedNodes nodes =
                MappedNodes.create(directory, NodeSize.small().contexts(2).dimensions())) {
            final Peer peer = Peer.linked(1, nodes.own(1).layout().dimensions());
            final ContextMirror mirror = mirror(nodes.own(0), peer);
            mirror.accept(state(0, 0, ContextStates.UNKNOWN_USE));
            mirror.received();
            assertThat(use(peer, 0)).isZero();
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

    private static Peer take(AtomicReference<Peer> next) {
        Peer peer = next.get();
        while (peer == null) {
            Thread.onSpinWait();
            peer = next.get();
        }
        return peer;
    }

    /** Waits for the introduction as a context does, and reads another state then. */
    private static int useOfTheLastContext(Peer peer, AtomicReference<Peer> watched) {
        boolean isKnown = false;
        while (!isKnown) {
            isKnown = use(peer, 0) != ContextStates.UNKNOWN_USE;
            watched.set(peer);
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
