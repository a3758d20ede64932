package org.segno.simulator;

import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;

/**
 * Random operations of all kinds between all ranks. The ledger has what each of them must cause. One of a few is of a
 * rare kind.
 */
final class MixedWorkload implements SimulatedProgram {
    private static final Kind[] FREQUENT = {
        Kind.PUT, Kind.GET, Kind.SEND, Kind.IMMEDIATE, Kind.REQUEST, Kind.RMW, Kind.REPLAY, Kind.MESSAGE
    };
    private static final Kind[] RARE = {
        Kind.RECORD,
        Kind.DOOR,
        Kind.REOPEN,
        Kind.MESSENGER_PUT,
        Kind.DECLINED,
        Kind.MULTICAST,
        Kind.EXCHANGE,
        Kind.NOTICE,
        Kind.RING,
        Kind.EXPECT,
        Kind.REFUSAL,
        Kind.ROOM_PUT,
        Kind.ROOM,
        Kind.LENT,
        Kind.FENCE,
        Kind.BURST
    };
    private static final int RARITY = 8;

    /** Kinds of events from it on are operations. */
    private static final int FIRST_OPERATION = 100;

    private static final int START_ROUNDS = 8;
    private static final int HOTSPOT_SHARE = 4;

    /** Operations of a node for each round of its exchange. */
    private static final int ROUND_OPERATIONS = 16;

    private final SimulationPlan plan;
    private final MixedParts parts;
    private final SplittableRandom random;
    private final Context context;
    private final MixedCompletions completions;
    private final MixedInjections injections;
    private final MixedPattern pattern;
    private final MixedDoor door;
    private final MixedMessenger messenger;
    private final MixedMulticast multicast;
    private final MixedExchange exchange;
    private final MixedNotices notices;
    private final MixedBell bell;
    private final MixedRefusals refusals;
    private final MixedRoom room;
    private final MixedLent lent;
    private final MixedFence fence;
    private final MixedBurst burst;
    private final List<MixedPart> all;
    private @Nullable BooleanSupplier attempt;
    private int remaining;

    private enum Kind {
        PUT,
        GET,
        SEND,
        IMMEDIATE,
        REQUEST,
        RMW,
        REPLAY,
        MESSAGE,
        MESSENGER_PUT,
        DECLINED,
        RECORD,
        DOOR,
        REOPEN,
        MULTICAST,
        EXCHANGE,
        NOTICE,
        RING,
        EXPECT,
        REFUSAL,
        ROOM_PUT,
        ROOM,
        LENT,
        FENCE,
        BURST;

        private final String text = name().toLowerCase(Locale.ROOT);

        /** Number of its events, the same on every JDK. */
        private final int event = FIRST_OPERATION + (name().hashCode() & 0xFFFF);
    }

    MixedWorkload(SimulationPlan plan, MixedParts parts, int operations) {
        this.plan = plan;
        this.parts = parts;
        this.random = parts.random();
        this.remaining = operations;
        this.context = parts.context();
        this.completions = new MixedCompletions(parts);
        this.injections = new MixedInjections(parts, completions, plan.has(Fault.WRAP) ? wrap(random) : 0);
        this.pattern =
                new MixedPattern(parts, injections.targets(), plan.has(Fault.WRAP) ? wrap(random) - START_ROUNDS : 0);
        this.door = new MixedDoor(parts);
        this.messenger = new MixedMessenger(parts, injections.targets());
        this.multicast = new MixedMulticast(parts);
        // Both ranks of an exchange have the same rounds and generations.
        this.exchange = new MixedExchange(
                parts,
                plan.operations() / plan.nodes() / ROUND_OPERATIONS,
                plan.has(Fault.WRAP) ? wrap(new SplittableRandom(plan.seed())) - START_ROUNDS : 0);
        this.notices = new MixedNotices(parts, injections.targets(), completions, injections.counter());
        this.bell = new MixedBell(parts, completions);
        this.refusals = new MixedRefusals(parts);
        this.room = new MixedRoom(parts);
        this.lent = new MixedLent(parts, injections.targets());
        this.fence = new MixedFence(parts, injections.targets(), completions);
        this.burst = new MixedBurst(parts);
        this.all = List.of(
                injections,
                completions,
                door,
                messenger,
                multicast,
                exchange,
                bell,
                refusals,
                room,
                lent,
                burst,
                parts.arena(),
                pattern);
        // Without a lane for each origin, one that is held can hold all others.
        new MixedReceiver(parts, !plan.has(Fault.SMALL));
    }

    /** Returns the number behind all that have 31 bits, or 32. */
    private static long wrap(SplittableRandom random) {
        return 1L << random.nextInt(Integer.SIZE - 1, Integer.SIZE + 1);
    }

    /** Finds the peers and records the pattern. */
    @Override
    public void begin() {
        all.forEach(MixedPart::begin);
    }

    @Override
    public boolean step() {
        messenger.acceptDeferred();
        if (burst.send()) {
            return true;
        }
        if (attempt == null && (injections.isFull() || remaining == 0)) {
            return collect();
        }
        if (attempt == null) {
            lent.openNext();
            attempt = draw();
        }
        if (!attempt.getAsBoolean()) {
            return false;
        }
        attempt = null;
        remaining--;
        return true;
    }

    /** Returns true once the operations that use the sources are complete. The exchange goes on meanwhile. */
    private boolean collect() {
        exchange.start();
        return completions.isIdle() && door.isIdle() && messenger.isIdle() && injections.freeSources();
    }

    /** Draws the next operation. It is attempted until it is accepted. */
    private BooleanSupplier draw() {
        final Kind[] kinds = random.nextInt(RARITY) == 0 ? RARE : FREQUENT;
        final Kind kind = kinds[random.nextInt(kinds.length)];
        final boolean isHot = plan.workload() == Workload.HOTSPOT && random.nextInt(HOTSPOT_SHARE) != 0;
        final int drawn = parts.drawPeer();
        final int peer = isHot ? 0 : drawn;
        parts.events().add(kind.event, parts.rank(), peer);
        parts.events().trace(parts.rank(), kind.text, () -> "to rank " + peer);
        return switch (kind) {
            case PUT -> injections.put(peer);
            case GET -> injections.get(peer);
            case SEND -> injections.send(peer);
            case IMMEDIATE -> () -> injections.sendImmediate(peer, MixedReceiver.MESSAGE);
            case REQUEST -> () -> injections.sendImmediate(peer, MixedReceiver.REQUEST);
            case RMW -> injections.change(peer);
            case REPLAY -> pattern::replay;
            case MESSAGE -> messenger.send(peer);
            case MESSENGER_PUT -> messenger.put(peer, MixedPattern.MESSENGER_SLOT);
            case DECLINED -> messenger.sendDeclined(peer);
            case RECORD -> pattern::record;
            case DOOR -> () -> door.put(peer);
            case REOPEN -> door::reopen;
            case MULTICAST -> multicast.start();
            case EXCHANGE -> exchange::start;
            case NOTICE -> notices.put(peer, injections.takeSource());
            case RING -> bell.ring(peer);
            case EXPECT -> bell::expect;
            case REFUSAL -> refusals.draw(peer);
            case ROOM_PUT -> () -> room.put(peer);
            case ROOM -> room::closeOrOpen;
            case BURST -> () -> burst.draw(peer);
            case FENCE -> fence.put(peer, injections.takeSource());
            case LENT -> lent.use(peer, random.nextInt(MixedPattern.MESSENGER_SLOT));
        };
    }

    @Override
    public void stop() {
        remaining = Math.min(remaining, attempt == null ? 0 : 1);
        exchange.stop();
        burst.stop();
    }

    @Override
    public boolean isDone() {
        return remaining == 0 && areAllIdle() && context.isDrained();
    }

    private boolean areAllIdle() {
        for (int i = 0; i < all.size(); i++) {
            if (!all.get(i).isIdle()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void check() {
        all.forEach(MixedPart::check);
    }
}
