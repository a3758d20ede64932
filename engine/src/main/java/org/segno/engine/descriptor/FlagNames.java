package org.segno.engine.descriptor;

import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Names of the flags in descriptors, for tools and messages. A flag has a meaning for each operation. */
public final class FlagNames {
    private static final @Nullable String[] NONE = new String[Byte.SIZE];
    private static final @Nullable String[] PUT = {
        "alternate", "notify", "in place", null, "deposit", null, "source counter", "alternate source"
    };
    private static final @Nullable String[] SEND = {
        null,
        null,
        "immediate",
        "metadata",
        "metadata counter",
        "alternate metadata",
        "source counter",
        "alternate source"
    };
    private static final @Nullable String[] REMOTE_GET = {
        "alternate", null, null, null, null, null, "into counter", "alternate landing"
    };
    private static final @Nullable String[] COUNT = {"alternate", null, null, null, "deposit", null, null, null};
    private static final @Nullable String[] WAIT_OR_ARM = {
        "alternate", null, null, null, null, "injection", "cumulative", null
    };
    private static final @Nullable String[] RMW = {"alternate", null, null, null, null, null, null, null};
    private static final @Nullable String[] COPY = {
        "alternate target", "target counter", null, null, null, null, "source counter", "alternate source"
    };

    private static final @Nullable String[] COMBINE = {
        "alternate target",
        "target counter",
        "reversed",
        "third",
        "third counter",
        "alternate third",
        "source counter",
        "alternate source"
    };

    private FlagNames() {}

    /** Returns the names of the flags in a head, separated by commas, or "-" if it has none. It allocates. */
    public static String of(long head) {
        final @Nullable String[] names = names(Descriptor.operation(head));
        final StringJoiner joined = new StringJoiner(",");
        joined.setEmptyValue("-");
        for (int bit = 0; bit < Byte.SIZE; bit++) {
            if (Descriptor.has(head, 1 << bit)) {
                joined.add(names[bit] == null ? "unknown(" + (1 << bit) + ")" : names[bit]);
            }
        }
        return joined.toString();
    }

    private static @Nullable String[] names(int operation) {
        return switch (operation) {
            case Operation.PUT -> PUT;
            case Operation.SEND, Operation.MULTICAST -> SEND;
            case Operation.REMOTE_GET -> REMOTE_GET;
            case Operation.COUNT -> COUNT;
            case Operation.WAIT, Operation.ARM -> WAIT_OR_ARM;
            case Operation.RMW -> RMW;
            case Operation.COPY -> COPY;
            case Operation.COMBINE -> COMBINE;
            default -> NONE;
        };
    }
}
