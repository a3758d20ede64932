package org.segno.collective;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counters and windows of a collective at one member, for all of its parts together.
 *
 * @param algorithm its name
 * @param pairs counter pairs
 * @param windows in addition to those that the call names
 * @param bytes of these windows
 */
record Needs(String algorithm, int pairs, int windows, long bytes) {
    /**
     * Returns the needs of a call with up to {@code contexts} parts.
     *
     * @throws IllegalArgumentException if the named algorithm cannot carry it out
     */
    static Needs of(Call call, Member member, int contexts, AlgorithmTable table, @Nullable BlockOffsets offsets) {
        final int members = member.hosts().members();
        final int self = member.number();
        final int count = Preparation.parts(call, Arguments.shape(call, member, offsets), contexts);
        final boolean hasData = count > 1 && Preparation.isUnplaced(call);
        long bytes = hasData ? Preparation.Layout.of(call, self, members).bytes() : 0;
        int pairs = 0;
        String name = call.algorithm();
        for (int part = 0; part < count; part++) {
            final Call divided = count == 1 ? call : call.part(part, count, self, members);
            final Shape shape = Arguments.shape(divided, member, offsets);
            final Algorithm algorithm = table.algorithm(name, shape);
            final Schedule schedule = Preparation.schedule(call, algorithm, shape);
            name = algorithm.name();
            bytes += CollectiveMemory.bytes(count == 1, divided, schedule);
            pairs += (int) schedule.inlets().stream().filter(Inlet::isOpen).count();
        }
        return new Needs(name, pairs, count + (hasData ? 1 : 0), bytes);
    }

    /** Returns the bytes of windows that a member of a geometry needs for it and for the collectives of calls. */
    static long windowBytes(int members, int contexts, AlgorithmTable table, Call... calls) {
        if (members < 1 || contexts < 1) {
            throw new IllegalArgumentException(
                    "a geometry has a member and a context at least: members=" + members + " contexts=" + contexts);
        }
        long bytes = Agreement.bytes(members);
        for (final Call call : calls) {
            Arguments.requireLengths(call, members);
            bytes += mostBytes(call, members, contexts, table);
            bytes += call.received() == null ? 0 : mostBytes(BlockOffsets.exchange(), members, contexts, table);
        }
        return bytes;
    }

    /** Returns the most that any of {@code members} needs for a call, whichever of them share a host. */
    private static long mostBytes(Call call, int members, int contexts, AlgorithmTable table) {
        final int[] names = new int[members];
        names[members - 1] = 1;
        final Hosts one = Hosts.one(members);
        final BlockOffsets unknown = Arguments.unknownOffsets(call, members);
        long most = 0;
        for (final Hosts hosts : List.of(Hosts.of(names), one)) {
            // If the named algorithm can carry the call out on no hosts, the last ones report it.
            // It is not known yet which operators will be commutative.
            for (final boolean commutes : new boolean[] {false, true}) {
                if (isPossible(call, hosts, commutes) || (most == 0 && commutes && hosts.equals(one))) {
                    for (int number = 0; number < members; number++) {
                        final Member member = new Member(number, hosts, operator -> commutes);
                        most = Math.max(most, of(call, member, contexts, table, unknown).bytes);
                    }
                }
            }
        }
        return most;
    }

    /** Returns true unless a call names an algorithm that cannot carry it out among members on these hosts. */
    private static boolean isPossible(Call call, Hosts hosts, boolean commutes) {
        return call.algorithm().isEmpty()
                || Algorithms.named(call.kind(), call.algorithm())
                        .isValid(Arguments.shape(
                                call,
                                new Member(0, hosts, operator -> commutes),
                                Arguments.unknownOffsets(call, hosts.members())));
    }

    /** Returns true if so many are free. */
    boolean areMet(long freePairs, long freeWindows) {
        return pairs <= freePairs && windows <= freeWindows;
    }

    /** Describes what is missing, with the settings to raise, in less than the bytes of a member's reason. */
    String missing(CollectiveKind kind, long freePairs, long freeWindows) {
        final boolean fewPairs = pairs > freePairs;
        return kind + " by " + algorithm + " needs " + count(pairs, "counter pair") + " and " + count(windows, "window")
                + "; free: " + freePairs + " and " + freeWindows + "; close collectives, or raise "
                + (fewPairs ? "withCounters by two for each pair" : "")
                + (windows > freeWindows ? (fewPairs ? " and " : "") + "NodeConfig.withWindows" : "");
    }

    private static String count(int count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }
}
