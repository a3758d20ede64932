package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.packet.Frame;
import org.segno.link.Link;
import org.segno.link.LinkedPeer;

/** Links between ranks of one process exist once they are used, and each end learns of them once. */
class ProcessLinksTest {
    private static final NodeDimensions NODE = NodeSize.small().dimensions();

    private final Callers callers = new Callers();
    private final ProcessLinks links = new ProcessLinks(rank -> NODE, callers);

    private Link connect(int rank, int peer, int engine) {
        return connect(links, rank, peer, engine);
    }

    private static Link connect(ProcessLinks links, int rank, int peer, int engine) {
        final NodeHeader.Identity identity = new NodeHeader.Identity(1, 2, peer, 3, 4);
        final LinkedPeer connected = links.connect(identity);
        assertThat(connected.rank()).isEqualTo(peer);
        assertThat(connected.dimensions()).isSameAs(NODE);
        return connected.link(rank, engine);
    }

    @Test
    void shouldMakeALinkAtItsFirstUseAndTellTheOtherEnd() {
        assertThat(callers.of(7, 0)).isEmpty();
        final Link end = connect(3, 7, 0);

        assertThat(end.rank()).isEqualTo(7);
        assertThat(callers.of(3, 0)).as("the rank that made it").isEmpty();
        assertThat(callers.of(7, 1)).as("another engine").isEmpty();
        assertThat(callers.of(7, 0)).containsExactly(3);
        final Link other = connect(7, 3, 0);
        assertThat(other.rank()).isEqualTo(3);
        assertThat(callers.of(3, 0)).as("it exists already").isEmpty();
        assertThat(connect(3, 7, 0)).as("again").isSameAs(end);
    }

    @Test
    void shouldJoinBothEnds() {
        final Link one = connect(5, 2, 1);
        final Link other = connect(2, 5, 1);
        assertThat(one.claim(Frame.REQUESTS, 64)).isNotEqualTo(Link.NO_ROOM);
        one.commit(Frame.REQUESTS);
        one.flush();

        assertThat(other.poll(Frame.REQUESTS, (memory, offset, length) -> true, 8))
                .isEqualTo(1);
    }

    @Test
    void shouldMakeOneLinkWhenBothEndsUseItAtOnce() throws InterruptedException {
        for (int round = 0; round < 200; round++) {
            final Callers notified = new Callers();
            final ProcessLinks fresh = new ProcessLinks(rank -> NODE, notified);
            final ConcurrentLinkedQueue<Link> made = new ConcurrentLinkedQueue<>();
            final List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                final int rank = i % 2;
                threads.add(new Thread(() -> made.add(connect(fresh, rank, 1 - rank, 0))));
            }
            threads.forEach(Thread::start);
            for (final Thread thread : threads) {
                thread.join();
            }
            final Set<Link> ends = Collections.newSetFromMap(new IdentityHashMap<>());
            ends.addAll(made);
            assertThat(ends).as("both ends of one link").hasSize(2);
            assertThat(notified.of(0, 0).size() + notified.of(1, 0).size()).isEqualTo(1);
        }
    }
}
