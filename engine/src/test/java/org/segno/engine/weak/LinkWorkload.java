package org.segno.engine.weak;

import java.util.List;
import java.util.SplittableRandom;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.packet.Frame;
import org.segno.link.Link;
import org.segno.link.MemoryLink;

/**
 * Frames of many lengths on a link of memory, whose ring holds few of them: each arrives once, in order and whole, also
 * if it was not accepted at first.
 */
final class LinkWorkload implements Workload {
    private static final int FRAMES = 30;
    private static final int BYTES = 1024;
    private static final int STREAM = Frame.REPLIES;

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small().dimensions();
    }

    @Override
    public List<Runnable> threads(WeakNodes nodes, SplittableRandom chance) {
        final int length = MemoryLink.lengthFor(BYTES, Frame.MIN_LIMIT);
        final Link[] ends = MemoryLink.join(0, 1, BYTES, Frame.MIN_LIMIT, nodes.memory(length), nodes.memory(length));
        final int[] lengths = new int[FRAMES];
        for (int i = 0; i < FRAMES; i++) {
            final int words = chance.nextInt(4) == 0 ? 1 + chance.nextInt(30) : 1 + chance.nextInt(6);
            lengths[i] = Frame.LENGTH + words * Long.BYTES;
        }
        final Receiver receiver = new Receiver(nodes, ends[1], lengths, chance.split());
        return List.of(nodes.application(() -> send(nodes, ends[0], lengths)), nodes.application(receiver::run));
    }

    private static void send(WeakNodes nodes, Link link, int[] lengths) {
        for (int i = 0; i < lengths.length; i++) {
            long frame = link.claim(STREAM, lengths[i]);
            while (frame == Link.NO_ROOM) {
                nodes.pause();
                frame = link.claim(STREAM, lengths[i]);
            }
            for (int at = 0; at < lengths[i]; at += Long.BYTES) {
                link.memory().putLong(frame + at, content(i, at));
            }
            link.commit(STREAM);
        }
    }

    private static long content(int number, int at) {
        return 1000L * (number + 1) + at;
    }

    private static final class Receiver {
        private final WeakNodes nodes;
        private final Link link;
        private final int[] lengths;
        private final SplittableRandom chance;
        private int received;

        Receiver(WeakNodes nodes, Link link, int[] lengths, SplittableRandom chance) {
            this.nodes = nodes;
            this.link = link;
            this.lengths = lengths;
            this.chance = chance;
        }

        void run() {
            while (received < lengths.length) {
                if (link.poll(STREAM, this::take, 1 + chance.nextInt(4)) == 0) {
                    nodes.pause();
                }
            }
        }

        private boolean take(Memory memory, long offset, int length) {
            if (chance.nextInt(8) == 0) {
                return false;
            }
            final int expected = received < lengths.length ? lengths[received] : 0;
            nodes.require(length == expected, "frame # has # bytes instead of #", received, length, expected);
            for (int at = 0; at < expected; at += Long.BYTES) {
                final long found = memory.getLong(offset + at);
                nodes.require(found == content(received, at), "frame # has # at #", received, found, at);
            }
            received++;
            return true;
        }
    }
}
