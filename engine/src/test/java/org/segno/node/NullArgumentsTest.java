package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.memory.WindowSlots;
import org.segno.message.Completions;
import org.segno.message.Messenger;
import org.segno.multisend.Blocks;
import org.segno.multisend.JointPattern;
import org.segno.multisend.ManyToMany;
import org.segno.multisend.Multicast;
import org.segno.multisend.Pieces;
import org.segno.multisend.Requests;
import org.segno.multisend.Vectored;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Combine;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.operation.Rmw;
import org.segno.pattern.Rounds;

/** Calls of all public methods of the packages that applications name, with one missing argument after the other. */
@Timeout(120)
@OverMemoryAndLinks
class NullArgumentsTest {
    private static final String[] DOORS = {
        "org.segno.combine",
        "org.segno.context",
        "org.segno.memory",
        "org.segno.message",
        "org.segno.multisend",
        "org.segno.node",
        "org.segno.operation",
        "org.segno.pattern",
        "org.segno.saved",
        "org.segno.status",
        "org.segno.geometry"
    };

    /** Classes of these packages that applications do not call, and results that they do not make. */
    private static final Set<String> INTERNAL = Set.of(
            "AttachedName",
            "AttachedNames",
            "ClientRequest",
            "Condition",
            "JobEnvironment",
            "NodeEnvironment",
            "NodeLimits",
            "NodeSetting",
            "NodeShare",
            "OpenFiles",
            "PatternBuffer",
            "PatternEntry",
            "PatternResources",
            "Recorder",
            "Section");

    /** Exists in a handler only: {@code ReceivedMessageTest} calls its methods. */
    private static final Set<String> IN_HANDLERS = Set.of("ReceivedMessage");

    /** Names of local memory in the checks of calls on the hot path, which test nothing besides. */
    private static final Map<String, List<String>> CHECKED_AS =
            Map.of("source", List.of("\"operand\"", "\"window\""), "into", List.of("\"window\""));

    /** Integer arguments other than 0, by the names of parameters. */
    private static final Map<String, Integer> NUMBERS = Map.ofEntries(
            Map.entry("count", 1),
            Map.entry("length", 8),
            Map.entry("most", 1),
            Map.entry("dispatchId", 1),
            Map.entry("fromBytes", 1));

    @TempDir
    Path parent;

    private InProcessJob job;

    /** A valid argument of each type, which is also the object whose methods are called. */
    private final Map<Class<?>, Object> values = new LinkedHashMap<>();

    @BeforeEach
    void join() {
        job = InProcessJob.join(
                parent,
                2,
                SmallNodes.config(Threading.INVOKER, 2)
                        .withContexts(2)
                        .withFifos(6)
                        .withCounters(32, 32)
                        .withLaneBudgetBytes(1 << 20)
                        .withWindowBytes(1 << 16));
        final Client client = job.node(0).client();
        final Context context = client.context();
        final Window window = client.window(256);
        final InjectionCounter read = client.injectionCounter();
        final var counter = client.receptionCounter(window, 0, 64, 1, Right.PUT, Right.GET, Right.ATOMIC);
        client.publish("counter", client.receptionCounter(window, 0, 64));
        final var target = context.attach(0, "counter", InProcessJob.deadline());
        final var requests = new Requests(context);
        add(
                job.node(0),
                client,
                context,
                window,
                read,
                counter,
                client.counterPair(window, 64, 128, 64),
                target,
                requests,
                requests.init(() -> {}),
                new Message().to(1, 1).payload(window, 0, 8),
                new Rmw(),
                Combine.of(ElementType.BYTE, Operator.SUM),
                new Notification(),
                new Vectored(context),
                Messenger.open(client, context),
                new Multicast(context, 1, window, job.context(1).endpoint()),
                JointPattern.record(1, Rounds.ORDERED_BY_CALLER, () -> {}, context),
                context.record(2, Rounds.ORDERED_BY_CALLER, () -> {}),
                context.injectionFifo(),
                context.persistentFifo(),
                context.loan(),
                context.preparePut(target, window, read));
        addValues(window);
    }

    private void addValues(Window window) {
        add(
                NodeConfig.defaults(),
                JobConfig.alone(),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
                ClientConfig.named("library"),
                job.node(0).metrics(),
                job.node(0).limits(),
                new UnsafeBuffer(new byte[64]),
                new CounterPair.Sets(64, 128, 64),
                Blocks.contiguous(0, 8),
                new Pieces(),
                new ManyToMany.Places(window, 64, 128, 64),
                new ManyToMany.Sides(window, new Pieces(), new ManyToMany.Places(window, 64, 128, 64), new Pieces()),
                new Completions(),
                WindowSlots.of(window, 8),
                org.segno.status.Timeout.of(1, TimeUnit.SECONDS),
                Duration.ofSeconds(1),
                Path.of("/nowhere/file"),
                "text",
                List.of(),
                Map.of());
    }

    @AfterEach
    void close() {
        job.close();
    }

    private void add(Object... objects) {
        for (final Object object : objects) {
            values.put(object.getClass(), object);
        }
    }

    private @Nullable Object value(Class<?> type, String name) {
        if (type == boolean.class) {
            return true;
        }
        if (type == int.class) {
            return NUMBERS.getOrDefault(name, 0);
        }
        if (type == long.class) {
            return name.equals("deadlineNs") ? InProcessJob.deadline() : (long) NUMBERS.getOrDefault(name, 0);
        }
        if (type.isArray()) {
            // One rank or endpoint; none of the rights and the other optional arguments.
            return Array.newInstance(
                    type.getComponentType(), type.getComponentType().isPrimitive() ? 1 : 0);
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        for (final Object value : values.values()) {
            if (type.isInstance(value)) {
                return value;
            }
        }
        if (type.isInterface() && !type.isSealed()) {
            return Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> null);
        }
        return null;
    }

    private static boolean mayBeNull(Parameter parameter) {
        return parameter.getType().isPrimitive()
                || parameter.getType().getPackageName().startsWith("org.segno.engine")
                || parameter.getAnnotatedType().isAnnotationPresent(Nullable.class);
    }

    private static List<Class<?>> classes() {
        final List<Class<?>> classes = new ArrayList<>();
        for (final JavaClass one : new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages(DOORS)) {
            final Class<?> type = one.reflect();
            final boolean isDoor = Arrays.asList(DOORS).contains(type.getPackageName());
            if (isDoor
                    && isPublic(type)
                    && !type.getSimpleName().endsWith("Access")
                    && !INTERNAL.contains(type.getSimpleName())
                    && !IN_HANDLERS.contains(type.getSimpleName())
                    && !Throwable.class.isAssignableFrom(type)) {
                classes.add(type);
            }
        }
        return classes;
    }

    private static boolean isPublic(Class<?> type) {
        return Modifier.isPublic(type.getModifiers())
                && (type.getEnclosingClass() == null || isPublic(type.getEnclosingClass()));
    }

    @Test
    @Tag("long")
    void shouldNameEachMissingArgument() throws Exception {
        final Set<String> problems = new TreeSet<>();
        int calls = 0;
        for (final Class<?> type : classes()) {
            final List<Executable> all = new ArrayList<>(Arrays.asList(type.getConstructors()));
            for (final Method method : type.getMethods()) {
                if (method.getDeclaringClass().getPackageName().startsWith("org.segno")
                        && !method.isBridge()
                        && !method.getName().equals("equals")
                        && !method.getName().equals("valueOf")
                        && !method.isSynthetic()
                        && !Modifier.isAbstract(method.getModifiers())) {
                    all.add(method);
                }
            }
            for (final Executable call : all) {
                for (int i = 0; i < call.getParameterCount(); i++) {
                    if (!mayBeNull(call.getParameters()[i])) {
                        calls++;
                        final String problem = call(type, call, i);
                        if (problem != null) {
                            problems.add(call + " without " + call.getParameters()[i].getName() + ": " + problem);
                        }
                    }
                }
            }
        }
        assertThat(problems).isEmpty();
        assertThat(calls).isGreaterThan(100);
    }

    /** The counter of a get is used late: a slot is claimed before, and a target that does not exist needs none. */
    @Test
    @SuppressWarnings("NullAway")
    void shouldNameTheCounterOfAGetBeforeItsClaim() {
        final Context context = job.context(0);
        final Window window = job.node(0).client().window(64);
        for (final Target target : List.of(context.attach(0, "counter", InProcessJob.deadline()), Target.nowhere())) {
            assertThatThrownBy(() -> context.get(target, 0, window, 0, 8, null))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("counter");
        }
    }

    /** Returns true if the message names the argument, or the setting of a method such as {@code withThreading}. */
    private static boolean isNamed(String message, Executable call, String name) {
        final String setting = call.getName().replaceFirst("^with", "").toLowerCase(Locale.ROOT);
        final boolean isSetting =
                name.equals("value") && message.toLowerCase(Locale.ROOT).contains(setting);
        final boolean isHot = call.getDeclaringClass().getSimpleName().equals("Injector");
        return Pattern.compile("\\b" + name + "\\b").matcher(message).find()
                || isSetting
                || (isHot && CHECKED_AS.getOrDefault(name, List.of()).stream().anyMatch(message::contains));
    }

    /** Returns true if the call is refused in the same way with all of its arguments. */
    private boolean isRefusedAnyway(Class<?> type, Executable call, Throwable refusal) throws Exception {
        final String problem = call(type, call, -1);
        return problem != null && problem.startsWith(refusal + " at ");
    }

    private @Nullable String call(Class<?> type, Executable call, int missing) throws Exception {
        final Parameter[] parameters = call.getParameters();
        final @Nullable Object[] arguments = new Object[parameters.length];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = i == missing ? null : value(parameters[i].getType(), parameters[i].getName());
            if (i != missing && arguments[i] == null && !mayBeNull(parameters[i])) {
                return "no value of " + parameters[i];
            }
        }
        final String name = missing < 0 ? "" : parameters[missing].getName();
        try {
            if (call instanceof Method method) {
                final Object on = Modifier.isStatic(call.getModifiers()) ? null : value(type, "");
                if (on == null && !Modifier.isStatic(call.getModifiers())) {
                    return "no object of " + type;
                }
                method.invoke(on, arguments);
            } else {
                ((Constructor<?>) call).newInstance(arguments);
            }
            return "accepted";
        } catch (final InvocationTargetException e) {
            final Throwable thrown = Objects.requireNonNull(e.getCause());
            if (missing < 0) {
                return thrown + " at ";
            }
            final String message = Objects.requireNonNullElse(thrown.getMessage(), "");
            final boolean isOfArguments =
                    thrown instanceof NullPointerException || thrown instanceof IllegalArgumentException;
            if (isOfArguments && isNamed(message, call, name)) {
                return null;
            }
            return thrown instanceof IllegalStateException && isRefusedAnyway(type, call, thrown)
                    ? null
                    : thrown + " at " + thrown.getStackTrace()[0];
        }
    }
}
