package org.segno.tools.run;

import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.segno.tools.Talk;

/**
 * The launcher's signals as events: INT, TERM and HUP end the job, USR1 asks for thread dumps.
 *
 * <p>{@code sun.misc.Signal} is the only way to see a second Ctrl-C (a shutdown hook sees the first alone), and it does not compile under release
 * 17 without a warning: so by reflection, here alone. A signal that was ignored when the launcher started, as under nohup, stays ignored.
 */
final class Signals implements AutoCloseable {
    private final Map<Object, Object> replaced = new LinkedHashMap<>();
    private final Queue<Event> events;

    private Signals(Queue<Event> events) {
        this.events = events;
    }

    /** Turns signals into {@code events} until closed; a JVM that keeps its signals for itself (-Xrs) ends as usual instead. */
    static Signals install(Queue<Event> events, Talk talk) {
        final Signals signals = new Signals(events);
        for (final String name : new String[] {"INT", "TERM", "HUP", "USR1"}) {
            try {
                signals.replace(name);
            } catch (final ReflectiveOperationException | IllegalArgumentException e) {
                talk.detail("signal " + name + " cannot be handled: " + e);
            }
        }
        return signals;
    }

    private void replace(String name) throws ReflectiveOperationException {
        final Class<?> signalClass = Class.forName("sun.misc.Signal");
        final Class<?> handlerClass = Class.forName("sun.misc.SignalHandler");
        final Object handler = Proxy.newProxyInstance(
                Signals.class.getClassLoader(), new Class<?>[] {handlerClass}, (proxy, method, arguments) -> {
                    if (method.getName().equals("handle")) {
                        raised((int) signalClass.getMethod("getNumber").invoke(arguments[0]), name.equals("USR1"));
                        return null;
                    }
                    return method.invoke(this, arguments);
                });
        final Object signal = signalClass.getConstructor(String.class).newInstance(name);
        replaced.put(signal, handle(signal, handler));
    }

    /** Signal thread. A full queue means a flood of signals, of which the launcher has more than it needs. */
    private void raised(int number, boolean dump) {
        final boolean taken = events.offer(Event.of(dump ? Event.Kind.DUMP : Event.Kind.END, number));
        assert taken || !events.isEmpty();
    }

    private static @Nullable Object handle(Object signal, Object handler) throws ReflectiveOperationException {
        final Class<?> handlerClass = Class.forName("sun.misc.SignalHandler");
        return signal.getClass()
                .getMethod("handle", signal.getClass(), handlerClass)
                .invoke(null, signal, handler);
    }

    @Override
    public void close() {
        replaced.forEach((signal, handler) -> {
            try {
                handle(signal, handler);
            } catch (final ReflectiveOperationException e) {
                throw new IllegalStateException("signal " + signal + " was handled a moment ago", e);
            }
        });
    }
}
