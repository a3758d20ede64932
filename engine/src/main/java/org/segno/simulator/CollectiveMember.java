package org.segno.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.collective.Call;
import org.segno.collective.Collective;
import org.segno.collective.Geometry;
import org.segno.collective.Lengths;
import org.segno.context.Client;
import org.segno.memory.Window;
import org.segno.node.Node;
import org.segno.simulator.CollectiveScript.DrawnCollective;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.SegnoException;

/**
 * Program of one rank in a simulation of collectives: it carries out its script, and compares each result with a
 * reference. What has failed because of a lost member is closed, and the other geometries go on; in the end, those that
 * live create one. Where members may wait for others that have given up, a failure ends the program.
 */
final class CollectiveMember {
    private static final String WORLD = "all";
    private static final String LIVING = "living";

    /** Deadline of each call. Faults take up to three seconds. */
    private static final long PATIENCE_S = 4;

    private final Client client;
    private final int rank;
    private final CollectiveRun run;
    private final CollectiveScript script;
    private final SplittableRandom random;
    private final Window places;
    private final Map<Integer, Geometry> geometries = new TreeMap<>();
    private final Map<Integer, OpenCollective> open = new TreeMap<>();
    private boolean isStopped;

    /** Creates the program; {@code random} is the source of what the members do in different ways. */
    CollectiveMember(Node node, CollectiveRun run, CollectiveScript script, SplittableRandom random) {
        this.client = node.client();
        this.rank = node.rank();
        this.run = run;
        this.script = script;
        this.random = random;
        this.places = client.window(placeBytes());
        client.operator(ReferenceOperator.AFFINE_NUMBER, ReferenceOperator.AFFINE);
    }

    /** Returns the length of the window of the places. */
    static int placeBytes() {
        return CollectiveScript.PLACES * CollectivePlace.bytes(CollectiveScript.USUAL_BYTES)
                + CollectivePlace.bytes(CollectiveScript.LONGEST_BYTES);
    }

    /** Creation of a geometry from another one. */
    @FunctionalInterface
    interface Division {
        @Nullable
        Geometry of(Geometry parent, long deadlineNs);
    }

    /** Carries out the script. */
    void run() {
        run.begin(0);
        final boolean isCreated = attempt(script.world(), "the world", () -> {
            final Geometry world = Geometry.world(client, client.context(), WORLD, deadlineNs());
            geometries.put(script.world().number(), world);
        });
        if (!isCreated) {
            run.tear();
        }
        for (int step = 1; !isStopped && run.begin(step); step++) {
            drift();
            script.next().run(this);
        }
        if (!isStopped) {
            closeAll();
        }
        if (run.hasCrash()) {
            goOn();
        }
    }

    /** Creates a geometry of the ranks that live, once all faults have begun and this rank has noticed all deaths. */
    private void goOn() {
        while (!run.areFaultsOver() || !run.knowsDeaths(client.context())) {
            pause();
        }
        if (!run.isTorn()) {
            final DrawnGeometry living = run.living();
            if (!attempt(living, "a geometry of the living", () -> sum(living))) {
                run.tear();
            }
        }
    }

    private void sum(DrawnGeometry living) {
        final int[] ranks = living.ranks().stream().mapToInt(Integer::intValue).toArray();
        try (Geometry geometry = Geometry.of(client, client.context(), LIVING, ranks, deadlineNs())) {
            geometries.put(living.number(), geometry);
            run(living, script.sum(living.size()));
            geometries.clear();
            run.trace(rank, LIVING, living.toString());
        } catch (final IllegalArgumentException e) {
            // A rank that pauses for longer than the call waits may still write to what was closed.
            run.trace(rank, "refused", "a geometry of the living: " + e.getMessage());
            run.tear();
        } catch (final IllegalStateException e) {
            // Likewise for the collective, which reports windows and counters together.
            run.trace(rank, "refused", "a sum of the living: " + e.getMessage());
            requireRefusal(String.valueOf(e.getMessage()));
            run.tear();
        }
    }

    private static long deadlineNs() {
        return Deadline.in(PATIENCE_S, TimeUnit.SECONDS);
    }

    /** Pauses a few times or not at all. */
    private void drift() {
        for (int i = random.nextInt(4); i > 2; i--) {
            pause();
        }
    }

    private static void pause() {
        final WaitingProgram program = WaitingProgram.current();
        if (program != null) {
            program.pause();
        }
    }

    /**
     * Makes a call that can fail.
     *
     * @return true if it has not
     */
    private boolean attempt(DrawnGeometry geometry, String what, Runnable call) {
        try {
            call.run();
            return true;
        } catch (final SegnoException e) {
            run.failed(geometry, rank, what, e);
            isStopped = run.isTorn();
            return false;
        }
    }

    /**
     * Agrees with the other members on something new. There may be no room for it: then none of them has it.
     *
     * @param number of what they agree on
     * @return true if the geometry can still be used
     */
    private boolean agree(DrawnGeometry geometry, int number, Runnable call) {
        final boolean isUsable = attempt(geometry, "agreement " + number, () -> {
            try {
                call.run();
                run.agreed(number, rank, "made");
            } catch (final IllegalStateException | IllegalArgumentException e) {
                run.trace(rank, "refused", "agreement " + number + ": " + e.getMessage());
                run.agreed(number, rank, "refused");
                requireRefusal(String.valueOf(e.getMessage()));
            }
        });
        if (!isUsable) {
            drop(geometry);
        }
        return isUsable;
    }

    /** Checks that an agreement was refused for want of room. */
    private void requireRefusal(String reason) {
        run.checked();
        // Its own reason names a setting, or what to close. That of another member may be cut off before it.
        if (!reason.contains("raise ") && !reason.contains("close some") && !reason.contains("could not take part")) {
            run.defect("rank " + rank + " was refused: " + reason);
        }
    }

    void divide(DrawnGeometry parent, List<DrawnGeometry> made, Division division) {
        final Geometry from = geometries.get(parent.number());
        if (from == null) {
            return;
        }
        final DrawnGeometry own =
                made.stream().filter(each -> each.member(rank) >= 0).findFirst().orElse(null);
        final int number = made.isEmpty() ? -1 : made.get(0).number();
        final boolean isUsable = agree(parent, number, () -> {
            final Geometry created = division.of(from, deadlineNs());
            run.checked();
            if (created == null || own == null) {
                if (created != null || own != null) {
                    run.defect("rank " + rank + " is in " + created + " instead of " + own);
                }
                return;
            }
            final List<Integer> ranks = new ArrayList<>();
            for (int member = 0; member < created.size(); member++) {
                ranks.add(created.rank(member));
            }
            if (!ranks.equals(own.ranks())) {
                run.defect("rank " + rank + " is in a geometry of ranks " + ranks + ", not " + own.ranks());
            }
            geometries.put(own.number(), created);
        });
        if (!isUsable && own != null) {
            run.tear();
        }
    }

    void prepare(DrawnCollective drawn) {
        final Geometry geometry = geometries.get(drawn.geometry().number());
        if (geometry == null) {
            return;
        }
        final int self = geometry.self();
        final CollectivePlace place = drawn.place() < 0
                ? null
                : new CollectivePlace(
                        drawn.call(),
                        self,
                        places,
                        (long) drawn.place() * CollectivePlace.bytes(CollectiveScript.USUAL_BYTES),
                        drawn.isInPlace(self));
        final Call unplaced = drawn.call().call(self);
        final Call by =
                drawn.algorithm() == 0 ? unplaced : unplaced.by(script.algorithm(drawn, geometry.algorithms(unplaced)));
        agree(drawn.geometry(), drawn.number(), () -> {
            final Collective made = geometry.prepare(place == null ? by : place.placed(by), deadlineNs());
            open.put(drawn.number(), new OpenCollective(run, drawn, rank, made, place));
        });
    }

    /**
     * Carries out pairs of rounds of several collectives at a time. A member has begun the first round of all before it
     * waits for one, and the second round before it waits for one of these: in whatever order the members begin and
     * wait, none waits for ever.
     */
    void rounds(List<DrawnCollective> drawn, int pairs) {
        final List<OpenCollective> here = new ArrayList<>();
        for (final DrawnCollective each : drawn) {
            final OpenCollective collective = open.get(each.number());
            if (collective != null) {
                here.add(collective);
            }
        }
        for (int pair = 0; pair < pairs && !here.isEmpty(); pair++) {
            final boolean isTwice = random.nextBoolean();
            final List<OpenCollective> twice =
                    here.stream().filter(each -> isTwice && each.isPaired()).toList();
            final List<OpenCollective> once = new ArrayList<>(here);
            once.removeAll(twice);
            final List<OpenCollective> lost = new ArrayList<>();
            each(here, lost, each -> begin(each, twice.contains(each)));
            each(once, lost, this::await);
            each(once, lost, each -> begin(each, false));
            each(here, lost, this::await);
            lost.forEach(each -> drop(each.drawn().geometry()));
            here.removeIf(each -> !open.containsValue(each));
        }
    }

    /** Does something with each collective in any order, except those that were lost, and adds those that are now. */
    private void each(List<OpenCollective> all, List<OpenCollective> lost, Consumer<OpenCollective> call) {
        final List<OpenCollective> shuffled = new ArrayList<>();
        for (final OpenCollective each : all) {
            shuffled.add(random.nextInt(shuffled.size() + 1), each);
        }
        shuffled.removeAll(lost);
        for (final OpenCollective each : shuffled) {
            if (!isStopped && !attempt(each.drawn().geometry(), each.toString(), () -> call.accept(each))) {
                lost.add(each);
            }
        }
    }

    /** Starts or queues the next round, or queues two that have equal contributions. */
    private void begin(OpenCollective here, boolean isTwice) {
        final boolean isQueued = isTwice || (!here.isBarrier() && random.nextBoolean());
        here.write();
        begin(here.collective(), isQueued);
        if (isTwice) {
            begin(here.collective(), true);
        }
    }

    private static void begin(Collective collective, boolean isQueued) {
        final long deadlineNs = deadlineNs();
        while ((isQueued ? collective.queue() : collective.start()) < 0) {
            if (Deadline.reached(deadlineNs)) {
                throw new DeadlineException(collective + " could not begin");
            }
            pause();
        }
    }

    private void await(OpenCollective here) {
        final long deadlineNs = deadlineNs();
        if (random.nextBoolean()) {
            here.collective().await(deadlineNs);
        } else {
            while (!here.collective().test()) {
                if (Deadline.reached(deadlineNs)) {
                    throw new DeadlineException(here.collective() + " is not complete");
                }
                pause();
            }
        }
        here.check();
    }

    /** Carries out rounds of a barrier without a wait between them. */
    void overlap(DrawnCollective drawn, int count) {
        prepare(drawn);
        final OpenCollective barrier = open.get(drawn.number());
        if (barrier == null) {
            return;
        }
        final boolean isCarriedOut = attempt(drawn.geometry(), barrier.toString(), () -> {
            for (int round = 1; round <= count; round++) {
                barrier.write();
                begin(barrier.collective(), false);
                run.checkEntered(drawn.call(), drawn.geometry().member(rank), round - 1L);
                drift();
            }
            await(barrier);
        });
        if (isCarriedOut) {
            close(drawn);
        } else {
            drop(drawn.geometry());
        }
    }

    /** Makes a call with buffers on the heap, twice. */
    void run(DrawnGeometry drawn, DrawnCall call) {
        final Geometry geometry = geometries.get(drawn.number());
        if (geometry == null) {
            return;
        }
        final int self = geometry.self();
        agree(drawn, call.number(), () -> {
            for (int round = 1; round <= 2; round++) {
                final byte[] contribution = CollectiveReference.contribution(call, round, self);
                final byte[] due = CollectiveReference.result(call, round, self);
                final UnsafeBuffer result = new UnsafeBuffer(new byte[call.targetBytes(self)]);
                geometry.run(call.call(self), new UnsafeBuffer(contribution), 0, result, 0, deadlineNs());
                run.complete(call, rank, round);
                run.checked();
                final String difference = OpenCollective.difference(result, due);
                if (!difference.isEmpty()) {
                    run.defect("rank " + rank + " has a wrong result in round " + round + " of " + call + ": "
                            + difference);
                }
            }
        });
    }

    /** Makes a call with another length than the other members, or the other way round. All must be refused. */
    void disagree(DrawnGeometry drawn, int number, int odd) {
        final Geometry geometry = geometries.get(drawn.number());
        if (geometry == null || geometry.size() == 1) {
            return;
        }
        final Call call = Call.allgather(Lengths.equal(geometry.self() == odd ? 16 : 8));
        final boolean isUsable = attempt(drawn, "disagreement " + number, () -> {
            try {
                geometry.prepare(call, deadlineNs()).close();
                run.defect("rank " + rank + " was not refused in disagreement " + number);
            } catch (final IllegalStateException | IllegalArgumentException e) {
                run.checked();
                run.trace(rank, "refused", "disagreement " + number + ": " + e.getMessage());
            }
        });
        if (!isUsable) {
            drop(drawn);
        }
    }

    void close(DrawnCollective drawn) {
        final OpenCollective here = open.remove(drawn.number());
        if (here != null) {
            here.collective().close();
        }
    }

    void close(DrawnGeometry drawn) {
        open.values().removeIf(each -> {
            final boolean isPart = each.drawn().geometry().equals(drawn);
            if (isPart) {
                each.collective().close();
            }
            return isPart;
        });
        final Geometry closed = geometries.remove(drawn.number());
        if (closed != null) {
            closed.close();
        }
    }

    /** Closes a geometry that has lost a member, with its collectives. After a deadline, rounds are still held. */
    private void drop(DrawnGeometry lost) {
        if (run.isTorn()) {
            geometries.remove(lost.number());
            open.values().removeIf(each -> each.drawn().geometry().equals(lost));
            return;
        }
        for (final OpenCollective each : List.copyOf(open.values())) {
            if (each.drawn().geometry().equals(lost)) {
                attempt(
                        lost,
                        "the end of " + each.collective(),
                        () -> each.collective().await(deadlineNs()));
            }
        }
        close(lost);
    }

    private void closeAll() {
        for (final OpenCollective each : List.copyOf(open.values())) {
            close(each.drawn());
        }
        final Geometry world = geometries.remove(script.world().number());
        geometries.values().forEach(Geometry::close);
        geometries.clear();
        if (world != null) {
            world.close();
        }
    }
}
