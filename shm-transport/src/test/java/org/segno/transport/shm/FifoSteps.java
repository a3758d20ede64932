package org.segno.transport.shm;

import java.util.Map;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.transport.shm.AttackedClient.Step;

/** Steps that use further injection FIFOs and change their settings, and hold one by a WAIT. */
final class FifoSteps {
    private static final int SENT = 2;
    private static final int WINDOW_BYTES = 1 << 13;
    private static final int FIFO_SLOTS = 64;
    private static final int FIFOS = 4;

    private final AttackedClient own;
    private final Context context;
    private final SplittableRandom random;
    private final InjectionFifo[] fifos = new InjectionFifo[FIFOS];
    private final boolean[] deactivated = new boolean[FIFOS];
    private final Window window;
    private final ReceptionCounter gate;
    private final InjectionCounter injected;
    private final Target there;
    private final Target gateHere;
    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
    private long crossed;

    FifoSteps(AttackedClient own) {
        this.own = own;
        this.context = own.context();
        this.random = own.random();
        final Client client = own.client();
        for (int i = 0; i < FIFOS; i++) {
            fifos[i] = context.injectionFifo();
        }
        window = client.window(WINDOW_BYTES);
        gate = client.receptionCounter(window, 0, 128);
        injected = client.injectionCounter();
        context.handler(SENT, (source, buffer, m, ml, p, pl) -> {});
        client.publish("gate", gate);
        client.publish("fifos", client.receptionCounter(window, 0, WINDOW_BYTES));
        there = context.attach(own.peer(), "fifos", AttackedClient.startDeadline());
        gateHere = context.attach(own.rank(), "gate", AttackedClient.startDeadline());
    }

    void addTo(Map<String, Step> steps) {
        steps.put("fifoPut", this::put);
        steps.put("fifoSend", this::send);
        steps.put("fifoSplit", this::split);
        steps.put("fifoGate", this::gate);
        steps.put("fifoSettings", this::settings);
        steps.put("fifoThreshold", this::threshold);
        steps.put("fifoDeactivate", this::deactivate);
        steps.put("fifoState", this::state);
    }

    private InjectionFifo fifo() {
        return fifos[1 + random.nextInt(FIFOS - 1)];
    }

    private void put() {
        final InjectionFifo fifo = fifo();
        final int length = own.length(WINDOW_BYTES);
        injected.reset();
        injected.expect(length);
        if (own.inject(() -> fifo.put(there, 0, window, WINDOW_BYTES - length, length, injected))) {
            context.await(injected, own.shortDeadline());
        }
    }

    private void send() {
        final InjectionFifo fifo = fifo();
        for (int i = 0; i < 10; i++) {
            own.inject(() -> fifo.sendImmediate(own.peer(), SENT, bytes, 0, random.nextInt(33)));
        }
    }

    private void split() {
        context.split(4096, fifos[1], fifos[2]);
        try {
            own.inject(() -> context.put(there, 0, window, 0, WINDOW_BYTES));
        } finally {
            context.split(1);
        }
    }

    /** Holds the first FIFO by a WAIT until a COUNT from the context's own FIFO releases it. */
    private void gate() {
        gate.expect(Math.max(0, 1 - gate.valueAcquire()));
        if (own.inject(() -> fifos[0].waitUntil(gate, 0))) {
            own.inject(() -> fifos[0].put(there, 0, window, 0, 64));
            context.advance();
            own.inject(() -> context.count(gateHere, -Math.max(1, gate.valueAcquire())));
            context.await(fifos[0]::isEmpty, own.shortDeadline());
        }
    }

    private void settings() {
        final InjectionFifo fifo = fifo();
        fifo.priority(random.nextInt(4));
        fifo.quantum(1 + random.nextInt(10_000), 1 + random.nextInt(64));
        fifo.linkMask(random.nextInt(8) == 0 ? 0 : -1);
    }

    private void threshold() {
        final InjectionFifo fifo = fifo();
        fifo.threshold(random.nextInt(4), () -> crossed++);
        if (fifo.wasThresholdCrossed()) {
            fifo.clearThreshold();
        }
    }

    private void deactivate() {
        final int index = 1 + random.nextInt(FIFOS - 1);
        final InjectionFifo fifo = fifos[index];
        if (!deactivated[index]) {
            deactivated[index] = true;
            fifo.deactivate();
            own.inject(() -> fifo.put(there, 0, window, 0, 8));
        } else if (!fifo.isActive()) {
            if (fifo.isEmpty()) {
                fifo.pointAt(fifo.number() * FIFO_SLOTS, FIFO_SLOTS >> random.nextInt(3));
            }
            deactivated[index] = false;
            fifo.activate();
        }
    }

    /** Activates every FIFO, so that the node can be closed soon. */
    void release() {
        for (int i = 0; i < FIFOS; i++) {
            if (deactivated[i] && !fifos[i].isActive()) {
                fifos[i].activate();
            }
        }
    }

    private void state() {
        for (final InjectionFifo fifo : fifos) {
            if (fifo.isFull() || fifo.isActive() || fifo.isCarriedOut(crossed)) {
                crossed += fifo.fill() + fifo.descriptors();
            }
        }
        context.isDrained();
    }
}
