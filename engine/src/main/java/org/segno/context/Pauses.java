package org.segno.context;

import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.segno.engine.doorbell.Doorbell;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.work.ParkingIdle;
import org.segno.engine.work.RestRule;

/**
 * Pauses of an idle loop between two passes of a context: those of its idle strategy, or parks at the doorbell of the
 * context where the strategy would park. Used by one thread.
 *
 * <p>After each pass the loop calls {@link #isRestDue}, lets the engine rest if it is, and then calls {@link #pause}.
 * Before a park at the doorbell, the loop thereby makes as many passes after its announcement as are needed to poll
 * everything: a pass polls only some of the lanes and FIFOs that have been silent for long.
 */
final class Pauses {
    /** Number of cold lanes that a pass polls: see {@code ReceptionFifo}. */
    private static final int LANES_PER_PASS = 2;

    /** Number of cold FIFOs that a pass checks: see {@code InjectionUnit}. */
    private static final int FIFOS_PER_PASS = 4;

    /** FIFOs of a context beside its injection FIFOs. */
    private static final int RUN_FIFOS = 2;

    private enum Step {
        IDLE,
        BEGIN_PARK,
        PASS_AGAIN,
        BLOCK
    }

    private final IdleStrategy idle;
    private final RestRule rests;
    private final @Nullable ParkingIdle parks;
    private final @Nullable Doorbell doorbell;
    private final BooleanSupplier blocked;
    private final IntSupplier lanes;
    private final int fifoPasses;
    private Step step = Step.IDLE;

    /** Number of passes before the thread blocks; zero unless its park is announced. */
    private int passesLeft;

    /**
     * Creates the pauses of a loop.
     *
     * @param idle strategy of the loop
     * @param doorbell doorbell of the context, or null
     * @param blocked returns true if only further passes, without a notification, complete pending work
     * @param lanes returns the number of lanes of the context
     * @param dimensions of the node
     */
    Pauses(
            IdleStrategy idle,
            @Nullable Doorbell doorbell,
            BooleanSupplier blocked,
            IntSupplier lanes,
            NodeDimensions dimensions) {
        this.idle = idle;
        this.rests = new RestRule(idle);
        this.parks = idle instanceof ParkingIdle parking ? parking : null;
        this.doorbell = doorbell;
        this.blocked = blocked;
        this.lanes = lanes;
        this.fifoPasses = (dimensions.fifos() + RUN_FIFOS + FIFOS_PER_PASS - 1) / FIFOS_PER_PASS;
    }

    /** Returns true if the idle strategy may park the thread. */
    boolean mayPark() {
        return parks != null;
    }

    /** Begins a wait. */
    void begin() {
        idle.reset();
    }

    /**
     * Decides on the next pause after a pass with {@code work}. Returns true if the engine has to rest before it,
     * because the thread may park.
     */
    boolean isRestDue(int work) {
        if (parks == null || doorbell == null || work > 0 || !parks.isParkDue() || blocked.getAsBoolean()) {
            leave();
            return rests.isRestDue(work);
        }
        if (passesLeft == 0) {
            step = Step.BEGIN_PARK;
            return false;
        }
        passesLeft--;
        step = passesLeft > 0 ? Step.PASS_AGAIN : Step.BLOCK;
        return passesLeft == 0;
    }

    /** Ends an announced park. The next {@link #pause} is one of the idle strategy. */
    void leave() {
        step = Step.IDLE;
        if (passesLeft > 0) {
            passesLeft = 0;
            if (doorbell != null) {
                doorbell.end();
            }
        }
    }

    /** Pauses. */
    void pause(int work) {
        if (step == Step.IDLE || parks == null || doorbell == null) {
            idle.idle(work);
        } else if (step == Step.BLOCK) {
            doorbell.block(parks.nextParkNs());
            doorbell.end();
        } else if (step == Step.BEGIN_PARK) {
            beginPark(doorbell);
        }
    }

    private void beginPark(Doorbell bell) {
        if (bell.begin()) {
            // One more, because a turn may begin within the list of cold ones.
            final int lanePasses = (lanes.getAsInt() + LANES_PER_PASS - 1) / LANES_PER_PASS;
            passesLeft = 1 + Math.max(lanePasses, fifoPasses);
        } else {
            // Another thread is about to leave the doorbell.
            idle.idle();
        }
    }
}
