package org.segno.tools.command;

import org.segno.node.NodeEnvironment;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Converter of byte counts on the command line: {@code 64}, {@code 8k}, {@code 1m}, {@code 2g}. The engine reads
 * variables in the same form.
 */
public final class ByteCountConverter implements ITypeConverter<Long> {
    /** Creates a converter. Called by picocli. */
    public ByteCountConverter() {}

    @Override
    public Long convert(String value) {
        try {
            return NodeEnvironment.bytes(value);
        } catch (final IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
