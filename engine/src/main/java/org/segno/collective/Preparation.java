package org.segno.collective;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.multisend.JointPattern;
import org.segno.multisend.MultisendAccess;
import org.segno.pattern.Rounds;

/**
 * Preparation of a collective at one member. Long ones have several parts, one for each context of the geometry. The
 * members agree on each part, then each records all of its own.
 */
final class Preparation {
    /** Minimum of the bytes of a part: below, another start costs more than another engine saves. */
    private static final long PART_BYTES = 64 << 10;

    private final GeometryResources resources;
    private final Context[] contexts;
    private final Members members;
    private final Member self;
    private final AlgorithmTable table;
    private final @Nullable BlockOffsets offsets;
    private final Call call;
    private final List<Part> parts = new ArrayList<>();
    private final List<Section> sections = new ArrayList<>();

    /** Contribution and result of all parts, if the call names no windows and has several parts. */
    private final @Nullable Window data;

    private final Call placed;
    private final int count;

    /**
     * Checks a call, and divides it.
     *
     * @param offsets of an all-to-all with different lengths, otherwise null
     * @throws IllegalArgumentException if an argument is invalid, or there is no room for the data
     * @throws IllegalStateException if too few counters or windows are left
     */
    Preparation(Geometry geometry, Call call, @Nullable BlockOffsets offsets) {
        this.resources = geometry.resources();
        this.contexts = geometry.contexts();
        this.members = geometry.members();
        this.self = geometry.member();
        this.table = geometry.table();
        this.offsets = offsets;
        this.call = call;
        final Shape shape = Arguments.requireValid(call, self, offsets);
        this.count = parts(call, shape, contexts.length);
        resources.require(call.kind(), Needs.of(call, self, contexts.length, table, offsets));
        final Layout layout = Layout.of(call, self.number(), members.size());
        this.data = count > 1 && isUnplaced(call) ? resources.window(layout.bytes) : null;
        this.placed = data == null ? call : call.inOne(data, layout.targetOffset);
    }

    /** Offset of the result behind the contribution, and the bytes of both. */
    record Layout(long targetOffset, long bytes) {
        static Layout of(Call call, int self, int members) {
            final long source = Schedule.align(call.sourceBytes(self, members));
            final long target = Schedule.align(call.targetBytes(self, members));
            final long offset = call.kind() == CollectiveKind.BROADCAST ? 0 : source;
            return new Layout(offset, Math.max(Schedule.align(1), Math.max(source, offset + target)));
        }
    }

    static boolean isUnplaced(Call call) {
        return call.source() == null && call.target() == null;
    }

    /** Returns the number of parts of a call, equal at all members. */
    static int parts(Call call, Shape shape, int contexts) {
        // In place, the result of a reduce-scatter overwrites contributions that another part may not have read.
        final boolean isOne = call.received() != null || call.kind() == CollectiveKind.REDUCE_SCATTER;
        return isOne ? 1 : (int) Math.max(1, Math.min(contexts, shape.moved() / PART_BYTES));
    }

    static Schedule schedule(Call call, Algorithm algorithm, Shape shape) {
        final Schedule schedule = new Schedule(shape);
        if (call.isSynchronous()) {
            DisseminationBarrier.meet(shape, schedule);
        }
        if (call.kind() == CollectiveKind.ALL_TO_ALL && shape.inPlace()) {
            schedule.copySource();
        }
        algorithm.write(shape, schedule);
        schedule.end();
        return schedule;
    }

    int count() {
        return count;
    }

    /**
     * Opens the next part, and writes its proposal.
     *
     * @throws IllegalArgumentException if there is no room
     * @throws IllegalStateException if too few counters are left
     */
    void propose(MutableDirectBuffer to) {
        final int part = parts.size();
        final Call divided = count == 1 ? placed : placed.part(part, count, self.number(), members.size());
        final Shape shape = Arguments.requireValid(divided, self, offsets);
        final String name =
                part == 0 ? call.algorithm() : parts.get(0).algorithm().name();
        final Algorithm algorithm = table.algorithm(name, shape);
        final Schedule schedule = schedule(call, algorithm, shape);
        final CollectiveMemory memory = new CollectiveMemory(resources, divided, schedule, members.ranks());
        parts.add(new Part(contexts[part], algorithm, schedule, memory));
        Proposal.call(to, call, parts.get(part));
        Proposal.inlets(to, memory.pairs());
    }

    /** Connects the part that was proposed last with what the members have proposed. */
    void connect(Agreement agreement) {
        final Target[][] targets = new Target[members.size()][];
        for (int member = 0; member < members.size(); member++) {
            targets[member] = Proposal.targets(agreement.of(member), members.rank(member));
        }
        final Part part = parts.get(parts.size() - 1);
        sections.add(new Section(part.context(), part.memory(), targets));
    }

    /**
     * Records all parts. Throws as {@link Context#prepare}.
     *
     * @param geometry its name, for messages
     */
    JointPattern record(String geometry) {
        final String purpose = call + " by " + parts.get(0).algorithm().name() + " of " + geometry;
        return MultisendAccess.prepare(Rounds.ALTERNATE, purpose, this::inject, Arrays.copyOf(contexts, count));
    }

    private void inject() {
        for (int part = 0; part < count; part++) {
            sections.get(part).inject(parts.get(part).schedule());
        }
    }

    List<Part> parts() {
        return parts;
    }

    Call call() {
        return call;
    }

    /** Closes the memory of all parts. */
    void close() {
        parts.forEach(part -> part.memory().close());
        if (data != null) {
            resources.close(data);
        }
    }
}
