package org.segno.tools.simulate;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.segno.simulator.Defect;
import org.segno.simulator.Guarantee;
import org.segno.simulator.SimulationResult;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Checks whose defects a command reports.
 *
 * @param checks one or more
 */
record CheckChoice(Set<Guarantee> checks) {
    CheckChoice {
        checks = Collections.unmodifiableSet(EnumSet.copyOf(checks));
    }

    /** Returns the texts of the chosen defects of a result. */
    List<String> defects(SimulationResult result) {
        return result.found().stream()
                .filter(defect -> checks.contains(defect.check()))
                .map(Defect::text)
                .toList();
    }

    boolean isAll() {
        return checks.size() == Guarantee.values().length;
    }

    /** Returns the value of the option that chooses these checks. */
    @Override
    public String toString() {
        return ConstantList.text(checks);
    }

    /** Converter of lists of checks, in which {@code ^} excludes. */
    static final class Converter implements ITypeConverter<CheckChoice> {
        @Override
        public CheckChoice convert(String value) {
            final Set<Guarantee> checks = ConstantList.parse(value, Guarantee.class, "a list of");
            if (checks.isEmpty()) {
                throw new TypeConversionException("'" + value + "' leaves no check: name one at least");
            }
            return new CheckChoice(checks);
        }
    }
}
