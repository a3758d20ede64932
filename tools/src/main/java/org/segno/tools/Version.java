package org.segno.tools;

import picocli.CommandLine.IVersionProvider;

/** The version, from the manifest of the executable jar. */
final class Version implements IVersionProvider {
    Version() {}

    static String number() {
        final String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "(built in place)" : version;
    }

    @Override
    public String[] getVersion() {
        return new String[] {"segno " + number() + " · JDK " + System.getProperty("java.version")};
    }
}
