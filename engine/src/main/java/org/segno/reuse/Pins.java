package org.segno.reuse;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which patterns name which windows and counters of a node: these cannot be closed before. Any thread. */
public final class Pins {
    private static final int KIND_SHIFT = 32;

    private final Map<Long, List<Pin>> pins = new HashMap<>();

    /** Stands for the window of this id. */
    public static long window(int id) {
        return id & 0xFFFF_FFFFL;
    }

    /** Stands for the reception counter of this id. */
    public static long reception(int id) {
        return (1L << KIND_SHIFT) | id;
    }

    /** Stands for the injection counter of this id. */
    public static long injection(int id) {
        return (2L << KIND_SHIFT) | id;
    }

    /** A recording names a thing for the first time. */
    public synchronized void add(long thing, Pin pin) {
        final List<Pin> held = pins.computeIfAbsent(thing, unknown -> new ArrayList<>(1));
        held.removeIf(Pin::isFinished);
        held.add(pin);
    }

    /** A pattern that names the thing and can be replayed, or null. */
    synchronized @Nullable Pin holder(long thing) {
        for (final Pin pin : pins.getOrDefault(thing, List.of())) {
            if (pin.isHeld()) {
                return pin;
            }
        }
        return null;
    }

    /** A pattern that names the thing, or null once the engine is done with all of them. */
    synchronized @Nullable Pin unfinished(long thing) {
        final List<Pin> held = pins.get(thing);
        if (held == null) {
            return null;
        }
        held.removeIf(Pin::isFinished);
        if (held.isEmpty()) {
            pins.remove(thing);
            return null;
        }
        return held.get(0);
    }
}
