package org.segno.tools.program;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.zip.ZipFile;

/** Class paths with segno added for programs that do not include it. */
public final class ClassPath {
    /** Class that identifies segno: a class path with it includes segno. */
    private static final String MARK = "org/segno/node/Node.class";

    /** Class that identifies segno's tools. */
    private static final String TOOLS_MARK = "org/segno/tools/Segno.class";

    private ClassPath() {}

    /**
     * Returns the class path that segno itself runs from: its executable jar, or that of this process if segno's
     * classes lie in several places.
     */
    public static String ofSegno() {
        final CodeSource source = ClassPath.class.getProtectionDomain().getCodeSource();
        if (source != null && source.getLocation().getPath().endsWith(".jar")) {
            try {
                final Path jar = Path.of(source.getLocation().toURI());
                return holds(MARK, jar) ? jar.toString() : System.getProperty("java.class.path");
            } catch (final URISyntaxException e) {
                throw new IllegalStateException("segno's own jar: " + source.getLocation(), e);
            }
        }
        return System.getProperty("java.class.path");
    }

    /**
     * Returns {@code classPath} if it includes segno, else {@code classPath} with segno at its end, so that the user's
     * classes come first.
     */
    public static String withSegno(String classPath, Path workingDirectory) {
        return holds(MARK, classPath, workingDirectory) ? classPath : classPath + File.pathSeparator + ofSegno();
    }

    /** Returns true if {@code classPath} includes segno's tools. */
    static boolean hasTools(String classPath, Path workingDirectory) {
        return holds(TOOLS_MARK, classPath, workingDirectory);
    }

    private static boolean holds(String mark, String classPath, Path workingDirectory) {
        for (final String entry : classPath.split(File.pathSeparator, -1)) {
            if (holds(mark, workingDirectory.resolve(entry))) {
                return true;
            }
        }
        return false;
    }

    private static boolean holds(String mark, Path entry) {
        if (entry.endsWith("*")) {
            return anyJarHolds(mark, entry.resolveSibling(""));
        }
        return Files.isDirectory(entry) ? Files.exists(entry.resolve(mark)) : jarHolds(mark, entry);
    }

    private static boolean anyJarHolds(String mark, Path directory) {
        final String[] names = directory.toFile().list();
        if (names == null) {
            return false;
        }
        for (final String name : names) {
            if (name.endsWith(".jar") && jarHolds(mark, directory.resolve(name))) {
                return true;
            }
        }
        return false;
    }

    private static boolean jarHolds(String mark, Path jar) {
        if (!Files.isRegularFile(jar)) {
            return false;
        }
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            return zip.getEntry(mark) != null;
        } catch (final IOException ignored) {
            // The file is not a jar. The JVM of the rank reports or ignores it, as it always does.
            return false;
        }
    }
}
