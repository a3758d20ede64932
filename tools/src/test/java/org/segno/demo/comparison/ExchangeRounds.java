package org.segno.demo.comparison;

/** Rounds of an exchange in each mode, outside a measurement. */
public final class ExchangeRounds {
    private ExchangeRounds() {}

    /** Runs {@code count} rounds in each mode, in turn. Every rank calls this. Returns the results of the checks. */
    public static Verification run(MeasuredExchange exchange, int count) {
        final PhaseTimes times = new PhaseTimes(exchange.phases(), count);
        final Verification verification = new Verification();
        for (int round = 0; round < count; round++) {
            for (final SendMode mode : SendMode.values()) {
                times.begin(mode);
                exchange.iterate(mode, times, verification);
            }
        }
        return verification;
    }

    /** Returns the number of checked values. */
    public static long checked(Verification verification) {
        return verification.checked();
    }

    /** Returns the number of wrong values. */
    public static long wrong(Verification verification) {
        return verification.wrong();
    }

    /** Returns the first error, or an empty string. */
    public static String firstError(Verification verification) {
        return verification.firstError();
    }
}
