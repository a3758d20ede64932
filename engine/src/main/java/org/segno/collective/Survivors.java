package org.segno.collective;

import org.segno.context.Context;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;

/** Creation of the geometry of the members that are left after deaths, which is repeated after each further death. */
final class Survivors {
    private Survivors() {}

    /**
     * Creates the geometry of the survivors of {@code lost}, together with all of them.
     *
     * @param origin the geometry without deaths from which {@code lost} is left; it may be the same
     */
    static Geometry geometry(Geometry lost, Geometry origin, long deadlineNs) {
        final Context context = lost.resources().context();
        Members living = lost.members().living(context);
        if (living.size() == lost.size()) {
            throw new IllegalStateException("no member of " + lost + " is known to have died");
        }
        while (true) {
            // All survivors use one name for one number of deaths, whichever of their geometries they have left. Other
            // geometries may have the name of the origin.
            final String name = GeometryName.derived(
                    origin.name(),
                    String.format("-%016x-%d", origin.agreement().identity(), origin.size() - living.size()));
            try {
                return Geometry.create(
                        lost.resources().client(), lost.resources().contexts(), name, living, deadlineNs);
            } catch (final PeerFailedException e) {
                living = others(lost, living, e, 0);
            } catch (final RefusedException e) {
                // Another survivor has seen a further death before this one, and has begun again.
                living = others(lost, living, e, deadlineNs);
            }
        }
    }

    /** Waits for a further death. Throws the exception of the creation if there is none. */
    private static Members others(Geometry lost, Members known, SegnoException reason, long deadlineNs) {
        final Context context = lost.resources().context();
        while (true) {
            final Members living = lost.members().living(context);
            if (living.size() != known.size()) {
                return living;
            }
            if (deadlineNs == 0 || Deadline.reached(deadlineNs)) {
                throw reason;
            }
            context.advance();
        }
    }
}
