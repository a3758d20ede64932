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
import org.segno.engine.program.RankThreads;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;

/**
 * Program that every rank of a job executes: a Java program, started with the flags that the engine needs, or any other
 * command, unchanged.
 *
 * <p>The JVM's own output, above all thread dumps, goes to standard error, because standard output is the program's
 * data. Heap, collector and compiler threads are configured by the user, through {@link Java#options}.
 */
public final class Program {
    /**
     * Flags of every Java program. Agrona needs the export: executable jars of segno have it in their manifest, other
     * jars do not. The second flag sends the JVM's own output to standard error.
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

    /**
     * A program as text, for another host.
     *
     * @param kind name of the kind
     * @param name name of the program or of its job
     * @param words words before the arguments
     * @param arguments arguments
     */
    public record Words(String kind, String name, List<String> words, List<String> arguments) {}

    /**
     * Returns the program that {@link #toWords} has described.
     *
     * @throws IllegalArgumentException if the kind is unknown
     */
    public static Program of(Words words) {
        return new Program(Kind.valueOf(words.kind), words.name, words.words, words.arguments);
    }

    /** Returns this program as text. */
    public Words toWords() {
        return new Words(kind.name(), name, words, arguments);
    }

    /** Returns any command. Its first word is looked up as a shell would, and it need not join the job. */
    public static Program command(List<String> words) {
        return new Program(Kind.COMMAND, words.get(0), words, List.of());
    }

    /** Returns an executable jar, which has its own class path. */
    public static Program jar(String file, List<String> arguments) {
        return new Program(Kind.JAR, file, List.of("-jar", file), arguments);
    }

    /** Returns a single source file, with segno on its class path. The launcher compiles it once for all ranks. */
    public static Program source(String file, List<String> arguments) {
        return new Program(Kind.SOURCE, file, List.of("-cp", ClassPath.ofSegno(), file), arguments);
    }

    /**
     * Returns a main class.
     *
     * @param classPath class path as for {@code java -cp}; {@link ClassPath} adds segno to it
     */
    public static Program main(String classPath, String mainClass, List<String> arguments) {
        final String simpleName = mainClass.substring(mainClass.lastIndexOf('.') + 1);
        return new Program(Kind.MAIN, simpleName, List.of("-cp", classPath, mainClass), arguments);
    }

    /** Returns the same program with another name for its job. */
    public Program named(String jobName) {
        return new Program(kind, jobName, words, arguments);
    }

    /** Returns this source file's program with its compiled classes. */
    public Program compiled(SourceFile source) {
        final String classPath = source.classes() + File.pathSeparator + ClassPath.ofSegno();
        return new Program(Kind.MAIN, name, List.of("-cp", classPath, source.mainClass()), arguments);
    }

    /**
     * Returns the program of the process whose threads are the ranks. Its main class is segno's, with the program's
     * main class as an argument.
     *
     * @param workingDirectory directory that the class path is relative to
     * @throws CommandException with {@link ExitCode#NOT_FIT} if there is no such class, or the source file is not
     *     compiled yet
     */
    public Program threaded(Path workingDirectory) {
        if (isSource()) {
            throw new CommandException(
                    ExitCode.NOT_FIT, name + " is compiled only when it is run: its threads cannot be shown before");
        }
        final boolean jar = kind == Kind.JAR;
        final String classPath = words.get(1);
        final String mainClass = jar ? mainClassOf(workingDirectory.resolve(classPath)) : words.get(2);
        final String complete = ClassPath.withSegno(classPath, workingDirectory);
        return new Program(Kind.MAIN, name, List.of("-cp", complete, THREADS, mainClass), arguments);
    }

    /**
     * Returns this program with segno at the end of its class path, which has the recorder of journals, unless it has
     * segno's tools itself. A jar is then started by its main class; of its manifest the class path alone applies.
     *
     * @param workingDirectory directory that the class path is relative to
     * @throws CommandException with {@link ExitCode#NOT_FIT} if a jar has no main class
     */
    public Program recorded(Path workingDirectory) {
        if (kind != Kind.JAR && kind != Kind.MAIN) {
            return this;
        }
        final String classPath = words.get(1);
        if (ClassPath.hasTools(classPath, workingDirectory)) {
            return this;
        }
        final String mainClass = kind == Kind.JAR ? mainClassOf(workingDirectory.resolve(classPath)) : words.get(2);
        final String complete = classPath + File.pathSeparator + ClassPath.ofSegno();
        return new Program(Kind.MAIN, name, List.of("-cp", complete, mainClass), arguments);
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
        throw new CommandException(ExitCode.NOT_FIT, file + " has no Main-Class in its manifest: use -cp CP Main");
    }

    /** Returns the command that starts a rank. {@code java} is ignored for programs other than Java. */
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

    /** Returns true for a program that a JVM with options runs, false for any other command. */
    public boolean isJava() {
        return kind != Kind.COMMAND;
    }

    /** Returns true if {@link #fileName} must exist, relative to the working directory of the ranks. */
    public boolean needsFile() {
        return kind == Kind.JAR || kind == Kind.SOURCE;
    }

    /** Returns true if the launcher must compile it. */
    public boolean isSource() {
        return kind == Kind.SOURCE;
    }

    /** Returns the jar or source file as the user wrote it. */
    public String fileName() {
        return name;
    }

    /**
     * Returns the job's name: the program's name in lower-case letters, digits and dashes, without directories and
     * extension.
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
