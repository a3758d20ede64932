package org.segno.simulator;

import java.util.List;
import java.util.stream.Stream;

/** Canaries of collectives, which the workloads of collectives find. */
final class CollectiveCanaries {
    private CollectiveCanaries() {}

    /** Returns those that the workload of all algorithms finds. */
    static List<Canary> ofAlgorithms() {
        return List.of(
                new Canary(
                        "a member of a ring sends blocks before the next one has begun the round",
                        "collective.RingAllgather",
                        "schedule.await(ready);",
                        ""),
                new Canary(
                        "the limit of a counter that falls for ever is that of the round before",
                        "engine.descriptor.Descriptor",
                        "return value - bytes * ((generation + 1) >> 1);",
                        "return value - bytes * ((generation - 1) >> 1);"),
                new Canary(
                        "members exchange blocks in pairs before all have begun the round",
                        "collective.PairwiseExchange",
                        "schedule.await(ready);",
                        ""),
                new Canary(
                        "members send the blocks that they have before others have begun the round",
                        "collective.BruckAllgather",
                        "schedule.await(ready);",
                        ""),
                new Canary(
                        "an exchange sends all blocks of a step to the next member",
                        "collective.BruckExchange",
                        "schedule.put(shape.after(self, bit), arrived, 0, packed, length);",
                        "schedule.put(shape.after(self, 1), arrived, 0, packed, length);"),
                new Canary(
                        "the sums of a ring are combined in the opposite order",
                        "collective.RingAllreduce",
                        "schedule.combine(sums.place().at(offset), sum, schedule.target().at(offset), length);",
                        "schedule.combine(sum, sums.place().at(offset), schedule.target().at(offset), length);"),
                new Canary(
                        "a halving combines in the opposite order",
                        "collective.Halving",
                        "final boolean isFirst = kept < given;",
                        "final boolean isFirst = kept > given;"),
                new Canary(
                        "the members of an incomplete row send to their own columns only",
                        "collective.GridAllreduce",
                        "final int step = size;",
                        "final int step = grid.width;"));
    }

    /** Returns those that the workload of collectives finds. */
    static List<Canary> all() {
        return Stream.of(ofSchedules(), ofTheEngine()).flatMap(List::stream).toList();
    }

    private static List<Canary> ofSchedules() {
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
                        "a member without a block sends no count in its place",
                        "collective.PullReduction",
                        "schedule.count(receivers[i], result);",
                        ""),
                new Canary(
                        "the pieces of an allreduce begin at its start",
                        "collective.PullReduction",
                        "final long offset = blocks.offset(self) + begin;",
                        "final long offset = blocks.offset(self) + 0;"),
                new Canary(
                        "a split ignores the keys",
                        "collective.Geometry",
                        "chosen.sort(Comparator.comparingInt(member -> keys[member]));",
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
                        "schedule.combine(own, before, sum, bytes);"));
    }

    /** Defects of the engine. */
    private static List<Canary> ofTheEngine() {
        return List.of(
                new Canary(
                        "a decoded COUNT is doubled",
                        "engine.dma.DecodedCount",
                        "target.count(amount);",
                        "target.count(2 * amount);"),
                new Canary(
                        "a product of longs is their sum",
                        "engine.combine.LongElements",
                        "results[FIRST + i] = at(left, i) * at(right, i);",
                        "results[FIRST + i] = at(left, i) + at(right, i);"));
    }
}
