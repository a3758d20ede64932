package org.segno.tools.observe;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter of regular expressions. A malformed one is a wrong command line. */
public final class PatternConverter implements ITypeConverter<Pattern> {
    /** Creates a converter. Called by picocli. */
    public PatternConverter() {}

    @Override
    public Pattern convert(String value) {
        try {
            return Pattern.compile(value);
        } catch (final PatternSyntaxException e) {
            throw new TypeConversionException("'" + value + "' is not a regular expression: " + e.getDescription());
        }
    }
}
