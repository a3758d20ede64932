package org.segno.tools.program;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.segno.program.RankThreads;
import org.segno.tools.CommandException;
import org.segno.tools.ExitCode;

/**
 * What every rank of a job executes: a Java program, to which the flag that the engine needs is added, or any command
 * as it stands.
 *
 * <p>What the JVM itself prints, a thread dump above all, goes to standard error, because standard output is the program's data.
 * Otherwise heap, collector and compiler threads are the user's business, through {@link Java#options}.
 */
public final class Program {
    /**
     * The flag that Agrona needs; executable jars carry it in their manifest, but a jar that was not made for segno
     * does not.
     */
    private static final List<String> FLAGS =
            List.of("--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED", "-XX:+DisplayVMOutputToStderr");

    private static final String THREADS = RankThreads.class.getName();
    private static final int NAME_LIMIT = 16;

    private enum Kind {
        COMMAND,
        MAIN,
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
        return new Program(Kind.JAR, file, List.of("-jar", file), arguments);
    }

    /** A single source file, with segno on its class path; the launcher compiles it once for all ranks. */
    public static Program source(String file, List<String> arguments) {
        return new Program(Kind.SOURCE, file, List.of("-cp", ClassPath.ofSegno(), file), arguments);
    }

    /**
     * A main class.
     *
     * @param classPath as {@code java -cp} takes it; {@link ClassPath} completes it with segno
     */
    public static Program main(String classPath, String mainClass, List<String> arguments) {
        final String simpleName = mainClass.substring(mainClass.lastIndexOf('.') + 1);
        return new Program(Kind.MAIN, simpleName, List.of("-cp", classPath, mainClass), arguments);
    }

    /** The same command for a job of another name. */
    public Program named(String jobName) {
        return new Program(kind, jobName, words, arguments);
    }

    /** This source file's program as its compiled classes. */
    public Program compiled(SourceFile source) {
        final String classPath = source.classes() + File.pathSeparator + ClassPath.ofSegno();
        return new Program(Kind.MAIN, name, List.of("-cp", classPath, source.mainClass()), arguments);
    }

    /**
     * The process whose threads are the ranks of this program: its main class is segno's, and given that of the program.
     *
     * @param workingDirectory that the class path is relative to
     * @throws CommandException with {@link ExitCode#NOT_FIT} when there is no such class, or it is not compiled yet.
     */
    public Program threaded(Path workingDirectory) {
        if (isSource()) {
            throw new CommandException(
                    ExitCode.NOT_FIT,
                    name + " is compiled when it is run: without it nothing can be shown of its threads");
        }
        final boolean jar = kind == Kind.JAR;
        final String classPath = words.get(1);
        final String mainClass = jar ? mainClassOf(workingDirectory.resolve(classPath)) : words.get(2);
        final String complete = ClassPath.withSegno(classPath, workingDirectory);
        return new Program(Kind.MAIN, name, List.of("-cp", complete, THREADS, mainClass), arguments);
    }

    private static String mainClassOf(Path file) {
        try (JarFile jar = new JarFile(file.toFile())) {
            final Manifest manifest = jar.getManifest();
            final String mainClass =
                    manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
            if (mainClass != null) {
                return mainClass.trim();
            }
        } catch (final IOException e) {
            throw new CommandException(ExitCode.NOT_FIT, file + " cannot be read as a jar: " + e.getMessage());
        }
        throw new CommandException(ExitCode.NOT_FIT, file + " names no Main-Class in its manifest: use -cp CP Main");
    }

    /** The words that start a rank; what is no Java program leaves {@code java} alone. */
    public List<String> command(Java java) {
        final List<String> command = new ArrayList<>();
        if (isJava()) {
            command.add(java.executable().toString());
            command.addAll(FLAGS);
            command.addAll(java.options());
        }
        command.addAll(words);
        command.addAll(arguments);
        return command;
    }

    /** True when a JVM runs it that takes options, false for any command. */
    public boolean isJava() {
        return kind != Kind.COMMAND;
    }

    /** True when {@link #fileName} must exist, relative to the working directory of the ranks. */
    public boolean needsFile() {
        return kind == Kind.JAR || kind == Kind.SOURCE;
    }

    /** True when the launcher must compile it. */
    public boolean isSource() {
        return kind == Kind.SOURCE;
    }

    /** The jar or source file as the user wrote it. */
    public String fileName() {
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
