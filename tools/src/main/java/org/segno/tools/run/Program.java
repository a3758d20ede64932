package org.segno.tools.run;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What every rank of a job executes: a Java program, to which the flag that the engine needs is added, or any command
 * as it stands.
 *
 * <p>The JVMs of ranks get no other flag: heap, collector and compiler threads are the user's business, through {@code
 * JAVA_TOOL_OPTIONS}.
 */
public final class Program {
    /**
     * The flag that Agrona needs; executable jars carry it in their manifest, but a jar that was not made for segno
     * does not.
     */
    private static final String FLAG = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED";

    private static final int NAME_LIMIT = 16;

    /** Whether the program is a file that must be there before anything starts. */
    private enum Kind {
        COMMAND,
        JAR,
        SOURCE
    }

    private final Kind kind;
    private final String name;
    private final List<String> words;
    private final List<String> arguments;

    private Program(Kind kind, String name, List<String> words, List<String> arguments) {
        this.kind = kind;
        this.name = name;
        this.words = List.copyOf(words);
        this.arguments = List.copyOf(arguments);
    }

    /** Any command: its first word is looked up as a shell would, and it need not join the job. */
    public static Program command(List<String> words) {
        return new Program(Kind.COMMAND, words.get(0), words, List.of());
    }

    /** An executable jar, which brings its own class path. */
    public static Program jar(String file, List<String> arguments) {
        return new Program(Kind.JAR, file, java("-jar", file), arguments);
    }

    /** A single source file, with segno on its class path; the launcher compiles it once for all ranks. */
    public static Program source(String file, List<String> arguments) {
        return new Program(Kind.SOURCE, file, java("-cp", ClassPath.ofSegno(), file), arguments);
    }

    /**
     * A main class.
     *
     * @param classPath as {@code java -cp} takes it; {@link ClassPath} completes it with segno
     */
    public static Program main(String classPath, String mainClass, List<String> arguments) {
        final String simpleName = mainClass.substring(mainClass.lastIndexOf('.') + 1);
        return new Program(Kind.COMMAND, simpleName, java("-cp", classPath, mainClass), arguments);
    }

    /** The same command for a job of another name. */
    public Program named(String jobName) {
        return new Program(Kind.COMMAND, jobName, words, arguments);
    }

    /** This source file's program as its compiled classes. */
    Program compiled(SourceFile source) {
        final String classPath = source.classes() + File.pathSeparator + ClassPath.ofSegno();
        return new Program(Kind.COMMAND, name, java("-cp", classPath, source.mainClass()), arguments);
    }

    private static List<String> java(String... words) {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add(FLAG);
        command.addAll(List.of(words));
        return command;
    }

    /** The words that start a rank. */
    public List<String> command() {
        final List<String> command = new ArrayList<>(words);
        command.addAll(arguments);
        return command;
    }

    /** True when {@link #fileName} must exist, relative to the working directory of the ranks. */
    boolean needsFile() {
        return kind != Kind.COMMAND;
    }

    boolean isSource() {
        return kind == Kind.SOURCE;
    }

    /** The jar or source file as the user wrote it. */
    String fileName() {
        return name;
    }

    /**
     * What the job is called: the program's name in lower-case letters, digits and dashes, without directories and
     * ending.
     */
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
