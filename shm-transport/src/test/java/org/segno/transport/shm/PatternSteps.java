package org.segno.transport.shm;

import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.saved.SavedPatterns;
import org.segno.status.Status;
import org.segno.transport.shm.AttackedClient.Step;

/** Steps that record, prepare, replay, save and close patterns, some of which wait within the engine. */
final class PatternSteps {
    private static final int RECEIVED = 20;
    private static final int PLACE_BYTES = 1024;
    private static final int FIRST_FREE_ID = 100;

    private final AttackedClient own;
    private final Context context;
    private final SplittableRandom random;
    private final Path file;
    private final Window window;
    private final CounterPair credits;
    private final CounterPair[] pairs = new CounterPair[2];
    private final Target[] therePairs = new Target[2];
    private final Target thereCredits;
    private final Target hereCredits;
    private final Target there;
    private final ReceptionCounter single;
    private final InjectionCounter injected;
    private final Pattern[] patterns;
    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
    private final Message message = new Message();
    private @Nullable Pattern prepared;

    PatternSteps(AttackedClient own, Path file) {
        this.own = own;
        this.context = own.context();
        this.random = own.random();
        this.file = file;
        final Client client = own.client();
        window = client.window(8 * PLACE_BYTES);
        credits = client.counterPair(window, 0, 0, 0);
        client.publish("credits", credits);
        for (int i = 0; i < pairs.length; i++) {
            final long place = (2L + 2L * i) * PLACE_BYTES;
            pairs[i] = client.counterPair(
                    window, place, place + PLACE_BYTES, PLACE_BYTES, ReceptionCounter.ANYBODY, Right.PUT, Right.GET);
            client.publish("pair" + i, pairs[i]);
        }
        single = client.receptionCounter(
                window, 0, window.length(), ReceptionCounter.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
        client.publish("single", single);
        injected = client.injectionCounter();
        context.handler(RECEIVED, (source, buffer, m, ml, p, pl) -> {});
        for (int i = 0; i < pairs.length; i++) {
            therePairs[i] = context.attach(own.peer(), "pair" + i, AttackedClient.startDeadline());
        }
        thereCredits = context.attach(own.peer(), "credits", AttackedClient.startDeadline());
        hereCredits = context.attach(own.rank(), "credits", AttackedClient.startDeadline());
        there = context.attach(own.peer(), "single", AttackedClient.startDeadline());
        patterns = new Pattern[] {
            context.record(0, Rounds.ALTERNATE, this::exchange),
            context.record(1, Rounds.ALTERNATE, this::waitForCredit)
        };
        for (final Pattern pattern : patterns) {
            context.await(pattern, pattern.generation(), AttackedClient.startDeadline());
        }
    }

    void addTo(Map<String, Step> steps) {
        steps.put("replayExchange", () -> replay(patterns[0]));
        steps.put("replayWaiting", () -> replay(patterns[1]));
        steps.put("recordAgain", this::recordAgain);
        steps.put("record", this::record);
        steps.put("prepare", this::prepare);
        steps.put("replayPrepared", this::replayPrepared);
        steps.put("patternState", this::state);
        steps.put("savePatterns", () -> SavedPatterns.save(own.client(), file));
    }

    private void exchange() {
        context.expect(pairs[0], PLACE_BYTES);
        context.put(therePairs[0], 0, window, 0, PLACE_BYTES);
    }

    /** Sends its data after the peer has granted a credit for their place. */
    private void waitForCredit() {
        context.expect(credits, 1);
        context.expect(pairs[1], 256);
        context.count(thereCredits, -1);
        context.waitUntil(credits, 0);
        context.put(therePairs[1], 0, window, 0, 256);
    }

    /** Completes a round that waits for a credit without it, so that the node can be closed soon. */
    void release() {
        final Pattern waiting = patterns[1];
        if (waiting.executedAcquire() < waiting.generation()) {
            final long missing = credits.counter(waiting.generation()).valueAcquire();
            context.count(hereCredits.ofRound(waiting.generation()), -missing);
        }
    }

    private void everything() {
        context.expect(injected, 64 + Rmw.LENGTH);
        context.put(there, 6L * PLACE_BYTES, window, 0, 64, injected);
        context.waitUntil(injected, Rmw.LENGTH);
        context.rmw(there, 0, new Rmw().fetchAdd(1).completes(injected));
        context.count(there, 0);
        context.copy(window, 0, window, PLACE_BYTES, 128);
        context.sendImmediate(own.peer(), RECEIVED, bytes, 0, 8);
        context.send(message.to(own.peer(), RECEIVED).payload(window, 0, 100).metadata(window, 200, 16));
        context.multicast(message, new long[] {own.rank(), own.peer()}, 0, 2);
    }

    private void replay(Pattern pattern) {
        final long status = context.replay(pattern);
        if (status != Status.BACK_PRESSURED) {
            context.await(pattern, pattern.generation(), own.shortDeadline());
        }
    }

    private void recordAgain() {
        if (random.nextInt(20) == 0 && patterns[0].isComplete()) {
            patterns[0] = context.record(0, Rounds.ALTERNATE, this::exchange);
        }
    }

    private void record() {
        injected.reset();
        final Pattern some =
                context.record(FIRST_FREE_ID + random.nextInt(8), Rounds.ORDERED_BY_CALLER, this::everything);
        try {
            context.await(some, some.generation(), own.shortDeadline());
            replay(some);
            replay(some);
        } finally {
            if (random.nextInt(4) != 0) {
                some.close();
            }
        }
    }

    private void prepare() {
        final Pattern last = prepared;
        prepared = null;
        if (last != null) {
            last.close();
        }
        prepared = context.prepare(Rounds.ORDERED_BY_CALLER, this::everything);
    }

    private void replayPrepared() {
        final Pattern some = prepared;
        if (some != null) {
            replay(some);
        }
    }

    private void state() {
        for (final Pattern pattern : patterns) {
            pattern.shortage(pattern.generation());
            pattern.isComplete();
            pattern.requireAlive();
            pattern.requireFresh();
        }
        context.isDrained();
    }
}
