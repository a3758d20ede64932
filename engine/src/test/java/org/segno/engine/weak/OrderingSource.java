package org.segno.engine.weak;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Scan of the engine's source for every line that requests an ordering, so that none can be forgotten. */
final class OrderingSource {
    private static final Path SOURCES = Path.of("src", "main", "java");
    private static final Map<String, Access> METHODS = Map.of(
            "getLongAcquire", Access.ACQUIRE,
            "putLongRelease", Access.RELEASE,
            "getAndAddLong", Access.ATOMIC,
            "compareAndSetLong", Access.ATOMIC,
            "fullFence", Access.FENCE);

    private OrderingSource() {}

    /**
     * Returns the places in packages of the engine, by {@link Orderings.Place#inSource}, with the number of requests at
     * each.
     */
    static Map<String, Integer> places(String... packages) {
        final Map<String, Integer> places = new TreeMap<>();
        for (final String name : packages) {
            try (Stream<Path> files = Files.list(SOURCES.resolve(name.replace('.', '/')))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(file -> scan(file, name, places));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return places;
    }

    private static void scan(Path file, String packageName, Map<String, Integer> places) {
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        final String className =
                packageName + "." + file.getFileName().toString().replace(".java", "");
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            final JavacTask task = (JavacTask)
                    compiler.getTask(null, manager, null, null, null, manager.getJavaFileObjects(file.toFile()));
            for (final CompilationUnitTree unit : task.parse()) {
                new Finder(unit, Trees.instance(task).getSourcePositions(), className, places).scan(unit, null);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Finder extends TreeScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final String className;
        private final Map<String, Integer> places;

        Finder(CompilationUnitTree unit, SourcePositions positions, String className, Map<String, Integer> places) {
            this.unit = unit;
            this.positions = positions;
            this.className = className;
            this.places = places;
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree call, Void unused) {
            if (call.getMethodSelect() instanceof MemberSelectTree select) {
                final Access access = METHODS.get(select.getIdentifier().toString());
                if (access != null) {
                    // The name ends where its arguments begin: the line that the compiler gives the call.
                    final long line = unit.getLineMap().getLineNumber(positions.getEndPosition(unit, select));
                    places.merge(className + ":" + line + " " + access, 1, Integer::sum);
                }
            }
            return super.visitMethodInvocation(call, null);
        }
    }
}
