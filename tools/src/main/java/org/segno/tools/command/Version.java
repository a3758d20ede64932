package org.segno.tools.command;

import java.io.IOException;
import java.io.InputStream;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import picocli.CommandLine.IVersionProvider;

/** Version and commit, read from the manifest of the executable jar. */
public final class Version implements IVersionProvider {
    private static final String UNKNOWN = "unknown";

    /** Creates a provider. Called by picocli. */
    public Version() {}

    /** Returns the version of the jar, or {@code (built in place)} outside a jar. */
    public static String number() {
        final String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "(built in place)" : version;
    }

    /**
     * Returns the commit that the jar was built from, with {@code +} if the sources had uncommitted changes. Returns
     * {@code unknown} outside a jar.
     */
    public static String commit() {
        try (InputStream manifest = Version.class.getResourceAsStream("/META-INF/MANIFEST.MF")) {
            if (manifest == null) {
                return UNKNOWN;
            }
            final Attributes attributes = new Manifest(manifest).getMainAttributes();
            final String commit = attributes.getValue("Segno-Commit");
            final boolean changed = "true".equals(attributes.getValue("Segno-Commit-Changed"));
            // Maven leaves an unset property unexpanded.
            return commit == null || commit.startsWith("$") ? UNKNOWN : changed ? commit + "+" : commit;
        } catch (final IOException e) {
            return UNKNOWN;
        }
    }

    @Override
    public String[] getVersion() {
        return new String[] {"segno " + number() + " · JDK " + System.getProperty("java.version")};
    }
}
