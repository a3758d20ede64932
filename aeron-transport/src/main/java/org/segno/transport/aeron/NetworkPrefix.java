package org.segno.transport.aeron;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A network by its prefix, or an interface by its name.
 *
 * @param text as the user has written it
 * @param prefix address of the network, or null for an interface
 * @param length bits of the prefix
 */
public record NetworkPrefix(String text, @Nullable InetAddress prefix, int length) {
    private static final Pattern INTERFACE = Pattern.compile("[A-Za-z0-9_.:@-]{1,15}");

    /**
     * Reads {@code 10.0.0.0/8}, {@code 10.1.2.3}, {@code fd00::/64} or {@code eth0}.
     *
     * @throws IllegalArgumentException if it is none of these
     */
    public static NetworkPrefix parse(String text) {
        final int slash = text.indexOf('/');
        final String address = slash < 0 ? text : text.substring(0, slash);
        if (!address.matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")) {
            if (!INTERFACE.matcher(text).matches()) {
                throw invalid(text);
            }
            return new NetworkPrefix(text, null, 0);
        }
        try {
            final InetAddress prefix = InetAddress.getByName(address);
            final int bits = prefix.getAddress().length * Byte.SIZE;
            final int length = slash < 0 ? bits : Integer.parseUnsignedInt(text.substring(slash + 1));
            if (length > bits) {
                throw invalid(text);
            }
            return new NetworkPrefix(text, prefix, length);
        } catch (final UnknownHostException | NumberFormatException e) {
            throw invalid(text);
        }
    }

    private static IllegalArgumentException invalid(String text) {
        return new IllegalArgumentException(
                "a network, as 10.1.0.0/16, an address, or the name of an interface: '" + text + "'");
    }

    /** Returns true if the address of an interface is in this network, or the interface is this one. */
    public boolean contains(String interfaceName, InetAddress address) {
        final InetAddress network = prefix;
        if (network == null) {
            return interfaceName.equals(text);
        }
        final byte[] wanted = network.getAddress();
        final byte[] found = address.getAddress();
        if (wanted.length != found.length) {
            return false;
        }
        for (int bit = 0; bit < length; bit++) {
            final int mask = 0x80 >>> (bit % Byte.SIZE);
            if (((wanted[bit / Byte.SIZE] ^ found[bit / Byte.SIZE]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return text;
    }
}
