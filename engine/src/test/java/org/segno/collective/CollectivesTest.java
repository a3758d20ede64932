package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.Status;

/** Every collective, by every algorithm, compared with a plain reference. */
@OverMemoryAndLinks
class CollectivesTest {
    private static final int ROUNDS = 3;
    private static final long PAIR = 2 * Long.BYTES;
    private static final long PIECE = 32 << 10;

    /** Bound of the lengths that a member has room for. */
    private static final long LONGEST = 256 << 10;

    @TempDir
    Path directory;

    private static NodeConfig config() {
        return NodeConfig.defaults()
                .withThreading(NodeConfig.Threading.INVOKER)
                .withWindowBytes(8 << 20)
                .withPatternBufferBytes(1 << 18);
    }

    private static List<Call> calls(int size) {
        final Reduction sum = Reduction.of(ElementType.LONG, Operator.SUM);
        final Reduction affine = ReferenceMember.AFFINE;
        final List<Call> calls = new ArrayList<>();
        for (final long bytes : new long[] {0, 16, 144, 64L * size, 1008, 40_000}) {
            // Each root of few members, and of many for some lengths.
            final boolean isAnyRoot = size <= 4 || bytes == 16 || bytes == 1008;
            for (int root = 0; root < size; root += isAnyRoot ? 1 : size / 2) {
                calls.add(Call.broadcast(root, bytes * 5));
                calls.add(Call.reduce(root, bytes, affine));
                calls.add(Call.gather(root, Lengths.equal(bytes)));
                calls.add(Call.scatter(root, Lengths.equal(bytes)));
            }
            calls.add(Call.allreduce(bytes, sum));
            calls.add(Call.allreduce(bytes, affine));
            calls.add(Call.reduceScatter(Lengths.equal(bytes), affine));
            calls.add(Call.scan(bytes, affine));
            calls.add(Call.exclusiveScan(bytes, affine));
            calls.add(Call.allgather(Lengths.equal(bytes)));
            calls.add(Call.allToAll(bytes));
        }
        final long[] lengths = new long[size];
        for (int member = 0; member < size; member++) {
            lengths[member] = member % 3 * 48L;
        }
        callsOf(size, 1008).forEach(call -> calls.add(call.synchronous()));
        calls.add(Call.gather(size - 1, Lengths.of(lengths)));
        calls.add(Call.scatter(size - 1, Lengths.of(lengths)));
        calls.add(Call.allgather(Lengths.of(lengths)));
        calls.add(Call.reduceScatter(Lengths.of(lengths), affine));
        return calls;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldGiveEveryMemberTheResultOfAReference(int size) throws Exception {
        checkAll(size);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(ints = {4, 5, 6, 7, 8, 9})
    void shouldGiveEveryMemberOfMoreTheResultOfAReference(int size) throws Exception {
        checkAll(size);
    }

    private void checkAll(int size) throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, size, config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final ReferenceMember member = new ReferenceMember(client, client.context());
                for (final Call call : calls(size)) {
                    member.check(call, false);
                    if (call.kind() != CollectiveKind.SCATTER) {
                        member.check(call, true);
                    }
                }
                assertThat(member.cases()).isGreaterThan(100);
                member.world().barrier(InProcessJob.deadline());
                member.world().close();
            });
        }
    }

    /** Returns the lengths at which an algorithm or its pieces may change: one block of all, or all blocks together. */
    private static SortedSet<Long> switches(int size) {
        final SortedSet<Long> switches = new TreeSet<>(List.of(PIECE, 2 * PIECE, size * PIECE));
        for (final AlgorithmTable.Row row : AlgorithmTable.defaults().rows()) {
            if (row.bytes() > 0 && row.bytes() < LONGEST) {
                switches.add(row.bytes());
            }
        }
        return switches;
    }

    /** Returns blocks whose lengths have a sum; the last one may be longer than the others. */
    private static Lengths blocks(int size, long total) {
        final long[] lengths = new long[size];
        Arrays.fill(lengths, total / size / PAIR * PAIR);
        lengths[size - 1] += total - size * lengths[0];
        return Lengths.of(lengths);
    }

    private static List<Call> callsOf(int size, long bytes) {
        final Reduction affine = ReferenceMember.AFFINE;
        final Lengths blocks = blocks(size, bytes);
        return List.of(
                Call.broadcast(size - 1, bytes),
                Call.reduce(size - 1, bytes, affine),
                Call.allreduce(bytes, affine),
                Call.reduceScatter(blocks, affine),
                Call.scan(bytes, affine),
                Call.exclusiveScan(bytes, affine),
                Call.gather(size - 1, blocks),
                Call.scatter(size - 1, blocks),
                Call.allgather(blocks),
                Call.allToAll(bytes / size / PAIR * PAIR));
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(ints = {2, 3, 4})
    void shouldGiveTheResultsOfAReferenceAboutEachSwitch(int size) throws Exception {
        assertThat(switches(size)).contains(1L << 10, 2L << 10, 4L << 10, 128L << 10, 32L << 10, 64L << 10);
        try (InProcessJob job = InProcessJob.join(directory, size, config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final ReferenceMember member = new ReferenceMember(client, client.context());
                for (final long bytes : switches(size)) {
                    for (long near = bytes - PAIR; near <= bytes + PAIR; near += PAIR) {
                        for (final Call call : callsOf(size, near)) {
                            member.check(call, false);
                            if (call.kind().isReduction()) {
                                member.check(call, true);
                            }
                        }
                    }
                }
                member.world().barrier(InProcessJob.deadline());
                member.world().close();
            });
        }
    }

    /** Hosts of members by a word with a letter for each, as AABB. */
    private static Hosts hosts(String names) {
        return Hosts.of(names.chars().toArray());
    }

    @ParameterizedTest
    @ValueSource(strings = {"AAB", "ABBA"})
    void shouldGiveTheSameResultsOnSeveralHosts(String names) throws Exception {
        checkHosts(names);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"ABB", "AABBB", "ABBCCC", "AAABBBCC"})
    void shouldGiveTheSameResultsOnSeveralOtherHosts(String names) throws Exception {
        checkHosts(names);
    }

    private void checkHosts(String names) throws Exception {
        final int size = names.length();
        try (InProcessJob job = InProcessJob.join(directory, size, config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final ReferenceMember member = new ReferenceMember(client, client.context());
                member.world().hosts(hosts(names));
                for (final Call call : calls(size)) {
                    final boolean isOne = call.kind() == CollectiveKind.BROADCAST
                            || (call.kind() == CollectiveKind.ALLREDUCE
                                    && (hosts(names).areContiguous()
                                            || !Objects.equals(call.reduction(), ReferenceMember.AFFINE))
                                    && call.lengths().length(0) < 4096);
                    assertThat(member.world().algorithms(call).contains("hosts"))
                            .isEqualTo(isOne);
                    if (isOne) {
                        member.check(call.by("hosts"), false, ROUNDS);
                        member.check(call.by("hosts"), true, ROUNDS);
                    }
                }
                assertThat(member.cases()).isGreaterThan(10);
                assertThat(member.world().algorithms(Call.barrier())).startsWith("hosts");
                member.world().barrier(InProcessJob.deadline());
                member.world().close();
            });
        }
    }

    private static List<Call> longCalls(int size) {
        final Reduction affine = ReferenceMember.AFFINE;
        final long bytes = 150_000;
        final long[] lengths = new long[size];
        final long[] offsets = new long[size];
        for (int member = 0; member < size; member++) {
            lengths[member] = (size - member) * 36_016L;
            offsets[member] = (member + 1L) % size * 130_048;
        }
        final Lengths placed = Lengths.of(lengths).at(offsets);
        return List.of(
                Call.broadcast(size - 1, bytes),
                Call.reduce(size - 1, bytes, affine),
                Call.allreduce(bytes, affine),
                Call.scan(bytes, affine),
                Call.exclusiveScan(bytes, affine),
                Call.reduceScatter(Lengths.equal(bytes - 48), affine),
                Call.gather(1, Lengths.of(lengths)),
                Call.gather(0, placed),
                Call.scatter(size - 1, placed),
                Call.allgather(placed),
                Call.allToAll(bytes));
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"2, 2", "3, 3", "3, 1"})
    void shouldDivideLongCollectivesAmongContexts(int size, int contexts) throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, size, config().withContexts(contexts))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final ReferenceMember member = new ReferenceMember(
                        client,
                        IntStream.range(0, contexts).mapToObj(client::context).toArray(Context[]::new));
                for (final Call call : longCalls(size)) {
                    member.check(call, false);
                    if (call.kind() == CollectiveKind.ALLREDUCE || call.kind() == CollectiveKind.SCAN) {
                        member.check(call, true);
                    }
                }
                assertThat(member.parts()).isEqualTo(contexts);
                member.world().barrier(InProcessJob.deadline());
                member.world().close();
            });
        }
    }

    @Test
    void shouldQueueTwoRoundsInAllContextsAndNoThird() throws Exception {
        final int bytes = 256 << 10;
        try (InProcessJob job = InProcessJob.join(directory, 2, config().withContexts(2))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context[] contexts = {client.context(), client.context(1)};
                final Geometry world = Geometry.world(client, contexts, "all", InProcessJob.deadline());
                final Reduction reduction = Reduction.of(ElementType.LONG, Operator.SUM);
                final Collective sum = world.prepare(Call.allreduce(bytes, reduction), InProcessJob.deadline());
                assertThat(sum.parts()).isEqualTo(2);
                for (long round = 1; round < 20; round += 2) {
                    fill(sum, bytes, round);
                    assertThat(sum.queue()).isEqualTo(round);
                    assertThat(sum.queue()).isEqualTo(round + 1);
                    for (int i = 0; i < 100; i++) {
                        // The first part may be over, the second is not.
                        contexts[0].advance();
                        assertThat(sum.queue()).isEqualTo(Status.BUSY);
                    }
                    sum.await(InProcessJob.deadline());
                    assertThat(sum.output().getLong(0)).isEqualTo(2 * round);
                    assertThat(sum.output().getLong(bytes - Long.BYTES)).isEqualTo(2 * round);
                }
                world.barrier(InProcessJob.deadline());
                sum.close();
                world.close();
            });
        }
    }

    private static void fill(Collective sum, int bytes, long value) {
        for (int i = 0; i < bytes; i += Long.BYTES) {
            sum.input().putLong(i, value);
        }
    }

    @Test
    void shouldReportDifferentNumbersOfContexts() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, 2, config().withContexts(2))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context[] contexts = rank == 0
                        ? new Context[] {client.context()}
                        : new Context[] {client.context(), client.context(1)};
                assertThatThrownBy(() -> Geometry.world(client, contexts, "all", InProcessJob.deadline()))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("member 1 (rank 1) has 2 contexts, not 1 as member 0 (rank 0)");
            });
        }
    }

    /** Length of what one member sends to another one, in bytes. */
    private static long length(int from, int to) {
        return (from * 3L + to * 5L) % 4 * Long.BYTES;
    }

    private static void exchangeBlocks(Collective exchange, Window window, int rank, int size) {
        final Call call = exchange.call();
        final Lengths received = Objects.requireNonNull(call.received());
        for (int round = 1; round <= ROUNDS; round++) {
            for (int to = 0; to < size; to++) {
                for (long i = 0; i < call.lengths().length(to); i += Long.BYTES) {
                    window.putLong(call.lengths().offset(to) + i, ReferenceMember.value(rank, 100L * to + i, round));
                }
            }
            exchange.run(InProcessJob.deadline());
            for (int from = 0; from < size; from++) {
                for (long i = 0; i < received.length(from); i += Long.BYTES) {
                    assertThat(window.getLong(call.targetOffset() + received.offset(from) + i))
                            .isEqualTo(ReferenceMember.value(from, 100L * rank + i, round));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8})
    void shouldExchangeBlocksOfDifferentLengths(int size) throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, size, config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Geometry world = Geometry.world(client, client.context(), "all", InProcessJob.deadline());
                final Lengths sent = Lengths.of(IntStream.range(0, size)
                        .mapToLong(to -> length(rank, to))
                        .toArray());
                final Lengths received = Lengths.of(IntStream.range(0, size)
                        .mapToLong(from -> length(from, rank))
                        .toArray());
                final Window window = client.window(4096);
                for (final long targetAt : new long[] {2048, 0}) {
                    final Call call =
                            Call.allToAll(sent, received).from(window, 0).into(window, targetAt);
                    try (Collective exchange = world.prepare(call, InProcessJob.deadline())) {
                        exchangeBlocks(exchange, window, rank, size);
                    }
                }
                if (size > 1) {
                    final Lengths other = rank == 1 ? Lengths.equal(8) : Lengths.equal(16);
                    assertThatThrownBy(() ->
                                    world.prepare(Call.allToAll(other, Lengths.equal(16)), InProcessJob.deadline()))
                            .hasMessageContaining("sends 8 bytes to member " + (size - 1) + ", which receives 16");
                }
                world.barrier(InProcessJob.deadline());
                world.close();
            });
        }
    }

    @Test
    void shouldReduceTheBlockOfASingleMemberInPlaceThoughItOverlapsTheResult() throws Exception {
        final long bytes = 1008;
        try (InProcessJob job = InProcessJob.join(directory, 1, config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Geometry world = Geometry.world(client, client.context(), "all", InProcessJob.deadline());
                final Reduction sum = Reduction.of(ElementType.LONG, Operator.SUM);
                final Window window = client.window(2048);
                final Call call = Call.reduceScatter(Lengths.of(bytes).at(PAIR), sum);
                for (final String algorithm : world.algorithms(call)) {
                    for (long i = 0; i < bytes; i += Long.BYTES) {
                        window.putLong(PAIR + i, i);
                    }
                    try (Collective reduction =
                            world.prepare(call.by(algorithm).in(window, 0), InProcessJob.deadline())) {
                        reduction.run(InProcessJob.deadline());
                    }
                    for (long i = 0; i < bytes; i += Long.BYTES) {
                        assertThat(window.getLong(i)).as(algorithm).isEqualTo(i);
                    }
                }
                world.close();
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 5})
    void shouldCarryOutSeveralAtATimeInAnyOrder(int size) throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, size, config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Geometry world = Geometry.world(client, client.context(), "all", InProcessJob.deadline());
                final Reduction sum = Reduction.of(ElementType.LONG, Operator.SUM);
                final List<Collective> all = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    all.add(world.prepare(
                            i % 2 == 0 ? Call.allreduce(8, sum) : Call.broadcast(i % size, 8),
                            InProcessJob.deadline()));
                }
                for (int round = 1; round <= 200; round++) {
                    for (int i = 0; i < all.size(); i++) {
                        // Members start in opposite orders, and wait in others.
                        final int next = rank % 2 == 0 ? i : all.size() - 1 - i;
                        if (next % 2 == 0 || next % size == rank) {
                            all.get(next).input().putLong(0, 100L * round + next);
                        }
                        assertThat(all.get(next).start()).isEqualTo(round);
                    }
                    for (int i = 0; i < all.size(); i++) {
                        final int next = (i + rank + round) % all.size();
                        all.get(next).await(InProcessJob.deadline());
                        if (next % 2 == 0) {
                            assertThat(all.get(next).output().getLong(0)).isEqualTo(size * (100L * round + next));
                        } else if (next % size != rank) {
                            assertThat(all.get(next).output().getLong(0)).isEqualTo(100L * round + next);
                        }
                    }
                }
                world.barrier(InProcessJob.deadline());
                all.forEach(Collective::close);
                world.close();
            });
        }
    }
}
