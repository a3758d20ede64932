package org.segno;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Check of one source file against the style. It works on the JDK's own parse of the file, so that comments and strings
 * cannot be mistaken for calls.
 */
final class SourceTidy {
    /** Limits count lines of code: comments, blank lines and imports are free. */
    static final int CODE_LINES_PER_FILE = 400;

    static final int CODE_LINES_PER_METHOD = 60;

    private static final Pattern SLEEP = Pattern.compile("(.*\\.)?(Thread|TimeUnit(\\.[A-Z]+)?)\\.sleep");
    private static final Pattern WALL_CLOCK = Pattern.compile(
            "(.*\\.)?(System\\.currentTimeMillis|Clock\\.(system|tick)\\w*|(Instant|Year|(Local|Zoned|Offset)?(Date|Time|DateTime))\\.now)");
    private static final Pattern CHANCE = Pattern.compile(
            "(.*\\.)?(Math\\.random|UUID\\.randomUUID|RandomGenerator\\.(getDefault|of)|ThreadLocalRandom|SecureRandom)");
    private static final Pattern SEEDLESS = Pattern.compile("(.*\\.)?(Random|SplittableRandom|Date)");
    private static final Pattern OWN_PATH = Pattern.compile("/(work|home|root|Users)(/.*)?");

    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

    /**
     * Returns the findings in files of the product: too many lines of code, and those of {@link #unrepeatable}.
     *
     * @param sources by path
     */
    List<String> untidy(Map<String, String> sources) {
        final List<String> findings = new ArrayList<>(unrepeatable(sources));
        sources.forEach((path, source) -> {
            final long lineCount = codeLines(source);
            if (lineCount > CODE_LINES_PER_FILE) {
                findings.add(path + ": " + lineCount + " lines of code, at most " + CODE_LINES_PER_FILE);
            }
        });
        return findings;
    }

    /** Counts the lines that are no comment, blank line or import. */
    static long codeLines(String source) {
        long count = 0;
        boolean inComment = false;
        for (final String line : source.lines().map(String::strip).toList()) {
            inComment |= line.startsWith("/*");
            if (!inComment && !line.isEmpty() && !line.startsWith("//") && !line.startsWith("import ")) {
                count++;
            }
            inComment &= !line.contains("*/");
        }
        return count;
    }

    /**
     * Returns the findings in any files: sleeping, the wall clock, unseeded chance, long methods, own paths. One task of
     * the compiler parses all files: to begin one takes longer than to parse a file.
     *
     * @param sources by path
     */
    List<String> unrepeatable(Map<String, String> sources) {
        final List<Source> units = sources.entrySet().stream()
                .map(source -> new Source(source.getKey(), source.getValue()))
                .toList();
        final JavacTask task = (JavacTask) compiler.getTask(null, null, null, List.of("-proc:none"), null, units);
        final List<String> findings = new ArrayList<>();
        try {
            for (final CompilationUnitTree unit : task.parse()) {
                final String path = pathOf(unit.getSourceFile());
                final String source = Objects.requireNonNull(sources.get(path));
                new Finder(path, source, unit, Trees.instance(task).getSourcePositions(), findings).scan(unit, null);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return findings;
    }

    private static String pathOf(JavaFileObject file) {
        return file.toUri().getPath().substring(1);
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String path, String text) {
            super(URI.create("string:///" + path), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Finder extends TreeScanner<Void, Void> {
        private final String path;
        private final String source;
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final List<String> findings;

        Finder(String path, String source, CompilationUnitTree unit, SourcePositions positions, List<String> findings) {
            this.path = path;
            this.source = source;
            this.unit = unit;
            this.positions = positions;
            this.findings = findings;
        }

        @Override
        public Void visitMethod(MethodTree method, Void unused) {
            final Tree body = method.getBody();
            if (body != null) {
                final int start = (int) positions.getStartPosition(unit, body);
                final long lineCount = codeLines(source.substring(start, (int) positions.getEndPosition(unit, body)));
                if (lineCount > CODE_LINES_PER_METHOD) {
                    report(
                            method,
                            "method " + method.getName() + " has " + lineCount + " lines of code, at most "
                                    + CODE_LINES_PER_METHOD);
                }
            }
            return super.visitMethod(method, null);
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree select, Void unused) {
            checkName(select, select.toString());
            return super.visitMemberSelect(select, null);
        }

        @Override
        public Void visitMemberReference(MemberReferenceTree reference, Void unused) {
            checkName(reference, reference.getQualifierExpression() + "." + reference.getName());
            return super.visitMemberReference(reference, null);
        }

        @Override
        public Void visitIdentifier(IdentifierTree identifier, Void unused) {
            checkName(identifier, identifier.toString());
            return super.visitIdentifier(identifier, null);
        }

        @Override
        public Void visitNewClass(NewClassTree creation, Void unused) {
            final String name = creation.getIdentifier().toString();
            if (creation.getArguments().isEmpty() && SEEDLESS.matcher(name).matches()) {
                report(creation, "new " + name + "() is another one in every run");
            }
            return super.visitNewClass(creation, null);
        }

        @Override
        public Void visitLiteral(LiteralTree literal, Void unused) {
            if (literal.getValue() instanceof String text
                    && OWN_PATH.matcher(text).matches()) {
                report(literal, "path of one machine: " + text);
            }
            return super.visitLiteral(literal, null);
        }

        private void checkName(Tree tree, String name) {
            if (SLEEP.matcher(name).matches()) {
                report(tree, name + ": wait on a condition");
            } else if (WALL_CLOCK.matcher(name).matches()) {
                report(tree, name + ": take the time from System.nanoTime or an injected clock");
            } else if (CHANCE.matcher(name).matches()) {
                report(tree, name + ": take chance from an injected seed");
            }
        }

        private void report(Tree tree, String finding) {
            findings.add(path + ":" + lineOf(tree) + ": " + finding);
        }

        private long lineOf(Tree tree) {
            return unit.getLineMap().getLineNumber(positions.getStartPosition(unit, tree));
        }
    }
}
