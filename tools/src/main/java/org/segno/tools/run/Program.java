package org.segno.tools.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What every rank of a job executes: a Java program, to which the flag that the engine needs is added, or any command as it stands.
 *
 * <p>The JVMs of ranks get no other flag: heap, collector and compiler threads are the user's business, through {@code JAVA_TOOL_OPTIONS}.
 */
public final class Program {
    /** The flag that Agrona needs; executable jars carry it in their manifest, but a jar that was not made for segno does not. */
    private static final String FLAG = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED";

    private static final int NAME_LIMIT = 16;

    private final String name;
    private final List<String> command;
    private final boolean fileNeeded;

    private Program(String name, List<String> command, boolean fileNeeded) {
        this.name = name;
        this.command = List.copyOf(command);
        this.fileNeeded = fileNeeded;
    }

    /** Any command: its first word is looked up as a shell would, and it need not join the job. */
    public static Program command(List<String> words) {
        return new Program(words.get(0), words, false);
    }

    /** An executable jar, which brings its own class path. */
    public static Program jar(String file, List<String> arguments) {
        return new Program(file, java(List.of("-jar", file), arguments), true);
    }

    /** A single source file, compiled in memory by each JVM, with segno on its class path. */
    public static Program source(String file, List<String> arguments) {
        final String classPath = ClassPath.ofSegno();
        return new Program(file, java(List.of("-cp", classPath, file), arguments), true);
    }

    /**
     * A main class.
     *
     * @param classPath as {@code java -cp} takes it; {@link ClassPath} completes it with segno
     */
    public static Program main(String classPath, String mainClass, List<String> arguments) {
        final String simpleName = mainClass.substring(mainClass.lastIndexOf('.') + 1);
        return new Program(simpleName, java(List.of("-cp", classPath, mainClass), arguments), false);
    }

    private static List<String> java(List<String> what, List<String> arguments) {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add(FLAG);
        command.addAll(what);
        command.addAll(arguments);
        return command;
    }

    /** The words that start a rank. */
    public List<String> command() {
        return command;
    }

    /** True when {@link #fileName} must exist, relative to the working directory of the ranks. */
    boolean needsFile() {
        return fileNeeded;
    }

    /** The jar or source file as the user wrote it. */
    String fileName() {
        return name;
    }

    /** What the job is called: the program's name in lower-case letters, digits and dashes, without directories and ending. */
    public String jobName() {
        final int slash = name.lastIndexOf('/');
        final String file = name.substring(slash + 1).replaceFirst("\\.(jar|java|sh|py)$", "");
        final String plain =
                file.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-+|-+$", "");
        final String cut =
                plain.substring(0, Math.min(plain.length(), NAME_LIMIT)).replaceAll("-+$", "");
        return cut.isEmpty() ? "job" : cut;
    }
}
