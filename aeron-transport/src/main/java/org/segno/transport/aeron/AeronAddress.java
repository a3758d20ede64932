package org.segno.transport.aeron;

import java.net.InetAddress;

/**
 * Address of an end of a link, to which the other end sends.
 *
 * @param host address of an interface of the end's host
 * @param port UDP port, which no other link uses
 */
public record AeronAddress(InetAddress host, int port) {
    /** Returns Aeron's channel at this address, by a socket with a tag. */
    String channel(LinkKey key, long tag) {
        return "aeron:udp?endpoint=" + endpoint() + "|tags=" + tag + "|session-id=" + key.session();
    }

    /** Returns the address as text, without a name. */
    String endpoint() {
        final String text = host.getHostAddress();
        return (text.indexOf(':') < 0 ? text : "[" + text + "]") + ":" + port;
    }
}
