package org.segno.link;

/** Factory of a transport, which {@link java.util.ServiceLoader} finds. */
public interface TransportProvider {
    /** Returns the transport's name, for settings, messages and tools: lower-case letters, digits and hyphens. */
    String name();

    /**
     * Begins the part of this process in a job: once, when its first node joins that uses this transport.
     *
     * @throws org.segno.status.SegnoException if the transport cannot work here; the message has the reason
     */
    Transport join(TransportJob job);
}
