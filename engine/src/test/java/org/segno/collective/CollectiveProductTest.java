package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.collective.ProductCase.Group;
import org.segno.node.NodeConfig;
import org.segno.node.OverMemoryAndLinks;

/**
 * The product of all factors of collectives, compared with a plain reference: kind, algorithm, number of members, root,
 * element type and operator, length, division into blocks, places, hosts, and whether a collective is synchronous.
 *
 * <p>The whole product has more cases than any run, so that {@link CollectiveProduct} selects from it. Each value of
 * each factor occurs together with each one of every other factor, if an algorithm can carry that out: a kind by an
 * algorithm among some members from a root with each element type and operator, with each length, in each place, on one
 * host and on two; each element type and operator with each length; and so on.
 *
 * <ul>
 *   <li>Elements: all types by all operators that they have, pairs of a value and an index by theirs, and pairs by a
 *       user operator that is not commutative.
 *   <li>Lengths: the shortest, and those just below, at and just above each length at which the default table, an
 *       algorithm or the engine changes its way.
 *   <li>Places: memory of the collective, two places in a window, unaligned ones, and one place for both. All bytes are
 *       compared, of the contribution, the result and around them.
 * </ul>
 *
 * <p>Each case has two rounds. Each build runs the product of 1 to 3 members, the profile {@code long} that of 1 to 9.
 */
@OverMemoryAndLinks
@Timeout(600)
class CollectiveProductTest {
    private static final int MEMBERS = 3;
    private static final int MORE_MEMBERS = 9;
    private static final int ENDPOINTS_STEP = 7;
    private static final int PAIRS_OF_TYPE_AND_OPERATOR = 60;

    private static final Map<Integer, CollectiveProduct> PRODUCTS = new ConcurrentHashMap<>();

    @TempDir
    Path directory;

    private static CollectiveProduct product(int mostMembers) {
        return PRODUCTS.computeIfAbsent(mostMembers, CollectiveProduct::of);
    }

    @Test
    void shouldHaveEachTwoValuesOfTwoFactorsInSomeCase() {
        final CollectiveProduct product = product(MEMBERS);
        assertThat(product.missing()).isEmpty();
        assertThat(product.cases()).hasSizeGreaterThan(4_500);
        assertThat(product.switches(3)).contains(1L << 10, 2L << 10, 4L << 10, 32L << 10, 64L << 10, 128L << 10);
        assertThat(ProductCase.ELEMENTS).hasSize(PAIRS_OF_TYPE_AND_OPERATOR + 2);
        for (final CollectiveKind kind : CollectiveKind.values()) {
            for (final Algorithm algorithm : Algorithms.of(kind)) {
                for (int members = 1; members <= MEMBERS; members++) {
                    final boolean isPossible = !algorithm.name().equals(Algorithms.HOSTS) || members > 2;
                    final Group group = new Group(kind, algorithm.name(), members, kind.isRooted() ? members - 1 : 0);
                    assertThat(product.cases().stream()
                                    .anyMatch(each -> each.group().equals(group)))
                            .as("%s", group)
                            .isEqualTo(isPossible);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldGiveTheResultsOfTheReference(int size) throws Exception {
        run(size, product(MEMBERS));
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9})
    void shouldGiveTheResultsOfTheReferenceAmongMoreMembers(int size) throws Exception {
        run(size, product(MORE_MEMBERS));
    }

    /** Two of the three members are contexts of one rank. */
    @Test
    void shouldGiveTheResultsOfTheReferenceAmongEndpoints() throws Exception {
        final List<ProductCase> cases = product(MEMBERS).cases().stream()
                .filter(each -> each.members() == MEMBERS && each.number() % ENDPOINTS_STEP == 0)
                .toList();
        assertThat(cases).hasSizeGreaterThan(200);
        runEndpoints(MEMBERS, 2, cases);
    }

    @Test
    @Tag("long")
    void shouldGiveTheResultsOfTheReferenceAmongMoreEndpoints() throws Exception {
        final List<ProductCase> cases = product(MORE_MEMBERS).cases().stream()
                .filter(each -> each.members() == MORE_MEMBERS)
                .toList();
        runEndpoints(MORE_MEMBERS, 4, cases);
    }

    private void runEndpoints(int size, int perRank, List<ProductCase> cases) throws Exception {
        final ProductMember.Shared shared = new ProductMember.Shared(size);
        final NodeConfig config = WorldMember.config()
                .withWindowBytes((long) perRank * (8 << 20))
                .withPatternBufferBytes(1 << 18)
                .withCounters(512, 512)
                .withWindows(512);
        WorldMember.runEndpoints(directory, size, perRank, config, member -> {
            final ProductMember one = new ProductMember(member, shared);
            cases.forEach(one::check);
            member.world().hosts(Hosts.one(size));
        });
    }

    private void run(int size, CollectiveProduct product) throws Exception {
        final List<ProductCase> cases =
                product.cases().stream().filter(each -> each.members() == size).toList();
        assertThat(cases).hasSizeGreaterThan(1_000);
        final ProductMember.Shared shared = new ProductMember.Shared(size);
        final NodeConfig config = WorldMember.config().withWindowBytes(8 << 20).withPatternBufferBytes(1 << 18);
        WorldMember.run(directory, Collections.nCopies(size, config), member -> {
            final ProductMember one = new ProductMember(member, shared);
            cases.forEach(one::check);
            member.world().hosts(Hosts.one(size));
        });
    }
}
