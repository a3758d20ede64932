package org.segno.engine.job;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.module.ModuleDescriptor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Check of the version of Agrona that the class path provides against the version that Segno was built with. Another
 * major version is an error, an older version of the same major one a warning: a method may be missing, and the program
 * would fail later, at its first call. Later versions of the same major one are compatible.
 *
 * <p>The version is in the manifest of Agrona's own jar. A jar into which other jars were merged has a manifest of its
 * own, or none, and is not checked.
 */
public final class AgronaVersion {
    /** The version that Segno was built with. A test compares it with the build. */
    static final String BUILT_WITH = "2.4.1";

    private static final Logger LOGGER = System.getLogger(AgronaVersion.class.getName());
    private static final String TITLE = "Agrona";
    private static final Pattern VERSION = Pattern.compile("(\\d{1,9})\\.(\\d{1,9})(?:\\.(\\d{1,9}))?(?:[-.+].*)?");
    private static final AtomicBoolean CHECKED = new AtomicBoolean();

    private AgronaVersion() {}

    /**
     * Checks the version, once in the life of this process.
     *
     * @throws IllegalStateException if the major version differs; the message names both versions and the remedy
     */
    public static void check() {
        if (!CHECKED.get()) {
            final String problem = problem(found());
            if (problem != null && isFatal(found())) {
                throw new IllegalStateException(problem);
            }
            if (!CHECKED.getAndSet(true) && problem != null) {
                LOGGER.log(Level.WARNING, problem);
            }
        }
    }

    /** Returns the version on the class path, or null if it is not known to be Agrona's own. */
    private static @Nullable String found() {
        final Class<?> type = AtomicBuffer.class;
        final ModuleDescriptor module = type.getModule().getDescriptor();
        if (module != null) {
            return module.name().equals("org.agrona") ? module.rawVersion().orElse(null) : null;
        }
        final Package found = type.getPackage();
        return found == null ? null : found(found.getImplementationTitle(), found.getImplementationVersion());
    }

    static @Nullable String found(@Nullable String title, @Nullable String version) {
        return TITLE.equalsIgnoreCase(title) ? version : null;
    }

    /** Returns the message about a version on the class path, or null if it is fit or unknown. */
    static @Nullable String problem(@Nullable String found) {
        final int[] own = numbers(BUILT_WITH);
        final int[] other = numbers(found);
        if (own == null || other == null || (other[0] == own[0] && compare(other, own) >= 0)) {
            return null;
        }
        return "Segno was built with Agrona " + BUILT_WITH + ", but the class path has Agrona " + found
                + ": put org.agrona:agrona:" + BUILT_WITH + " first, or align the versions"
                + " (Maven: dependencyManagement; mvn dependency:tree names the dependency that brings the other)";
    }

    /** Returns true if the version is of another major one. */
    static boolean isFatal(@Nullable String found) {
        final int[] own = numbers(BUILT_WITH);
        final int[] other = numbers(found);
        return own != null && other != null && own[0] != other[0];
    }

    private static int compare(int[] some, int[] others) {
        for (int i = 0; i < some.length; i++) {
            if (some[i] != others[i]) {
                return Integer.compare(some[i], others[i]);
            }
        }
        return 0;
    }

    /** Returns the three numbers of a version, or null if it has another form. */
    private static int @Nullable [] numbers(@Nullable String version) {
        final Matcher matcher = VERSION.matcher(version == null ? "" : version.trim());
        if (!matcher.matches()) {
            return null;
        }
        final String third = matcher.group(3);
        return new int[] {
            Integer.parseInt(matcher.group(1)),
            Integer.parseInt(matcher.group(2)),
            third == null ? 0 : Integer.parseInt(third)
        };
    }
}
