package org.segno.simulator;

import java.util.List;

/** Canaries of collectives, which the workload of collectives finds. */
final class CollectiveCanaries {
    private CollectiveCanaries() {}

    static List<Canary> all() {
        return List.of(
                new Canary(
                        "a barrier expects the counts of all others but one",
                        "collective.CounterBarrier",
                        "schedule.countOthers(schedule.counts(shape.members() - 1L));",
                        "schedule.countOthers(schedule.counts(Math.max(1, shape.members() - 2L)));"),
                new Canary(
                        "a broadcast does not wait until its receivers have begun the round",
                        "collective.TreeBroadcast",
                        "schedule.await(ready);",
                        ""),
                new Canary(
                        "members read a broadcast before its root has begun the round",
                        "collective.PullBroadcast",
                        "schedule.await(ready);",
                        ""),
                new Canary(
                        "members read contributions before all have begun the round",
                        "collective.PullReduction",
                        "schedule.await(ready);",
                        ""),
                new Canary(
                        "a reduce-scatter in place writes its result before the others have read",
                        "collective.PullReduction",
                        "schedule.await(read);",
                        ""),
                new Canary(
                        "a member without a block of an allreduce sends no count in its place",
                        "collective.PullReduction",
                        "schedule.countOthers(result);",
                        ""),
                new Canary(
                        "the pieces of an allreduce begin at its start",
                        "collective.PullReduction",
                        "final long offset = blocks.offset(self) + begin;",
                        "final long offset = blocks.offset(self) + 0;"),
                new Canary(
                        "a split ignores the keys",
                        "collective.Geometry",
                        "members.sort(Comparator.comparingInt(member -> keys[member]));",
                        ""),
                new Canary(
                        "an allreduce combines contributions in another order",
                        "collective.SlotAllreduce",
                        "schedule.combine(sum, next, schedule.target(), bytes);",
                        "schedule.combine(next, sum, schedule.target(), bytes);"),
                new Canary(
                        "a scan combines in the opposite order",
                        "collective.DoublingScan",
                        "schedule.combine(before, own, sum, bytes);",
                        "schedule.combine(own, before, sum, bytes);"),
                new Canary(
                        "a product of longs is their sum",
                        "engine.combine.LongElements",
                        "results[FIRST + i] = at(left, i) * at(right, i);",
                        "results[FIRST + i] = at(left, i) + at(right, i);"));
    }
}
