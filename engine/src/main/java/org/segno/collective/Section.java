package org.segno.collective;

import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.memory.CounterPair;
import org.segno.memory.Operand;
import org.segno.memory.Target;
import org.segno.operation.Combine;

/** Injection of a schedule's steps into the section of a pattern. Used while the section is prepared. */
final class Section {
    private final Context context;
    private final CollectiveMemory memory;
    private final Target[][] targets;

    /** Creates the injection; {@code targets} are the inlets of each member. */
    Section(Context context, CollectiveMemory memory, Target[][] targets) {
        this.context = context;
        this.memory = memory;
        this.targets = targets;
    }

    /** Injects all steps, and what the member expects. */
    void inject(Schedule schedule) {
        for (final Inlet inlet : schedule.inlets()) {
            if (inlet.expected() != 0) {
                ContextAccess.expectCumulative(context, memory.pair(inlet.number()), inlet.expected());
            }
        }
        for (final Schedule.Step step : schedule.steps()) {
            step.inject(this);
        }
    }

    void put(int member, int inlet, long offset, Place from, long length) {
        context.put(targets[member][inlet], offset, operand(from), offset(from), length);
    }

    /** A read of bytes from an inlet of another member into one of this member. */
    record Read(int from, long fromOffset, int to, long offset, long length) {}

    void get(int member, Read read) {
        context.get(targets[member][read.from], read.fromOffset, memory.pair(read.to), read.offset, read.length, null);
    }

    void count(int member, int inlet) {
        context.count(targets[member][inlet], -1);
    }

    void await(int inlet, long missing) {
        context.waitUntil(memory.pair(inlet), missing);
    }

    void copy(Place from, Place to, long length) {
        if (operand(from) instanceof CounterPair || operand(from) != operand(to) || offset(from) != offset(to)) {
            context.copy(operand(from), offset(from), operand(to), offset(to), length);
        }
    }

    void combine(Place left, Place right, Place to, long length) {
        final Combine combine = memory.reduction().combine();
        if (to.isSameAs(left)) {
            context.combine(operand(right), offset(right), operand(to), offset(to), length, combine);
        } else if (to.isSameAs(right)) {
            context.combine(operand(left), offset(left), operand(to), offset(to), length, combine.reversed());
        } else {
            context.combine(
                    operand(left),
                    offset(left),
                    operand(to),
                    offset(to),
                    length,
                    combine.with(operand(right), offset(right)));
        }
    }

    private Operand operand(Place place) {
        return memory.operand(place);
    }

    private long offset(Place place) {
        return memory.offset(place);
    }
}
