package org.segno.tools.program;

import com.sun.source.util.JavacTask;
import com.sun.source.util.TaskEvent;
import com.sun.source.util.TaskListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import javax.lang.model.element.NestingKind;
import javax.tools.ForwardingJavaFileObject;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;

/**
 * Single source file, compiled once for all ranks.
 *
 * <p>{@code java Single.java} in each rank would cost a second or two of processor time per rank; ranks that share
 * cores would wait for each other. As with that command, the first class in the file is the main class.
 */
public final class SourceFile implements AutoCloseable {
    private final Path classes;
    private final String mainClass;

    private SourceFile(Path classes, String mainClass) {
        this.classes = classes;
        this.mainClass = mainClass;
    }

    /**
     * Compiles {@code file} against {@code classPath} into a new directory. The compiler's messages go to standard
     * error.
     *
     * @param java Java that will run the classes; they are compiled for its release if it is older than this one
     * @throws CommandException with {@link ExitCode#NOT_FIT} if the file does not compile or there is no compiler
     */
    public static SourceFile compile(Path file, String classPath, Java java) {
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw notFit(file + " cannot be compiled: this Java is not a JDK, set JAVA_HOME: "
                    + System.getProperty("java.home"));
        }
        Path classes = null;
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            classes = Files.createTempDirectory("segno-classes-");
            final List<String> options =
                    new ArrayList<>(List.of("-proc:none", "-cp", classPath, "-d", classes.toString()));
            if (java.feature() < Runtime.version().feature()) {
                options.addAll(List.of("--release", String.valueOf(java.feature())));
            }
            final List<AnyName> sources = new ArrayList<>();
            files.getJavaFileObjects(file).forEach(source -> sources.add(new AnyName(source)));
            final JavacTask task = (JavacTask) compiler.getTask(null, files, null, options, null, sources);
            final FirstClass first = new FirstClass();
            task.addTaskListener(first);
            if (task.call() && !first.name.isEmpty()) {
                return new SourceFile(classes, first.name);
            }
        } catch (final IOException e) {
            throw notFit(file + " cannot be compiled: " + e);
        }
        delete(classes);
        throw notFit(file + " does not compile");
    }

    private static CommandException notFit(String message) {
        return new CommandException(ExitCode.NOT_FIT, message);
    }

    /** Returns the directory of the classes. */
    Path classes() {
        return classes;
    }

    String mainClass() {
        return mainClass;
    }

    @Override
    public void close() {
        delete(classes);
    }

    private static void delete(Path directory) {
        try (Stream<Path> found = Files.walk(directory)) {
            for (final Path path : found.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException("compiled classes cannot be removed: " + directory, e);
        }
    }

    /** Source file that may contain a public class of another name, as with {@code java Single.java}. */
    private static final class AnyName extends ForwardingJavaFileObject<JavaFileObject> {
        AnyName(JavaFileObject file) {
            super(file);
        }

        @Override
        public boolean isNameCompatible(String simpleName, Kind kind) {
            return kind == Kind.SOURCE;
        }
    }

    /** Listener that keeps the class that the compiler analyses first, which is the first in the file. */
    private static final class FirstClass implements TaskListener {
        private String name = "";

        @Override
        public void started(TaskEvent event) {
            final var type = event.getTypeElement();
            if (event.getKind() == TaskEvent.Kind.ANALYZE
                    && name.isEmpty()
                    && type != null
                    && type.getNestingKind() == NestingKind.TOP_LEVEL
                    // Newer compilers analyse the package of the file first.
                    && !type.getSimpleName().contentEquals("package-info")) {
                name = type.getQualifiedName().toString();
            }
        }
    }
}
