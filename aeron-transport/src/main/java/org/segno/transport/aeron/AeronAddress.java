package org.segno.transport.aeron;

import java.net.InetAddress;

/**
 * Address of an end of a link, to which the other end sends.
 *
 * @param host address of an interface of the end's host
 * @param port UDP port, which no other link uses
 * @param session Aeron's session of all streams; datagrams of other sessions are ignored
 */
public record AeronAddress(InetAddress host, int port, int session) {
    /** Returns Aeron's channel to this address. */
    String channel() {
        return channel(host, port) + "|session-id=" + session;
    }

    /** Returns the beginning of a channel at a host. */
    static String channel(InetAddress host, int port) {
        final String text = host.getHostAddress();
        return "aeron:udp?endpoint=" + (text.indexOf(':') < 0 ? text : "[" + text + "]") + ":" + port;
    }
}
