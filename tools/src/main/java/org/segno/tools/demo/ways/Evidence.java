package org.segno.tools.demo.ways;

import java.util.Locale;

/** What a rank has checked, and the first thing that was wrong. One thread. */
public final class Evidence {
    private long checked;
    private long wrong;
    private double difference;
    private String first = "";
    private boolean corrupts;

    /** Nothing is checked yet. */
    public Evidence() {}

    /** Evidence gathered elsewhere. */
    Evidence(long checked, long wrong, double difference, String first) {
        this.checked = checked;
        this.wrong = wrong;
        this.difference = difference;
        this.first = first;
    }

    /** Asks whoever receives next to spoil a value that has come. */
    void corruptNext() {
        corrupts = true;
    }

    /** True once after {@link #corruptNext}: spoil a value that has come, before it is looked at. */
    public boolean corrupts() {
        final boolean now = corrupts;
        corrupts = false;
        return now;
    }

    /** Checks a value that must be equal to the last bit; {@code what} and {@code index} name it. */
    public void same(String what, long index, long expected, long found) {
        checked++;
        if (expected != found) {
            wrong(String.format(Locale.ROOT, "%s %,d is %d, expected %d", what, index, found, expected));
        }
    }

    /** Checks a value that may be rounded otherwise. */
    public void close(String what, long index, double expected, double found, double tolerance) {
        checked++;
        final double off = Math.abs(expected - found);
        if (off <= tolerance) {
            difference = Math.max(difference, off);
        } else {
            wrong(String.format(Locale.ROOT, "%s %,d is %s, expected %s", what, index, found, expected));
        }
    }

    private void wrong(String complaint) {
        if (wrong == 0) {
            first = complaint;
        }
        wrong++;
    }

    /** Adds what another rank has checked; the complaint of the lower rank goes first. */
    void add(int rank, Evidence other) {
        checked += other.checked;
        difference = Math.max(difference, other.difference);
        if (other.wrong > 0 && wrong == 0) {
            first = "rank " + rank + ": " + other.first;
        }
        wrong += other.wrong;
    }

    long checked() {
        return checked;
    }

    long wrong() {
        return wrong;
    }

    /** The greatest that was accepted. */
    double difference() {
        return difference;
    }

    /** The first complaint, or nothing. */
    String first() {
        return first;
    }
}
