package org.segno.tools.run;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The variables that {@code -x} names: {@code VAR=V}, {@code VAR}, {@code PRE*}. */
final class Exports {
    private Exports() {}

    /**
     * Returns the named variables with their values.
     *
     * @throws IllegalArgumentException if a variable is not set or no name matches a pattern, because the ranks would
     *     run without it.
     */
    static Map<String, String> variables(List<String> exports, Map<String, String> environment) {
        final Map<String, String> variables = new TreeMap<>();
        for (final String export : exports) {
            final int equals = export.indexOf('=');
            if (equals > 0) {
                variables.put(export.substring(0, equals), export.substring(equals + 1));
                continue;
            }
            final Map<String, String> found = new TreeMap<>(environment);
            found.keySet().removeIf(name -> !matches(name, export));
            if (found.isEmpty()) {
                throw new IllegalArgumentException(
                        "-x " + export + ": no such variable is set; set it, or give its value: -x VAR=V");
            }
            variables.putAll(found);
        }
        return variables;
    }

    private static boolean matches(String name, String export) {
        return export.endsWith("*") ? name.startsWith(export.substring(0, export.length() - 1)) : name.equals(export);
    }
}
