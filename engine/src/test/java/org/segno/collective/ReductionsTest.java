package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.node.InProcessJob;
import org.segno.node.OverMemoryAndLinks;
import org.segno.simulator.PlainCollective;

/** Reductions of all types by all operators and algorithms, and the bits of their results. */
@OverMemoryAndLinks
@Timeout(120)
class ReductionsTest {
    private static final int LINE = 64;
    private static final int ROUNDS = 2;
    private static final int RUNS = 4;
    private static final int DOUBLES = 100;

    /** Results of calls by algorithm, members and member, which are equal in all runs over memory and links. */
    private static final Map<String, byte[]> FIRST_RESULTS = new ConcurrentHashMap<>();

    @TempDir
    Path directory;

    private static List<CollectiveKind> kinds() {
        return Arrays.stream(CollectiveKind.values())
                .filter(CollectiveKind::isReduction)
                .toList();
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(ints = {3, 4})
    void shouldCombineElementsOfEachTypeByEachOperator(int size) throws Exception {
        final AtomicInteger pairs = new AtomicInteger();
        WorldMember.run(directory, size, member -> {
            final Set<String> known = new HashSet<>();
            PlainCollective.register(member.client());
            for (final Hosts hosts : List.of(Hosts.one(size), twoHosts(size), alternating(size))) {
                member.world().hosts(hosts);
                for (final ElementType type : ElementType.values()) {
                    for (final Operator operator : Operator.values()) {
                        if (operator.appliesTo(type)) {
                            combine(member, type, operator, known);
                            pairs.incrementAndGet();
                        }
                    }
                }
                combine(member, ElementType.LONG_PAIR, null, known);
            }
        });
        assertThat(pairs.get()).isEqualTo(3 * 60 * size);
    }

    /** Returns two hosts, each with one half of the members. */
    private static Hosts twoHosts(int size) {
        return Hosts.of(
                IntStream.range(0, size).map(member -> 2 * member / size).toArray());
    }

    /** Returns two hosts, each with every second member. */
    private static Hosts alternating(int size) {
        return Hosts.of(IntStream.range(0, size).map(member -> member % 2).toArray());
    }

    /** Combines elements by each algorithm that has not yet combined such elements. */
    private static void combine(WorldMember member, ElementType type, @Nullable Operator operator, Set<String> known) {
        final int size = member.world().size();
        // A line of each member, and an element.
        final int bytes = LINE * size + type.length();
        for (final CollectiveKind kind : kinds()) {
            final PlainCollective plain =
                    PlainCollective.reducing(kind, size, kind.isRooted() ? size - 1 : 0, bytes, type, operator);
            final Call call = plain.call(member.self());
            for (final String algorithm : member.world().algorithms(call)) {
                if (known.add(algorithm + " " + call)) {
                    combine(member, plain, call.by(algorithm));
                }
            }
        }
    }

    private static void combine(WorldMember member, PlainCollective plain, Call call) {
        try (Collective collective = member.world().prepare(call, InProcessJob.deadline())) {
            for (int round = 1; round <= ROUNDS; round++) {
                collective.input().putBytes(0, plain.contribution(round, member.self()));
                collective.run(InProcessJob.deadline());
                assertThat(output(collective, plain.result(round, member.self()).length))
                        .as("%s at member %d", collective, member.self())
                        .isEqualTo(plain.result(round, member.self()));
            }
        }
    }

    /** Returns the result of a member; none if it has none, as the first member of an exclusive scan. */
    private static byte[] output(Collective collective, int length) {
        final byte[] result = new byte[length];
        if (length > 0) {
            collective.output().getBytes(0, result);
        }
        return result;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8})
    void shouldGiveEqualBitsInEveryRunAtEveryMember(int size) throws Exception {
        requireEqualBits(size);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(ints = {4, 6, 7, 9})
    void shouldGiveEqualBitsInEveryRunAtEachOfOtherNumbersOfMembers(int size) throws Exception {
        requireEqualBits(size);
    }

    private void requireEqualBits(int size) throws Exception {
        final Map<String, byte[]> ofMembers = new ConcurrentHashMap<>();
        WorldMember.run(directory, size, member -> {
            for (final Hosts hosts : List.of(Hosts.one(size), twoHosts(size), alternating(size))) {
                member.world().hosts(hosts);
                for (final Call call : inexactCalls(size)) {
                    for (final String algorithm : member.world().algorithms(call)) {
                        requireEqualBits(member, call.by(algorithm), hosts, ofMembers);
                    }
                }
            }
        });
    }

    private static List<Call> inexactCalls(int size) {
        final List<Call> calls = new ArrayList<>();
        final long bytes = DOUBLES * Double.BYTES;
        for (final Operator operator : List.of(Operator.SUM, Operator.PRODUCT)) {
            final Reduction reduction = Reduction.of(ElementType.DOUBLE, operator);
            calls.add(Call.allreduce(bytes, reduction));
            calls.add(Call.reduce(0, bytes, reduction));
            calls.add(Call.reduce(size - 1, bytes, reduction));
            calls.add(Call.reduceScatter(Lengths.equal(DOUBLES / size * (long) Double.BYTES), reduction));
            calls.add(Call.scan(bytes, reduction));
            calls.add(Call.exclusiveScan(bytes, reduction));
        }
        return calls;
    }

    private static void requireEqualBits(WorldMember member, Call call, Hosts hosts, Map<String, byte[]> ofMembers) {
        final int self = member.self();
        final int size = member.world().size();
        final boolean hasResult = call.kind() != CollectiveKind.EXCLUSIVE_SCAN || self > 0;
        final int length = hasResult ? (int) call.targetBytes(self, size) : 0;
        final String run = call + " by " + call.algorithm() + " of " + size + " members on the hosts of "
                + Arrays.toString(hosts.leaders()) + (hosts.areContiguous() ? "" : " in turn");
        try (Collective collective = member.world().prepare(call, InProcessJob.deadline())) {
            for (int round = 1; round <= RUNS; round++) {
                final byte[] source = inexact(self, (int) call.sourceBytes(self, size));
                collective.input().putBytes(0, source);
                collective.run(InProcessJob.deadline());
                final byte[] result = output(collective, length);
                requireFirst(FIRST_RESULTS, run + " at member " + self, result);
                if (call.kind() == CollectiveKind.ALLREDUCE) {
                    requireFirst(ofMembers, run, result);
                }
            }
        }
    }

    @Test
    void shouldTryNumbersWhoseSumsAndProductsDependOnTheirOrder() {
        final List<UnsafeBuffer> all = IntStream.range(0, 3)
                .mapToObj(self -> new UnsafeBuffer(inexact(self, DOUBLES * Double.BYTES)))
                .toList();
        int sums = 0;
        int products = 0;
        for (int at = 0; at < DOUBLES * Double.BYTES; at += Double.BYTES) {
            final double first = all.get(0).getDouble(at);
            final double second = all.get(1).getDouble(at);
            final double third = all.get(2).getDouble(at);
            sums += first + second + third != first + (second + third) ? 1 : 0;
            products += first * second * third != first * (second * third) ? 1 : 0;
        }
        assertThat(sums).isGreaterThan(DOUBLES / 10);
        assertThat(products).isGreaterThan(DOUBLES / 10);
    }

    private static void requireFirst(Map<String, byte[]> first, String key, byte[] result) {
        final byte[] known = first.putIfAbsent(key, result);
        if (known != null) {
            assertThat(result).as(key).isEqualTo(known);
        }
    }

    /** Returns numbers of different sizes, whose sums and products depend on the order of combination. */
    private static byte[] inexact(int self, int bytes) {
        final Random chance = new Random(self);
        final byte[] source = new byte[bytes];
        final UnsafeBuffer buffer = new UnsafeBuffer(source);
        for (int i = 0; i < bytes; i += Double.BYTES) {
            buffer.putDouble(i, Math.scalb(chance.nextDouble() - 0.5, chance.nextInt(8)));
        }
        return source;
    }
}
