package org.segno.collective;

import java.nio.charset.StandardCharsets;

/** Names of geometries that are created from others, equal at all members and of limited length. */
final class GeometryName {
    /** Maximum of the bytes of a name in the directory, beside those of a client and of a member's number. */
    private static final int PUBLISHED_BYTES = 40;

    /** Bytes of the digest of a shortened name. */
    private static final int DIGEST_BYTES = 17;

    /** Maximum of the bytes of the beginning that a shortened name keeps. */
    private static final int KEPT_BYTES = 32;

    private GeometryName() {}

    /**
     * Returns {@code name} with a suffix, if that has at most {@link Geometry#MAX_NAME_BYTES} bytes. Otherwise it
     * returns its beginning and a digest of 64 bits of all of it, so that different names remain different.
     */
    static String derived(String name, String suffix) {
        return shortened(name + suffix, Geometry.MAX_NAME_BYTES, KEPT_BYTES);
    }

    /** Returns the name under which the counters of a geometry are found; shortened as a derived one. */
    static String published(String name) {
        return shortened(name, PUBLISHED_BYTES, PUBLISHED_BYTES - DIGEST_BYTES);
    }

    private static String shortened(String whole, int limit, int most) {
        final byte[] bytes = whole.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= limit) {
            return whole;
        }
        int kept = 0;
        int keptBytes = 0;
        while (keptBytes <= most) {
            final String next = Character.toString(whole.codePointAt(kept));
            keptBytes += next.getBytes(StandardCharsets.UTF_8).length;
            kept += keptBytes <= most ? next.length() : 0;
        }
        return whole.substring(0, kept) + String.format("~%016x", Digest.of(bytes));
    }
}
