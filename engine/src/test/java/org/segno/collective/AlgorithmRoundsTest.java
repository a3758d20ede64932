package org.segno.collective;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Client;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.OverMemoryAndLinks;

/** Many rounds of the algorithms that only {@link Call#by} selects, without a wait for the other members between. */
@OverMemoryAndLinks
@Timeout(180)
class AlgorithmRoundsTest {
    private static final int ROUNDS = 30;
    private static final int MANY_ROUNDS = 1_000;

    @TempDir
    Path directory;

    private static List<Call> calls(int size) {
        final long[] lengths = new long[size];
        final long[] offsets = new long[size];
        for (int member = 0; member < size; member++) {
            lengths[member] = (member + 1) % 3 * 16L;
            offsets[member] = (size - 1L - member) * 64;
        }
        final Lengths varying = Lengths.of(lengths);
        final Lengths placed = varying.at(offsets);
        final List<Call> calls = new ArrayList<>();
        for (final long bytes : new long[] {16, 64L * size + 16}) {
            calls.add(Call.broadcast(size - 1, bytes).by("k-nomial"));
            calls.add(Call.allreduce(bytes, ReferenceMember.AFFINE).by("recursive-halving"));
            calls.add(Call.allreduce(bytes, ReferenceMember.AFFINE).by("ring"));
            calls.add(Call.allreduce(bytes, ReferenceMember.AFFINE).by("rows-and-columns"));
        }
        for (final Lengths blocks : List.of(Lengths.equal(16), varying, placed)) {
            calls.add(Call.reduceScatter(blocks, ReferenceMember.AFFINE).by("recursive-halving"));
            calls.add(Call.reduceScatter(blocks, Reduction.of(ElementType.LONG, Operator.SUM))
                    .by("ring"));
            calls.add(Call.allgather(blocks).by("ring"));
            calls.add(Call.allgather(blocks).by("bruck"));
        }
        calls.add(Call.allToAll(16).by("pairwise"));
        calls.add(Call.allToAll(16).by("bruck"));
        return calls;
    }

    /** Returns the largest number of ranks that the transport allows in one process. */
    int mostRanks() {
        return Integer.MAX_VALUE;
    }

    @Test
    void shouldSeparateRoundsOfFour() throws Exception {
        run(4, ROUNDS);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(ints = {7, 17})
    void shouldSeparateRounds(int size) throws Exception {
        run(size, ROUNDS);
    }

    @ParameterizedTest
    @Tag("stress")
    @Timeout(1_800)
    @ValueSource(ints = {2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17})
    void shouldSeparateManyRounds(int size) throws Exception {
        run(size, MANY_ROUNDS);
    }

    private void run(int size, int rounds) throws Exception {
        assumeTrue(size <= mostRanks(), "too many ranks in one process for the transport");
        final NodeConfig config = NodeConfig.defaults()
                .withThreading(NodeConfig.Threading.INVOKER)
                .withWindowBytes(2 << 20)
                .withPatternBufferBytes(1 << 18);
        try (InProcessJob job = InProcessJob.join(directory, size, config)) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final ReferenceMember member = new ReferenceMember(client, client.context());
                for (final Call call : calls(size)) {
                    member.check(call, false, rounds);
                }
                member.world().barrier(InProcessJob.deadline());
                member.world().close();
            });
        }
    }
}
