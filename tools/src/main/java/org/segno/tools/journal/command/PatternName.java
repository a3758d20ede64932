package org.segno.tools.journal.command;

import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter of the name of a pattern on a command line: 7 and #7 for an id, @0.5 for one without an id. */
final class PatternName implements ITypeConverter<String> {
    private static final Pattern FORM = Pattern.compile("#?\\d+|@\\d+\\.\\d+");

    /** Creates a converter. Called by picocli. */
    PatternName() {}

    @Override
    public String convert(String value) {
        if (!FORM.matcher(value).matches()) {
            throw new TypeConversionException(
                    "'" + value + "' is no pattern: use its id, or @context.index for one without an id: 7 or @0.5");
        }
        return value.startsWith("#") || value.startsWith("@") ? value : "#" + value;
    }
}
