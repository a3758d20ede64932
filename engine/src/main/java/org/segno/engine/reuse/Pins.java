package org.segno.engine.reuse;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Registry of the patterns that use a node's windows and counters, which cannot be closed before their patterns. Usable
 * from any thread.
 */
public final class Pins {
    private static final int KIND_SHIFT = 32;

    private final Map<Long, List<Pin>> pins = new HashMap<>();

    /** Returns the key of the window with this id. */
    public static long window(int id) {
        return id & 0xFFFF_FFFFL;
    }

    /** Returns the key of the reception counter with this id. */
    public static long reception(int id) {
        return (1L << KIND_SHIFT) | id;
    }

    /** Returns the key of the injection counter with this id. */
    public static long injection(int id) {
        return (2L << KIND_SHIFT) | id;
    }

    /** Records the first use of an object by a recording. */
    public synchronized void add(long thing, Pin pin) {
        final List<Pin> held = pins.computeIfAbsent(thing, unknown -> new ArrayList<>(1));
        held.removeIf(Pin::isFinished);
        held.add(pin);
    }

    /** Returns a pattern that uses the object and can be replayed, or null. */
    synchronized @Nullable Pin holder(long thing) {
        for (final Pin pin : pins.getOrDefault(thing, List.of())) {
            if (pin.isHeld()) {
                return pin;
            }
        }
        return null;
    }

    /** Returns a pattern that uses the object, or null once the engine has completed all of them. */
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
