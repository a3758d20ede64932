package org.segno.transport.aeron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Loops over the sockets of Aeron's pollers. */
@Timeout(60)
class PolledSocketsTest {
    @TempDir
    Path directory;

    @Test
    void shouldLoopOverAllElementsWithOneIterator() {
        final PolledSockets sockets = new PolledSockets(List.of("a", "b", "c"));
        final Iterator<Object> first = sockets.iterator();
        assertThat(first.next()).isEqualTo("a");
        final List<Object> seen = new ArrayList<>();
        for (final Object each : sockets) {
            seen.add(each);
        }
        assertThat(seen).containsExactly("a", "b", "c");
        assertThat(sockets.iterator()).isSameAs(first);
        sockets.clear();
        assertThat(first.hasNext()).isFalse();
        assertThatThrownBy(first::next).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void shouldBeInBothPollersOfADriver() throws Exception {
        try (AeronDriver driver = AeronDriver.launch(directory)) {
            final Object media = field(AeronDriver.class, driver, "driver");
            final Object context = field(media.getClass(), media, "ctx");
            for (final String[] names : new String[][] {
                {"dataTransportPoller", "channelAndTransports"}, {"controlTransportPoller", "transports"}
            }) {
                final Object poller = field(context.getClass(), context, names[0]);
                assertThat(field(poller.getClass(), poller, names[1])).isInstanceOf(PolledSockets.class);
            }
        }
    }

    private static Object field(Class<?> type, Object owner, String name) throws ReflectiveOperationException {
        final Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }
}
