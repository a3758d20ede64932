package org.segno.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Names that were looked up at a linked peer, one after the other for the uses of its counters. */
class LearnedNamesTest {
    @Test
    void shouldKeepTheNameOfTheLastUseAlone() {
        final Peer peer = Peer.linked(1, NodeSize.small().dimensions());
        peer.learn("in", new NameDirectory.Entry(NameDirectory.COUNTER, 3, 5, 8));
        peer.learn("inbox", new NameDirectory.Entry(NameDirectory.COUNTER, 3, 6, 8));
        assertThat(peer.quotedNameOf(3, 5)).isEmpty();
        assertThat(peer.quotedNameOf(3, 6)).isEqualTo(" \"inbox\"");
        assertThat(peer.quotedNameOf(4, 6)).isEmpty();
    }
}
