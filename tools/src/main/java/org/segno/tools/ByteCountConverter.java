package org.segno.tools;

import org.segno.node.NodeEnvironment;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Numbers of bytes on the command line, as the engine reads them from variables: {@code 64}, {@code 8k}, {@code 1m}, {@code 2g}. */
public final class ByteCountConverter implements ITypeConverter<Long> {
    /** For picocli. */
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
