package org.segno.node;

import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.segno.operation.MessageLimits;
import org.segno.status.SegnoException;

/**
 * Settings of a node's configuration from outside the program: by a property, or otherwise by a variable of the
 * process. Settings that the program itself makes in {@link NodeConfig} override both.
 *
 * <pre>
 *  property               variable               sets                                           default
 *  segno.immediate-limit  SEGNO_IMMEDIATE_LIMIT  {@link NodeConfig#withImmediateLimitBytes}            32
 *  segno.eager-limit      SEGNO_EAGER_LIMIT      {@link NodeConfig#withEagerLimitBytes}               16k
 * </pre>
 */
public final class NodeEnvironment {
    /** Variable for the maximum length of immediate messages in bytes. */
    public static final String IMMEDIATE_LIMIT = "SEGNO_IMMEDIATE_LIMIT";

    /** Variable for the maximum length of eager messages in bytes. */
    public static final String EAGER_LIMIT = "SEGNO_EAGER_LIMIT";

    private static final String UNITS = "kmg";
    private static final int BITS_PER_UNIT = 10;

    private NodeEnvironment() {}

    /**
     * One setting from outside.
     *
     * @param name property or variable
     * @param text its value
     */
    private record SettingText(String name, String text) {
        long bytes() {
            return NodeEnvironment.bytes(text);
        }

        SegnoException malformed(IllegalArgumentException reason) {
            return new SegnoException(name + "=" + text + " is invalid: " + reason.getMessage(), reason);
        }
    }

    static MessageLimits ofThisProcess() {
        return read(System.getProperties(), System.getenv());
    }

    /** Reads both limits; throws {@link SegnoException} if one is invalid. */
    static MessageLimits read(Properties properties, Map<String, String> variables) {
        MessageLimits limits = MessageLimits.DEFAULT;
        final SettingText immediate = find(IMMEDIATE_LIMIT, properties, variables);
        if (immediate != null) {
            try {
                // A value above the range of an int is out of the limit's range too.
                limits = new MessageLimits((int) Math.min(immediate.bytes(), Integer.MAX_VALUE), limits.eagerBytes());
            } catch (final IllegalArgumentException e) {
                throw immediate.malformed(e);
            }
        }
        final SettingText eager = find(EAGER_LIMIT, properties, variables);
        if (eager != null) {
            try {
                limits = new MessageLimits(limits.immediateBytes(), eager.bytes());
            } catch (final IllegalArgumentException e) {
                throw eager.malformed(e);
            }
        }
        return limits;
    }

    private static @Nullable SettingText find(String variable, Properties properties, Map<String, String> variables) {
        final String name =
                variable.toLowerCase(Locale.ROOT).replaceFirst("_", ".").replace('_', '-');
        final String property = properties.getProperty(name);
        if (property != null) {
            return new SettingText(name, property);
        }
        final String value = variables.get(variable);
        return value == null ? null : new SettingText(variable, value);
    }

    /**
     * Parses a number of bytes: {@code 64}, or with a binary unit {@code 8k}, {@code 1m}, {@code 2g}.
     *
     * @throws IllegalArgumentException if it is not a number of bytes
     */
    public static long bytes(String text) {
        final String number = text.trim().toLowerCase(Locale.ROOT);
        final int unit = number.isEmpty() ? -1 : UNITS.indexOf(number.charAt(number.length() - 1));
        try {
            final long count = Long.parseUnsignedLong(unit < 0 ? number : number.substring(0, number.length() - 1));
            return Math.multiplyExact(count, 1L << (BITS_PER_UNIT * (unit + 1)));
        } catch (final NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException("'" + text + "' is not a number of bytes, as 64, 8k, 1m or 2g are", e);
        }
    }
}
