package org.segno.demo.comparison;

import java.util.Locale;

/** Results of a rank's checks, with the first error. Used by one thread. */
public final class Verification {
    private long checked;
    private long wrong;
    private double difference;
    private String firstError = "";

    /** Creates results without any checks. */
    public Verification() {}

    /** Creates results that another rank has collected. */
    Verification(long checked, long wrong, double difference, String firstError) {
        this.checked = checked;
        this.wrong = wrong;
        this.difference = difference;
        this.firstError = firstError;
    }

    /** Checks a value that must be equal to the last bit. {@code what} and {@code index} name it in messages. */
    public void checkEqual(String what, long index, long expected, long found) {
        checked++;
        if (expected != found) {
            addError(String.format(Locale.ROOT, "%s %,d is %d, expected %d", what, index, found, expected));
        }
    }

    /** Checks a value that may be rounded differently. */
    public void checkClose(String what, long index, double expected, double found, double tolerance) {
        checked++;
        final double off = Math.abs(expected - found);
        if (off <= tolerance) {
            difference = Math.max(difference, off);
        } else {
            addError(String.format(Locale.ROOT, "%s %,d is %s, expected %s", what, index, found, expected));
        }
    }

    private void addError(String error) {
        if (wrong == 0) {
            firstError = error;
        }
        wrong++;
    }

    /** Adds the results of another rank. The error of the lower rank has precedence. */
    void add(int rank, Verification other) {
        checked += other.checked;
        difference = Math.max(difference, other.difference);
        if (other.wrong > 0 && wrong == 0) {
            firstError = "rank " + rank + ": " + other.firstError;
        }
        wrong += other.wrong;
    }

    long checked() {
        return checked;
    }

    long wrong() {
        return wrong;
    }

    /** Returns the greatest accepted difference. */
    double difference() {
        return difference;
    }

    /** Returns the first error, or an empty string. */
    String firstError() {
        return firstError;
    }
}
