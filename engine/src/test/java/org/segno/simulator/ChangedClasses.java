package org.segno.simulator;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A second copy of all classes of the project, one of which is compiled from a changed source. Its assertions are off:
 * a simulation must find a defect without them.
 */
final class ChangedClasses extends ClassLoader {
    private static final String PROJECT = "org.segno.";
    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
    private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);
    private static final Map<String, byte[]> UNCHANGED = new ConcurrentHashMap<>();

    private final Map<String, byte[]> changed;

    private ChangedClasses(ClassLoader parent, Map<String, byte[]> changed) {
        super(parent);
        this.changed = changed;
        clearAssertionStatus();
    }

    /** Returns classes of which {@code className}, with its nested classes, has another source. */
    static ChangedClasses of(String className, String source) {
        return new ChangedClasses(ChangedClasses.class.getClassLoader(), compile(className, source));
    }

    private static Map<String, byte[]> compile(String className, String source) {
        final Outputs outputs = new Outputs();
        final StringWriter messages = new StringWriter();
        final boolean compiled = COMPILER.getTask(
                        messages,
                        outputs,
                        null,
                        List.of("--release", "17", "-proc:none", "-implicit:none", "-nowarn"),
                        null,
                        List.of(new Source(className, source)))
                .call();
        if (!compiled) {
            throw new IllegalArgumentException("a canary must compile: " + messages);
        }
        final Map<String, byte[]> classes = new HashMap<>();
        outputs.classes.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
        return classes;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(PROJECT)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            final Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        byte[] bytes = changed.get(name);
        if (bytes == null) {
            bytes = UNCHANGED.computeIfAbsent(name, ChangedClasses::read);
        }
        if (bytes.length == 0) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    private static byte[] read(String name) {
        try (InputStream in = ChangedClasses.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
            return in == null ? new byte[0] : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String className, String text) {
            super(URI.create("string:///" + className.replace('.', '/') + Kind.SOURCE.extension), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Keeps compiled classes in memory. */
    private static final class Outputs extends ForwardingJavaFileManager<StandardJavaFileManager> {
        private final Map<String, ByteArrayOutputStream> classes = new HashMap<>();

        Outputs() {
            super(FILES);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                JavaFileManager.Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            classes.put(className, bytes);
            return new SimpleJavaFileObject(URI.create("memory:///" + className), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return bytes;
                }
            };
        }
    }
}
