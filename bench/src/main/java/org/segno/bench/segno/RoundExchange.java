package org.segno.bench.segno;

import org.segno.bench.experiment.Exchange;

/**
 * Round of messages until all have arrived, followed by the same in the other direction; replayed or injected one by
 * one.
 */
final class RoundExchange implements Exchange {
    private final Traffic traffic;
    private final boolean replayed;

    RoundExchange(Traffic traffic, boolean replayed) {
        this.traffic = traffic;
        this.replayed = replayed;
    }

    @Override
    public void request(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            send();
            traffic.expect();
            traffic.receive();
        }
    }

    @Override
    public void reply(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            traffic.expect();
            traffic.receive();
            send();
        }
    }

    private void send() {
        if (replayed) {
            traffic.run(0);
        } else {
            traffic.injectOnce();
            traffic.drain();
        }
    }

    @Override
    public void close() {
        traffic.close();
    }
}
