package org.segno.simulator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.segno.collective.CollectiveKind;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.simulator.DrawnCall.Elements;

/**
 * The steps that all members of a simulation carry out in the same order: geometries, collectives and rounds. Each
 * member has a script of its own, of the same seed. It follows from the seed alone, whatever fails.
 */
final class CollectiveScript {
    /** Places of a member's window for collectives of at most {@link #USUAL_BYTES}. */
    static final int PLACES = 8;

    static final int USUAL_BYTES = 4096;

    /** Longest contribution or result of the collective in the last place. */
    static final int LONGEST_BYTES = (128 << 10) + 16;

    private static final int NO_PLACE = -1;
    private static final int[] LONG_BYTES = {64 << 10, 128 << 10};
    private static final int SLOTS_BYTES = 1 << 10;
    private static final int LINE = 64;
    private static final int MOST_OPEN = 10;
    private static final int MOST_GEOMETRIES = 6;
    private static final int MOST_PAIRS = 3;
    private static final int MOST_AT_A_TIME = 4;
    private static final int COLOURS = 3;
    private static final int STEPS = 20;
    private static final int CHOICES = 4;
    private static final int CHOICES_OF_ALL = 8;

    /** Algorithms that {@link Workload#COLLECTIVES} leaves out. */
    private static final Set<String> LATER =
            Set.of("k-nomial", "recursive-halving", "ring", "pairwise", "bruck", "rows-and-columns");

    private static final CollectiveKind[] KINDS = CollectiveKind.values();
    private static final ElementType[] TYPES = ElementType.values();
    private static final Operator[] OPERATORS = Operator.values();

    private final SplittableRandom random;
    private final int longest;
    private final boolean isByAll;
    private final List<DrawnGeometry> geometries = new ArrayList<>();
    private final List<DrawnCollective> open = new ArrayList<>();
    private final boolean[] isPlaceTaken = new boolean[PLACES + 1];
    private int numbers;

    /** Creates the script of a plan. */
    CollectiveScript(SimulationPlan plan) {
        this.random = new SplittableRandom(plan.seed());
        this.longest = plan.bounds().longest();
        this.isByAll = plan.workload() == Workload.ALGORITHMS;
        geometries.add(
                new DrawnGeometry(0, IntStream.range(0, plan.nodes()).boxed().toList()));
    }

    /** A step of all members. */
    @FunctionalInterface
    interface Step {
        void run(CollectiveMember member);
    }

    /**
     * A collective that is prepared.
     *
     * @param geometry of its members
     * @param call what they call
     * @param place number of its place, below zero for memory of the collective
     * @param inPlace a bit for each member, set for one place for the contribution and the result
     * @param algorithm number among those that can carry it out, from the preferred one on
     * @param isPaired true if each second round has the contributions of the one before it, and may be queued behind it
     */
    record DrawnCollective(
            DrawnGeometry geometry, DrawnCall call, int place, long inPlace, int algorithm, boolean isPaired) {
        int number() {
            return call.number();
        }

        boolean isInPlace(int member) {
            return (inPlace >>> member & 1) != 0;
        }
    }

    /** Returns the algorithm of a collective, among the names of those that can carry it out. */
    String algorithm(DrawnCollective drawn, List<String> names) {
        final List<String> some =
                names.stream().filter(name -> isByAll || !LATER.contains(name)).toList();
        return some.get(drawn.algorithm() % some.size());
    }

    /** Returns the geometry of all ranks. */
    DrawnGeometry world() {
        return geometries.get(0);
    }

    /** Draws the next step. */
    Step next() {
        final int drawn = random.nextInt(STEPS);
        if (drawn < 7 && open.size() < MOST_OPEN) {
            return prepare();
        }
        if (drawn < 14) {
            return open.isEmpty() ? prepare() : rounds();
        }
        return switch (drawn) {
            case 14, 15 -> run();
            case 16 ->
                geometries.size() + COLOURS > MOST_GEOMETRIES
                        ? closeGeometry()
                        : random.nextBoolean() ? split() : choose();
            case 17 -> closeGeometry();
            case 18 -> barriers();
            default -> random.nextBoolean() ? closeCollective() : disagree();
        };
    }

    private DrawnGeometry geometry() {
        return random.nextBoolean() ? world() : geometries.get(random.nextInt(geometries.size()));
    }

    private Step split() {
        final DrawnGeometry parent = geometry();
        final int[] colours = random.ints(parent.size(), -1, COLOURS).toArray();
        final int[] keys = random.ints(parent.size(), 0, 4).toArray();
        final List<DrawnGeometry> made = new ArrayList<>();
        for (int colour = 0; colour < COLOURS; colour++) {
            final int chosen = colour;
            final List<Integer> ranks = IntStream.range(0, parent.size())
                    .filter(member -> colours[member] == chosen)
                    .boxed()
                    .sorted(Comparator.comparingInt(member -> keys[member]))
                    .map(parent.ranks()::get)
                    .toList();
            if (!ranks.isEmpty()) {
                made.add(new DrawnGeometry(++numbers, ranks));
            }
        }
        geometries.addAll(made);
        return member -> member.divide(
                parent, made, (from, deadlineNs) -> from.split(colours[from.self()], keys[from.self()], deadlineNs));
    }

    private Step choose() {
        final DrawnGeometry parent = geometry();
        final List<Integer> members = new ArrayList<>();
        for (int member = 0; member < parent.size(); member++) {
            members.add(random.nextInt(members.size() + 1), member);
        }
        final List<Integer> chosen = members.subList(0, 1 + random.nextInt(members.size()));
        final DrawnGeometry made = new DrawnGeometry(
                ++numbers, chosen.stream().map(parent.ranks()::get).toList());
        geometries.add(made);
        final int[] numbersThere = chosen.stream().mapToInt(Integer::intValue).toArray();
        return member -> member.divide(parent, List.of(made), (from, deadlineNs) -> from.of(numbersThere, deadlineNs));
    }

    private Step closeGeometry() {
        if (geometries.size() == 1) {
            return barriers();
        }
        final DrawnGeometry closed = geometries.remove(1 + random.nextInt(geometries.size() - 1));
        for (int i = open.size() - 1; i >= 0; i--) {
            if (open.get(i).geometry().equals(closed)) {
                free(open.remove(i));
            }
        }
        return member -> member.close(closed);
    }

    private void free(DrawnCollective collective) {
        if (collective.place() >= 0) {
            isPlaceTaken[collective.place()] = false;
        }
    }

    private Step closeCollective() {
        if (open.isEmpty()) {
            return prepare();
        }
        final DrawnCollective closed = open.remove(random.nextInt(open.size()));
        free(closed);
        return member -> member.close(closed);
    }

    private Step prepare() {
        final DrawnGeometry geometry = geometry();
        final DrawnCall call = call(geometry.size());
        final int place = call.kind() == CollectiveKind.BARRIER || random.nextInt(3) == 0 ? NO_PLACE : place(call);
        if (place >= 0) {
            isPlaceTaken[place] = true;
        }
        final boolean isPaired = call.kind() != CollectiveKind.BARRIER && random.nextBoolean();
        // The result of a round in place replaces the contribution to the next one.
        final long inPlace = isPaired ? 0 : random.nextLong();
        final int choices = isByAll ? CHOICES_OF_ALL : CHOICES;
        final DrawnCollective prepared =
                new DrawnCollective(geometry, call, place, inPlace, random.nextInt(choices), isPaired);
        open.add(prepared);
        return member -> member.prepare(prepared);
    }

    private int place(DrawnCall call) {
        final boolean isLong = Math.max(call.total(), call.block(0)) > USUAL_BYTES;
        for (int place = isLong ? PLACES : 0; place < (isLong ? PLACES + 1 : PLACES); place++) {
            if (!isPlaceTaken[place]) {
                return place;
            }
        }
        return NO_PLACE;
    }

    private Step rounds() {
        final List<DrawnCollective> left = new ArrayList<>(open);
        final List<DrawnCollective> some = new ArrayList<>();
        for (int i = random.nextInt(MOST_AT_A_TIME); i >= 0 && !left.isEmpty(); i--) {
            some.add(left.remove(random.nextInt(left.size())));
        }
        final int count = 1 + random.nextInt(MOST_PAIRS);
        return member -> member.rounds(some, count);
    }

    private Step run() {
        final DrawnGeometry geometry = geometry();
        final DrawnCall call = call(geometry.size());
        return member -> member.run(geometry, call);
    }

    /** Returns the sum of a few numbers of all members. */
    DrawnCall sum(int members) {
        final Elements elements = new Elements(ElementType.LONG, Operator.SUM);
        return new DrawnCall(-1, CollectiveKind.ALLREDUCE, members, 0, new long[] {2 * Long.BYTES}, elements);
    }

    private Step barriers() {
        final DrawnGeometry geometry = geometry();
        final DrawnCall barrier =
                new DrawnCall(++numbers, CollectiveKind.BARRIER, geometry.size(), 0, new long[] {0}, null);
        final DrawnCollective prepared = new DrawnCollective(geometry, barrier, NO_PLACE, 0, random.nextInt(2), false);
        final int count = 1 + random.nextInt(8 * MOST_PAIRS);
        return member -> member.overlap(prepared, count);
    }

    /** Draws a call for which one member passes another length. */
    private Step disagree() {
        final DrawnGeometry geometry = geometry();
        final int odd = random.nextInt(geometry.size());
        final int number = ++numbers;
        return member -> member.disagree(geometry, number, odd);
    }

    private DrawnCall call(int members) {
        final CollectiveKind kind = KINDS[random.nextInt(KINDS.length)];
        final Elements elements = kind.isReduction() ? elements() : null;
        final int element = elements == null ? 1 : elements.type().length();
        return new DrawnCall(
                ++numbers, kind, members, random.nextInt(members), lengths(kind, members, element), elements);
    }

    private Elements elements() {
        final ElementType type = TYPES[random.nextInt(TYPES.length)];
        if (type == ElementType.LONG_PAIR && random.nextInt(4) != 0) {
            return new Elements(type, null);
        }
        Operator operator = OPERATORS[random.nextInt(OPERATORS.length)];
        while (!operator.appliesTo(type)) {
            operator = OPERATORS[random.nextInt(OPERATORS.length)];
        }
        return new Elements(type, operator);
    }

    /** Draws the lengths of the blocks, multiples of the length of an element. */
    private long[] lengths(CollectiveKind kind, int members, int element) {
        final int drawn = total(members, element);
        final int total = longest < SLOTS_BYTES ? Math.min(drawn, longest) : drawn;
        if (!kind.isDivided()) {
            return new long[] {total - total % element};
        }
        final long[] lengths = new long[members];
        final boolean isVarying = random.nextBoolean();
        int left = total / element;
        for (int member = 0; member < members; member++) {
            final int equal = total / element / members;
            final int part = isVarying ? random.nextInt(left + 1) : equal;
            lengths[member] = (long) part * element;
            left -= part;
        }
        return lengths;
    }

    /** Draws a number of bytes: none, one element, any, or one about which another algorithm is preferred. */
    private int total(int members, int element) {
        final int beside = (random.nextInt(3) - 1) * element;
        return switch (random.nextInt(10)) {
            case 0 -> 0;
            case 1 -> element;
            case 2 -> random.nextInt(LINE + 1);
            case 3 -> Math.min(USUAL_BYTES, LINE * members + beside);
            case 4, 5 -> SLOTS_BYTES + beside;
            case 6 -> random.nextInt(SLOTS_BYTES / 2);
            case 7, 8 -> random.nextInt(USUAL_BYTES + 1);
            default ->
                random.nextInt(3) == 0
                        ? LONG_BYTES[random.nextInt(LONG_BYTES.length)] + beside
                        : random.nextInt(SLOTS_BYTES);
        };
    }
}
