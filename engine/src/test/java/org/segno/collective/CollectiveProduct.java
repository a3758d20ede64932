package org.segno.collective;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.segno.collective.ProductCase.Blocks;
import org.segno.collective.ProductCase.Group;
import org.segno.collective.ProductCase.Placement;

/**
 * A selection of the product of all factors of a collective: its group (kind, algorithm, number of members and root),
 * the element type and operator, the length, the division into blocks, the places, the hosts and whether it is
 * synchronous. Each two values of two factors occur together in some case, if an algorithm can carry that out.
 *
 * <p>The cases of each group take the values of one factor after the other: each time the one that has occurred least
 * often together with the values that the case has already. The selection depends on nothing else.
 */
final class CollectiveProduct {
    private static final int GROUP = 0;
    private static final int ELEMENT = 1;
    private static final int HOSTS = 2;
    private static final int LENGTH = 3;
    private static final int BLOCKS = 4;
    private static final int PLACE = 5;
    private static final int SYNCHRONOUS = 6;
    private static final int FACTORS = 7;

    private static final List<Blocks> DIVISIONS = List.of(Blocks.values());
    private static final List<Placement> PLACES = List.of(Placement.values());

    private static final int LINE = 64;
    private static final int NEAR = 3;

    /** Lengths at which the library or its engine changes its way, besides those of the table: constants of both. */
    private static final List<Long> SWITCHES = List.of(32L, 128L, 32L << 10, 64L << 10, 128L << 10);

    /** Weight of a pair that has not occurred. All pairs with a group precede others, which later groups can have. */
    private static final int NEW = 1 << 20;

    /** Value of a factor that is yet to be chosen. */
    private static final int ANY = -1;

    private static final int BARRIER_CASES = 4;

    private final List<Group> groups = new ArrayList<>();
    private final List<ProductCase> cases = new ArrayList<>();
    private final List<Long> fixedSwitches;
    private final int[][][][] together;

    private CollectiveProduct(int mostMembers) {
        final Set<Long> known = new LinkedHashSet<>(SWITCHES);
        for (final AlgorithmTable.Row row : AlgorithmTable.defaults().rows()) {
            if (row.bytes() > 0 && row.bytes() < Long.MAX_VALUE) {
                known.add(row.bytes());
            }
        }
        fixedSwitches = List.copyOf(known);
        for (int members = 1; members <= mostMembers; members++) {
            for (final CollectiveKind kind : CollectiveKind.values()) {
                addGroups(kind, members);
            }
        }
        together = new int[FACTORS][][][];
        for (int factor = 0; factor < FACTORS; factor++) {
            together[factor] = new int[count(factor)][FACTORS][];
            for (final int[][] others : together[factor]) {
                Arrays.setAll(others, other -> new int[count(other)]);
            }
        }
    }

    /** Returns the selection for 1 to {@code mostMembers} members. */
    static CollectiveProduct of(int mostMembers) {
        final CollectiveProduct product = new CollectiveProduct(mostMembers);
        for (int group = 0; group < product.groups.size(); group++) {
            for (int i = 0; i < product.casesOf(product.groups.get(group).kind()); i++) {
                product.add(values(GROUP, group));
            }
        }
        product.missing().forEach(product::add);
        return product;
    }

    List<ProductCase> cases() {
        return cases;
    }

    /** Returns the lengths at which something changes among members; a length 0 stands for the shortest. */
    List<Long> switches(int members) {
        final List<Long> switches = new ArrayList<>(fixedSwitches);
        // The shortest, the least of an allreduce that is divided, and the most of algorithms with slots for all.
        switches.addAll(List.of(0L, (long) LINE * members, (64L << 10) / members));
        return switches;
    }

    private void addGroups(CollectiveKind kind, int members) {
        for (final Algorithm algorithm : Algorithms.of(kind)) {
            for (int root = 0; root < (kind.isRooted() ? members : 1); root++) {
                groups.add(new Group(kind, algorithm.name(), members, root));
                if (!isPossible(values(GROUP, groups.size() - 1))) {
                    groups.remove(groups.size() - 1);
                }
            }
        }
    }

    private int count(int factor) {
        return switch (factor) {
            case GROUP -> groups.size();
            case ELEMENT -> ProductCase.ELEMENTS.size();
            case LENGTH -> NEAR * switches(1).size();
            case BLOCKS -> DIVISIONS.size();
            case PLACE -> PLACES.size();
            case HOSTS -> ProductCase.MOST_HOSTS;
            default -> 2;
        };
    }

    private int casesOf(CollectiveKind kind) {
        return kind == CollectiveKind.BARRIER
                ? BARRIER_CASES
                : kind.isReduction() ? ProductCase.ELEMENTS.size() - 1 : count(LENGTH);
    }

    /** Adds a case with some values; the others are chosen. */
    private void add(int[] some) {
        int[] values = some;
        for (int factor = 0; factor < FACTORS; factor++) {
            values = values[factor] == ANY ? with(values, factor, choice(values, factor)) : values;
        }
        for (int factor = 0; factor < FACTORS; factor++) {
            for (int other = 0; other < FACTORS; other++) {
                together[factor][values[factor]][other][values[other]]++;
            }
        }
        cases.add(of(values));
    }

    private static int[] values(int factor, int value) {
        final int[] values = new int[FACTORS];
        Arrays.fill(values, ANY);
        values[factor] = value;
        return values;
    }

    private static int[] with(int[] values, int factor, int value) {
        final int[] more = values.clone();
        more[factor] = value;
        return more;
    }

    /** Returns the possible value that has occurred least often together with those of the other factors. */
    private int choice(int[] chosen, int factor) {
        int least = Integer.MAX_VALUE;
        int choice = ANY;
        for (int value = 0; value < together[factor].length; value++) {
            int sum = 0;
            for (int other = 0; other < FACTORS; other++) {
                sum += chosen[other] == ANY ? 0 : cost(other, together[factor][value][other][chosen[other]]);
            }
            if (sum < least && isPossible(with(chosen, factor, value))) {
                least = sum;
                choice = value;
            }
        }
        return choice;
    }

    private static int cost(int factor, int times) {
        return times > 0 ? times : factor == GROUP ? -FACTORS * NEW : -NEW;
    }

    /** Returns true if an algorithm can carry out some case with these values; other factors may have any. */
    private boolean isPossible(int[] values) {
        if (!fits(values)) {
            return false;
        }
        for (final int factor : new int[] {ELEMENT, HOSTS, LENGTH, BLOCKS}) {
            if (values[factor] == ANY) {
                return IntStream.range(0, count(factor)).anyMatch(value -> isPossible(with(values, factor, value)));
            }
        }
        return of(values).isValid();
    }

    /** Returns true for values that the kind may have, as a kind without data has no length. */
    private boolean fits(int[] values) {
        final CollectiveKind kind = groups.get(values[GROUP]).kind();
        final boolean isBarrier = kind == CollectiveKind.BARRIER;
        return (values[ELEMENT] == ANY || values[ELEMENT] > 0 == kind.isReduction())
                && (values[BLOCKS] <= 0 || kind.isDivided())
                && (values[LENGTH] <= 0 || !isBarrier)
                && (values[PLACE] <= 0 || !isBarrier);
    }

    private ProductCase of(int[] values) {
        final Group group = groups.get(values[GROUP]);
        return new ProductCase(
                cases.size() + 1,
                group,
                values[ELEMENT],
                bytes(group, values[ELEMENT], values[LENGTH]),
                DIVISIONS.get(values[BLOCKS]),
                PLACES.get(Math.max(0, values[PLACE])),
                values[HOSTS] + 1,
                values[SYNCHRONOUS] > 0);
    }

    /** Returns a length of whole elements just below, at or just above a switch; or the shortest lengths. */
    private long bytes(Group group, int element, int length) {
        final int unit = ProductCase.ELEMENTS.get(element).length();
        final long units = switches(group.members()).get(length / NEAR) / unit;
        return Math.max(0, units - 1) * unit + (long) length % NEAR * unit;
    }

    /** Returns the pairs of values that never occur together, though some group can have them; and that group. */
    List<int[]> missing() {
        final List<int[]> missing = new ArrayList<>();
        for (int factor = 0; factor < FACTORS; factor++) {
            for (int other = factor + 1; other < FACTORS; other++) {
                for (int pair = 0; pair < count(factor) * count(other); pair++) {
                    final int value = pair / count(other);
                    final int with = pair % count(other);
                    if (together[factor][value][other][with] == 0) {
                        missing.addAll(possible(factor, value, other, with));
                    }
                }
            }
        }
        return missing;
    }

    /** Returns the first group that can have two values, with them; empty if there is none. */
    private List<int[]> possible(int factor, int value, int other, int with) {
        return IntStream.range(0, groups.size())
                .filter(group -> factor != GROUP || value == group)
                .mapToObj(group -> with(with(values(GROUP, group), factor, value), other, with))
                .filter(this::isPossible)
                .limit(1)
                .toList();
    }
}
