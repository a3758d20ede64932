package org.segno.node;

import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.segno.engine.job.SettingNames;
import org.segno.status.SegnoException;

/**
 * Reader of the settings of a node's configuration that come from outside the program: of each {@link NodeSetting} the
 * property, or otherwise the variable of the process. One that is empty counts as not set. Settings that the program
 * itself makes in {@link NodeConfig} override both.
 */
public final class NodeEnvironment {
    private static final String UNITS = "kmg";
    private static final int BITS_PER_UNIT = 10;

    private NodeEnvironment() {}

    /** Returns a copy of a configuration with the settings of this process. */
    static NodeConfig ofThisProcess(NodeConfig config) {
        SettingNames.warnOfUnknownOnce();
        return read(config, System.getProperties(), System.getenv());
    }

    /** Returns a copy of a configuration with the given settings; throws {@link SegnoException} if one is invalid. */
    static NodeConfig read(NodeConfig config, Properties properties, Map<String, String> variables) {
        NodeConfig changed = config;
        for (final NodeSetting setting : NodeSetting.values()) {
            final String property = properties.getProperty(setting.property());
            final boolean isProperty = SettingNames.isSet(property);
            final String text = isProperty ? property : variables.get(setting.variable());
            if (text != null && SettingNames.isSet(text)) {
                try {
                    setting.check(text);
                    changed = setting.applied(changed, text);
                } catch (final IllegalArgumentException e) {
                    final String name = isProperty ? setting.property() : setting.variable();
                    throw new SegnoException(name + "=" + text + " is invalid: " + e.getMessage(), e);
                }
            }
        }
        return changed;
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
            if (count < 0) {
                throw new NumberFormatException(text);
            }
            return Math.multiplyExact(count, 1L << (BITS_PER_UNIT * (unit + 1)));
        } catch (final NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException("'" + text + "' is not a number of bytes, as 64, 8k, 1m or 2g are", e);
        }
    }
}
