package org.segno.collective;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.segno.multisend.JointPattern;

/**
 * Recording of the collectives of a geometry, together with all members. If one of them has no room, all close the
 * collective that was run least recently, unless the application holds it, and begin again. Used by the one thread that
 * holds the contexts.
 */
final class CollectiveRecordings {
    private final Geometry geometry;
    private final GeometryResources resources;
    private final Agreement agreement;
    private final RecordedCollectives recorded;

    /** Number of collectives that have been recorded. */
    private long count;

    /** Those that are not closed, in the order of recordings. */
    private final Set<Collective> open = new LinkedHashSet<>();

    /** Collective that belongs to an agreement, and has failed. */
    private @Nullable Collective unfinished;

    CollectiveRecordings(Geometry geometry, Agreement agreement, RecordedCollectives recorded) {
        this.geometry = geometry;
        this.resources = geometry.resources();
        this.agreement = agreement;
        this.recorded = recorded;
    }

    /** Records a collective, as {@link Geometry#prepare}. */
    Collective prepare(Call call, long deadlineNs) {
        final int members = geometry.size();
        final Lengths received = call.received();
        if (received == null) {
            return prepare(call, null, null, deadlineNs);
        }
        requireValid(call, Arguments.unknownOffsets(call, members), null, deadlineNs);
        // Before anything moves: what the members exchange next is equal to an all-to-all with blocks of equal lengths.
        Proposal.step(agreement.own(), Proposal.EXCHANGE);
        agreement.agree(deadlineNs);
        final Collective exchange = prepare(BlockOffsets.exchange(), null, null, deadlineNs);
        final BlockOffsets.Exchanged learnt;
        try {
            learnt = BlockOffsets.exchange(exchange, call, received, members, deadlineNs);
        } catch (final RuntimeException e) {
            agreement.breakOff(e);
            // Others may still receive what this member has sent.
            unfinished = exchange;
            throw e;
        }
        try (exchange) {
            return prepare(call, learnt.offsets(), learnt.difference(), deadlineNs);
        }
    }

    /** Records a collective; {@code problem} is a reason for which this member cannot take part. */
    private Collective prepare(Call call, @Nullable BlockOffsets offsets, @Nullable String problem, long deadlineNs) {
        requireValid(call, offsets, problem, deadlineNs);
        resources.until(deadlineNs);
        resources.restOthers();
        Collective collective = null;
        while (collective == null) {
            final Attempt attempt = new Attempt(deadlineNs);
            try {
                collective = attempt.record(call, offsets);
            } finally {
                if (collective == null) {
                    attempt.close();
                }
            }
        }
        open.add(collective);
        return collective;
    }

    /** Checks the arguments, and notifies the other members if one is invalid. */
    private void requireValid(Call call, @Nullable BlockOffsets offsets, @Nullable String problem, long deadlineNs) {
        try {
            if (problem != null) {
                throw new IllegalArgumentException(problem);
            }
            final Shape shape = Arguments.requireValid(call, geometry.member(), offsets);
            geometry.table().algorithm(call.algorithm(), shape);
        } catch (final IllegalArgumentException e) {
            throw agreement.failed(e, deadlineNs);
        }
    }

    /** One attempt to record a collective. */
    private final class Attempt {
        private final long deadlineNs;
        private @Nullable Preparation preparation;
        private @Nullable JointPattern pattern;

        Attempt(long deadlineNs) {
            this.deadlineNs = deadlineNs;
        }

        /** Returns the collective, or null if all members have closed another one, to make room. */
        @Nullable
        Collective record(Call call, @Nullable BlockOffsets offsets) {
            Preparation prepared = null;
            int part = 0;
            do {
                try {
                    prepared = prepared == null ? prepare(call, offsets) : prepared;
                    prepared.propose(agreement.own());
                } catch (final IllegalArgumentException | IllegalStateException e) {
                    hasNoRoom(e);
                }
                if (!isAgreed() || prepared == null) {
                    return null;
                }
                prepared.connect(agreement);
                part++;
            } while (part < prepared.count());
            return recordAll(prepared);
        }

        private Preparation prepare(Call call, @Nullable BlockOffsets offsets) {
            final Preparation prepared = new Preparation(geometry, call, offsets);
            preparation = prepared;
            return prepared;
        }

        private @Nullable Collective recordAll(Preparation prepared) {
            JointPattern recording = null;
            Proposal.step(agreement.own(), Proposal.RECORDED);
            try {
                recording = prepared.record(geometry.toString());
                pattern = recording;
            } catch (final IllegalArgumentException | IllegalStateException e) {
                hasNoRoom(e);
            }
            if (!isAgreed() || recording == null) {
                return null;
            }
            count++;
            return new Collective(geometry, prepared, recording, count, geometry.checksRounds());
        }

        /** Proposes that all members close a collective, or that this one cannot take part. */
        private void hasNoRoom(RuntimeException reason) {
            if (recorded.oldest() == null) {
                throw agreement.failed(reason, deadlineNs);
            }
            Proposal.noRoom(agreement.own(), String.valueOf(reason.getMessage()));
        }

        /** Returns true if all members propose the same, false if they have closed a collective in place of that. */
        private boolean isAgreed() {
            final Collective oldest = recorded.oldest();
            Proposal.closeable(agreement.own(), oldest == null ? 0 : oldest.closeable());
            if (!agreement.agreeOrClose(deadlineNs)) {
                return true;
            }
            if (oldest != null) {
                oldest.close();
            }
            return false;
        }

        /** Closes what it has opened. */
        void close() {
            if (pattern != null) {
                pattern.close();
            }
            if (preparation != null) {
                preparation.close();
            }
        }
    }

    /** Removes a collective that is closed. */
    void remove(Collective collective) {
        open.remove(collective);
    }

    /** Closes all collectives, or none if one of them is in progress. */
    void close() {
        for (final Collective each : open) {
            if (each != unfinished) {
                each.requireCloseable();
            }
        }
        if (unfinished != null) {
            unfinished.end(resources.context().rank());
        }
        // Each close removes its collective.
        List.copyOf(open).forEach(Collective::close);
    }
}
