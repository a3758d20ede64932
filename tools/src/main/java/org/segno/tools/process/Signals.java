package org.segno.tools.process;

import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.segno.tools.command.Console;

/**
 * Signal handlers of this process: INT, TERM and HUP request its end, USR1 requests thread dumps.
 *
 * <p>{@code sun.misc.Signal} is the only way to see a second Ctrl-C; a shutdown hook sees only the first. It does not
 * compile under release 17 without a warning, so this class uses it by reflection. A signal that was ignored when the
 * launcher started, as under nohup, stays ignored.
 */
public final class Signals implements AutoCloseable {
    private static final String DUMP = "USR1";

    private final Map<Object, Object> replaced = new LinkedHashMap<>();
    private final IntConsumer end;
    private final Runnable dump;

    private Signals(IntConsumer end, Runnable dump) {
        this.end = end;
        this.dump = dump;
    }

    /**
     * Installs the handlers until {@link #close}. A JVM that reserves its signals (-Xrs) ends as usual instead.
     *
     * @param end receives the number of each INT, TERM and HUP, on a thread of the JVM
     * @param dump runs at each USR1, on such a thread
     */
    public static Signals install(IntConsumer end, Runnable dump, Console console) {
        final Signals signals = new Signals(end, dump);
        for (final String name : new String[] {"INT", "TERM", "HUP", DUMP}) {
            try {
                signals.replace(name);
            } catch (final ReflectiveOperationException | IllegalArgumentException e) {
                console.detail("signal " + name + " cannot be handled: " + e);
            }
        }
        return signals;
    }

    private void replace(String name) throws ReflectiveOperationException {
        final Class<?> signalClass = Class.forName("sun.misc.Signal");
        final Class<?> handlerClass = Class.forName("sun.misc.SignalHandler");
        final Object handler = Proxy.newProxyInstance(
                Signals.class.getClassLoader(), new Class<?>[] {handlerClass}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("handle")) {
                        return method.invoke(this, arguments);
                    }
                    if (name.equals(DUMP)) {
                        dump.run();
                    } else {
                        end.accept((int) signalClass.getMethod("getNumber").invoke(arguments[0]));
                    }
                    return null;
                });
        final Object signal = signalClass.getConstructor(String.class).newInstance(name);
        replaced.put(signal, handle(signal, handler));
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
                throw new IllegalStateException("signal " + signal + " cannot be restored", e);
            }
        });
    }
}
