package org.segno.node;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.segno.engine.job.Membership;
import org.segno.engine.job.Statement;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeLayout;
import org.segno.link.Transport;
import org.segno.status.SegnoException;

/**
 * What a rank that links reach states to all others, because they cannot read its memory: the shape of its node, and
 * the address of its transport. Each statement has two words.
 *
 * <pre>
 *  topic    statements  words
 *  BUILD             1  layout hash; none
 *  SHAPE             4  each word has two dimensions, the first in its upper half: mapped, contexts; engines, fifos |
 *                       fifo slots, pattern slots; patterns, run slots | injection counters, reception counters;
 *                       windows, names | lane bytes, none; window bytes
 *  ADDRESS      0 to 8  words of {@link Transport#address}, the first of which is their number
 * </pre>
 */
final class Statements {
    static final int BUILD = 1;
    static final int SHAPE = 2;
    static final int ADDRESS = 3;

    private static final int SHAPE_LENGTH = 4;

    private Statements() {}

    /** States a node's shape and, if it has one, the address of its transport. */
    static void state(Membership membership, int rank, NodeDimensions node, long[] address) {
        membership.state(rank, new Statement(BUILD, NodeLayout.hash(), 0));
        shape(node).forEach(statement -> membership.state(rank, statement));
        address(address).forEach(statement -> membership.state(rank, statement));
    }

    static List<Statement> shape(NodeDimensions node) {
        return List.of(
                new Statement(SHAPE, pair(node.mapped(), node.contexts()), pair(node.engines(), node.fifos())),
                new Statement(
                        SHAPE, pair(node.fifoSlots(), node.patternSlots()), pair(node.patterns(), node.runSlots())),
                new Statement(
                        SHAPE,
                        pair(node.injectionCounters(), node.receptionCounters()),
                        pair(node.windows(), node.names())),
                new Statement(SHAPE, pair(node.laneBytes(), 0), node.windowBytes()));
    }

    private static long pair(int first, int second) {
        return (long) first << Integer.SIZE | Integer.toUnsignedLong(second);
    }

    private static int first(long pair) {
        return (int) (pair >>> Integer.SIZE);
    }

    private static int second(long pair) {
        return (int) pair;
    }

    static List<Statement> address(long[] words) {
        if (words.length > Transport.MAX_ADDRESS_WORDS) {
            throw new IllegalArgumentException("the address of a transport has at most " + Transport.MAX_ADDRESS_WORDS
                    + " words: " + words.length);
        }
        final List<Statement> statements = new ArrayList<>();
        if (words.length > 0) {
            final long[] counted = new long[words.length + 1 + (words.length + 1) % 2];
            counted[0] = words.length;
            System.arraycopy(words, 0, counted, 1, words.length);
            for (int i = 0; i < counted.length; i += 2) {
                statements.add(new Statement(ADDRESS, counted[i], counted[i + 1]));
            }
        }
        return statements;
    }

    /**
     * Returns the dimensions that a rank of a job has stated.
     *
     * @param made all statements of the rank
     * @throws SegnoException if it has stated none, or those of another build
     */
    static NodeDimensions dimensions(List<Statement> made, int rank, int size) {
        final List<Statement> builds = on(BUILD, made);
        if (builds.isEmpty()) {
            throw new SegnoException("rank " + rank + " does not use links: set the same NodeConfig.withTransport and "
                    + NodeSetting.TRANSPORT.variable() + " for all ranks");
        }
        if (builds.get(0).upper() != NodeLayout.hash()) {
            throw new SegnoException(String.format(
                    "rank %d has another build of Segno: layout hash %08x, here %08x; use the same build on all hosts",
                    rank, builds.get(0).upper(), NodeLayout.hash()));
        }
        return shape(on(SHAPE, made), rank, size);
    }

    private static List<Statement> on(int topic, List<Statement> made) {
        return made.stream().filter(one -> one.topic() == topic).toList();
    }

    static NodeDimensions shape(List<Statement> shape, int rank, int size) {
        if (shape.size() != SHAPE_LENGTH) {
            throw new SegnoException(
                    "rank " + rank + " has stated " + shape.size() + " parts of its shape, not " + SHAPE_LENGTH);
        }
        final long[] words = shape.stream()
                .flatMapToLong(one -> Arrays.stream(new long[] {one.upper(), one.lower()}))
                .toArray();
        try {
            return new NodeDimensions(
                    size,
                    first(words[0]),
                    second(words[0]),
                    first(words[1]),
                    second(words[1]),
                    first(words[2]),
                    second(words[2]),
                    first(words[3]),
                    second(words[3]),
                    first(words[4]),
                    second(words[4]),
                    first(words[5]),
                    second(words[5]),
                    first(words[6]),
                    words[7]);
        } catch (final IllegalArgumentException e) {
            throw new SegnoException("rank " + rank + " has stated an invalid shape: " + e.getMessage(), e);
        }
    }

    /** Returns the words of the address of the transport of a rank that has made statements, none without such. */
    static long[] address(List<Statement> made) {
        final List<Statement> statements = on(ADDRESS, made);
        if (statements.isEmpty()) {
            return new long[0];
        }
        final long[] words = statements.stream()
                .flatMapToLong(one -> Arrays.stream(new long[] {one.upper(), one.lower()}))
                .toArray();
        final int length = (int) Math.max(0, Math.min(words[0], words.length - 1L));
        return Arrays.copyOfRange(words, 1, 1 + length);
    }
}
