package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Selection of algorithms by the default table. */
class AlgorithmTableTest {
    private static final int ELEMENT = 8;
    private static final long MOST_BYTES = 1 << 20;

    /** Returns the hosts of members by a word: one host, one for each, or two halves. */
    private static Hosts hosts(String word, int members) {
        return switch (word) {
            case "one" -> Hosts.one(members);
            case "each" -> Hosts.of(IntStream.range(0, members).toArray());
            case "halves" ->
                Hosts.of(IntStream.range(0, members)
                        .map(member -> 2 * member / members)
                        .toArray());
            default -> throw new IllegalArgumentException("hosts=" + word);
        };
    }

    /** Returns a call of a kind, with equal blocks if it has one for each member. */
    private static Shape shape(CollectiveKind kind, int members, String hosts, long bytes) {
        final Lengths lengths = Lengths.equal(kind.isDivided() ? bytes / members : bytes);
        final int element = kind.isReduction() ? ELEMENT : 1;
        return new Shape(kind, members, 0, 0, lengths, null, element, false, hosts(hosts, members), false);
    }

    private static String selected(CollectiveKind kind, int members, String hosts, long bytes) {
        return AlgorithmTable.defaults()
                .algorithm("", shape(kind, members, hosts, bytes))
                .name();
    }

    /** Rows on both sides of each limit. The bytes are those of all blocks of a divided collective together. */
    @ParameterizedTest
    @CsvSource({
        "BARRIER, 8, one, 0, counters",
        "BARRIER, 9, one, 0, dissemination",
        "BARRIER, 8, each, 0, counters",
        "BARRIER, 9, each, 0, dissemination",
        "BARRIER, 4, halves, 0, hosts",
        "BARRIER, 64, halves, 0, hosts",
        "BROADCAST, 2, one, 2048, star",
        "BROADCAST, 2, one, 2049, pull",
        "BROADCAST, 3, one, 1, pull",
        "BROADCAST, 16, one, 131073, pull",
        "BROADCAST, 16, each, 131072, star",
        "BROADCAST, 16, each, 131073, binomial",
        "BROADCAST, 17, each, 1, binomial",
        "BROADCAST, 4, halves, 8, hosts",
        "BROADCAST, 4, halves, 131073, hosts",
        "REDUCE, 2, one, 1024, tree",
        "REDUCE, 2, one, 1032, pull",
        "REDUCE, 64, one, 1048576, pull",
        "REDUCE, 65, one, 1048576, tree",
        "REDUCE, 64, each, 16384, tree",
        "REDUCE, 64, each, 16392, divided",
        "REDUCE, 65, each, 1048576, tree",
        "ALLREDUCE, 8, one, 1024, slots",
        "ALLREDUCE, 8, one, 1032, pull",
        "ALLREDUCE, 9, one, 1024, recursive-doubling",
        "ALLREDUCE, 64, one, 1032, pull",
        "ALLREDUCE, 65, one, 1024, recursive-doubling",
        "ALLREDUCE, 65, one, 1048576, recursive-doubling",
        "ALLREDUCE, 8, each, 1024, slots",
        "ALLREDUCE, 9, each, 1024, recursive-doubling",
        "ALLREDUCE, 4, each, 1032, divided",
        "ALLREDUCE, 65, each, 1048576, recursive-doubling",
        "ALLREDUCE, 4, halves, 8, hosts",
        "ALLREDUCE, 4, halves, 16384, hosts",
        "ALLREDUCE, 4, halves, 16392, divided",
        "REDUCE_SCATTER, 4, one, 4096, divided",
        "REDUCE_SCATTER, 4, one, 4128, pull",
        "REDUCE_SCATTER, 65, one, 520000, divided",
        "REDUCE_SCATTER, 4, each, 4128, divided",
        "SCAN, 9, one, 8, doubling",
        "SCAN, 9, each, 1048576, doubling",
        "EXCLUSIVE_SCAN, 9, one, 8, doubling",
        "EXCLUSIVE_SCAN, 9, each, 1048576, doubling",
        "GATHER, 4, one, 8, direct",
        "GATHER, 4, each, 1048576, direct",
        "SCATTER, 4, one, 8, direct",
        "SCATTER, 4, each, 1048576, direct",
        "ALLGATHER, 4, one, 1024, slots",
        "ALLGATHER, 4, one, 1028, direct",
        "ALLGATHER, 4, each, 1024, slots",
        "ALLGATHER, 4, each, 1028, direct",
        "ALL_TO_ALL, 4, one, 1024, slots",
        "ALL_TO_ALL, 4, one, 1028, direct",
        "ALL_TO_ALL, 4, each, 1024, slots",
        "ALL_TO_ALL, 4, each, 1028, direct",
    })
    void shouldSelectAnAlgorithmByMembersHostsAndBytes(
            CollectiveKind kind, int members, String hosts, long bytes, String algorithm) {
        assertThat(selected(kind, members, hosts, bytes)).isEqualTo(algorithm);
    }

    @Test
    void shouldSelectAValidAlgorithmForEveryCall() {
        for (final CollectiveKind kind : CollectiveKind.values()) {
            for (final int members : new int[] {1, 2, 3, 7, 16, 17, 64, 65, 130}) {
                for (final String hosts : List.of("one", "each", "halves")) {
                    for (long bytes = 0; bytes <= MOST_BYTES; bytes = bytes == 0 ? 8 : 2 * bytes) {
                        final Shape shape = shape(kind, members, hosts, bytes);
                        assertThat(AlgorithmTable.defaults().names(shape))
                                .doesNotHaveDuplicates()
                                .startsWith(selected(kind, members, hosts, bytes));
                    }
                }
            }
        }
    }

    @Test
    void shouldHaveARowForEveryAlgorithmAndNoneTwice() {
        final Set<String> before = new HashSet<>();
        for (final AlgorithmTable.Row row : AlgorithmTable.defaults().rows()) {
            assertThat(before.add(row.kind() + " " + row.algorithm() + " " + row.members() + " " + row.bytes()))
                    .isTrue();
            assertThat(row.description()).isNotBlank();
        }
        for (final CollectiveKind kind : CollectiveKind.values()) {
            assertThat(AlgorithmTable.defaults().rows().stream()
                            .filter(row -> row.kind() == kind)
                            .map(AlgorithmTable.Row::algorithm))
                    .containsAll(
                            Algorithms.of(kind).stream().map(Algorithm::name).toList());
        }
    }
}
