package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeMemory;
import org.segno.link.Connection;
import org.segno.link.Link;
import org.segno.link.LinkedPeer;
import org.segno.link.MappedPeer;

/** Connections to linked peers of a large job. */
class LinkedPeersTest {
    private static final int RANKS = 32_768;
    private static final int MAPPED_RANK = 5;

    private final List<Integer> connected = new ArrayList<>();
    private final LinkedPeers peers = new LinkedPeers(RANKS, this::connect);

    private Connection connect(int rank) {
        connected.add(rank);
        return rank == MAPPED_RANK ? new Mapped(rank) : new Linked(rank);
    }

    @Test
    void shouldConnectAPeerOnceWhenItIsFirstUsed() {
        assertThat(connected).isEmpty();
        final LinkedPeer far = peers.get(RANKS - 1);
        assertThat(far.rank()).isEqualTo(RANKS - 1);
        assertThat(peers.get(RANKS - 1)).isSameAs(far);
        assertThat(peers.find(7)).isSameAs(peers.get(7));
        assertThat(connected).containsExactly(RANKS - 1, 7);
    }

    @Test
    void shouldDistinguishAPeerWhoseMemoryIsMapped() {
        assertThat(peers.find(MAPPED_RANK)).isNull();
        assertThatThrownBy(() -> peers.get(MAPPED_RANK))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("rank 5 is not linked");
    }

    private record Linked(int rank) implements LinkedPeer {
        @Override
        public NodeDimensions dimensions() {
            throw new AssertionError("nobody asks");
        }

        @Override
        public Link link(int node, int engine) {
            throw new AssertionError("nobody asks");
        }

        @Override
        public void close() {
            // Has nothing.
        }
    }

    private record Mapped(int rank) implements MappedPeer {
        @Override
        public NodeMemory memory() {
            throw new AssertionError("nobody asks");
        }

        @Override
        public boolean isPeerGone() {
            return false;
        }

        @Override
        public void close() {
            // Has nothing.
        }
    }
}
