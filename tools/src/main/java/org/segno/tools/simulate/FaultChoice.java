package org.segno.tools.simulate;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.segno.simulator.Fault;
import picocli.CommandLine.ITypeConverter;

/**
 * Kinds of faults that a command injects.
 *
 * @param swarm true if each seed draws its kinds, from all of them
 * @param kinds the kinds of every seed otherwise
 */
record FaultChoice(boolean swarm, Set<Fault> kinds) {
    private static final String SWARM = "swarm";
    private static final String NONE = "none";

    FaultChoice {
        final Set<Fault> ordered = EnumSet.noneOf(Fault.class);
        ordered.addAll(kinds);
        kinds = Collections.unmodifiableSet(ordered);
    }

    /** Returns the kinds of a seed. */
    Set<Fault> of(long seed) {
        return swarm ? Fault.swarm(seed) : kinds;
    }

    /** Returns the value of the option that chooses these kinds. */
    @Override
    public String toString() {
        return swarm ? SWARM : text(kinds);
    }

    /** Returns the value of the option that chooses exactly these kinds. */
    static String text(Set<Fault> kinds) {
        return kinds.isEmpty() ? NONE : ConstantList.text(kinds);
    }

    /** Converter of {@code swarm}, {@code none} and lists of kinds, in which {@code ^} excludes. */
    static final class Converter implements ITypeConverter<FaultChoice> {
        @Override
        public FaultChoice convert(String value) {
            final String plain = value.trim().toLowerCase(Locale.ROOT);
            if (plain.equals(SWARM) || plain.equals(NONE)) {
                return new FaultChoice(plain.equals(SWARM), Set.of());
            }
            return new FaultChoice(false, ConstantList.parse(plain, Fault.class, "swarm, none or a list of"));
        }
    }
}
