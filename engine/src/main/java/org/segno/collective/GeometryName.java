package org.segno.collective;

import java.nio.charset.StandardCharsets;

/** Names of geometries that are created from others, equal at all members and of limited length. */
final class GeometryName {
    /** Maximum of the bytes of the beginning that a shortened name keeps. */
    private static final int KEPT_BYTES = 32;

    private GeometryName() {}

    /**
     * Returns {@code name} with a suffix, if that has at most {@link Geometry#MAX_NAME_BYTES} bytes. Otherwise it
     * returns its beginning and a digest of 64 bits of all of it, so that different names remain different.
     */
    static String derived(String name, String suffix) {
        final String whole = name + suffix;
        final byte[] bytes = whole.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= Geometry.MAX_NAME_BYTES) {
            return whole;
        }
        int kept = 0;
        int keptBytes = 0;
        while (keptBytes <= KEPT_BYTES) {
            final String next = Character.toString(whole.codePointAt(kept));
            keptBytes += next.getBytes(StandardCharsets.UTF_8).length;
            kept += keptBytes <= KEPT_BYTES ? next.length() : 0;
        }
        return whole.substring(0, kept) + String.format("~%016x", Digest.of(bytes));
    }
}
