package org.segno.saved;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.agrona.ExpandableArrayBuffer;
import org.segno.pattern.PatternBuffer;

/**
 * Codec for the content of a file of patterns. Fields follow one another in the length of their type; texts and lists
 * follow their count.
 *
 * <pre>
 *  content   text client, int rank, int ranks, then lists of windows, counters, targets, contexts, patterns
 *  window    int id, long base, long length
 *  counter   int id, int incarnation, long base, long length, int sources, and if that is SET, a list of int ranks
 *  target    int rank, int counter, int incarnation, int kind, long length, text name
 *  context   int rank, int context, int offset
 *  pattern   int context, int id, int rounds (1 alternate, 0 ordered by the caller), int arms, descriptors of 64 bytes
 *  text      int bytes, UTF-8
 * </pre>
 */
final class SavedCodec {
    private static final int DESCRIPTOR_LENGTH = PatternBuffer.WORDS * Long.BYTES;

    private SavedCodec() {}

    /** Writes the content after {@code headerLength} bytes of zero. */
    static ByteBuffer encode(SavedContent saved, int headerLength) {
        final Writer to = new Writer(headerLength);
        to.text(saved.client());
        to.ints(saved.rank(), saved.ranks(), saved.windows().size());
        for (final SavedContent.SavedWindow window : saved.windows()) {
            to.ints(window.id());
            to.longs(window.base(), window.length());
        }
        to.ints(saved.counters().size());
        for (final SavedContent.SavedCounter counter : saved.counters()) {
            to.ints(counter.id(), counter.incarnation());
            to.longs(counter.base(), counter.length());
            to.ints(counter.sources());
            if (counter.sources() == SavedContent.SavedCounter.SET) {
                to.ints(counter.set().size());
                counter.set().forEach(rank -> to.ints(rank));
            }
        }
        to.ints(saved.targets().size());
        for (final SavedContent.SavedTarget target : saved.targets()) {
            to.ints(target.rank(), target.counter(), target.incarnation(), target.kind());
            to.longs(target.length());
            to.text(target.name());
        }
        to.ints(saved.contexts().size());
        for (final SavedContent.SavedContext context : saved.contexts()) {
            to.ints(context.rank(), context.context(), context.offset());
        }
        to.ints(saved.patterns().size());
        for (final SavedContent.SavedPattern pattern : saved.patterns()) {
            to.ints(pattern.context(), pattern.id(), pattern.alternate() ? 1 : 0, pattern.arms());
            to.ints(pattern.words().length / PatternBuffer.WORDS);
            to.longs(pattern.words());
        }
        return ByteBuffer.wrap(to.buffer.byteArray(), 0, to.length);
    }

    /**
     * Reads from the buffer's position to its end.
     *
     * @throws IllegalArgumentException if a value is invalid; the message names it
     */
    static SavedContent decode(ByteBuffer from) {
        final String client = text(from);
        final int rank = number(from);
        final int ranks = number(from);
        final List<SavedContent.SavedWindow> windows =
                list(from, bytes -> new SavedContent.SavedWindow(number(bytes), word(bytes), word(bytes)));
        final List<SavedContent.SavedCounter> counters = list(from, SavedCodec::counter);
        final List<SavedContent.SavedTarget> targets = list(
                from,
                bytes -> new SavedContent.SavedTarget(
                        number(bytes), number(bytes), number(bytes), number(bytes), word(bytes), text(bytes)));
        final List<SavedContent.SavedContext> contexts =
                list(from, bytes -> new SavedContent.SavedContext(number(bytes), number(bytes), number(bytes)));
        final List<SavedContent.SavedPattern> patterns = list(from, SavedCodec::pattern);
        if (from.hasRemaining()) {
            throw new IllegalArgumentException(from.remaining() + " bytes follow its end");
        }
        return new SavedContent(client, rank, ranks, windows, counters, targets, contexts, patterns);
    }

    private static SavedContent.SavedCounter counter(ByteBuffer from) {
        final int id = number(from);
        final int incarnation = number(from);
        final long base = word(from);
        final long length = word(from);
        final int sources = number(from);
        final List<Integer> set = sources == SavedContent.SavedCounter.SET ? list(from, SavedCodec::number) : List.of();
        return new SavedContent.SavedCounter(id, incarnation, base, length, sources, set);
    }

    private static SavedContent.SavedPattern pattern(ByteBuffer from) {
        final int context = number(from);
        final int id = number(from);
        final int rounds = number(from);
        final int arms = number(from);
        final int slots = count(from, DESCRIPTOR_LENGTH);
        if (rounds < 0 || rounds > 1 || arms < 0 || arms > slots) {
            throw new IllegalArgumentException(
                    "pattern " + id + " is invalid: rounds=" + rounds + " arms=" + arms + " descriptors=" + slots);
        }
        final long[] words = new long[slots * PatternBuffer.WORDS];
        for (int i = 0; i < words.length; i++) {
            words[i] = word(from);
        }
        return new SavedContent.SavedPattern(context, id, rounds == 1, arms, words);
    }

    private static <T> List<T> list(ByteBuffer from, Function<ByteBuffer, T> item) {
        final int count = count(from, Integer.BYTES);
        final List<T> items = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            items.add(item.apply(from));
        }
        return items;
    }

    private static String text(ByteBuffer from) {
        final byte[] bytes = new byte[count(from, 1)];
        from.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Reads a count of items that have at least {@code least} bytes each. */
    private static int count(ByteBuffer from, int least) {
        final int count = number(from);
        if (count < 0 || count > from.remaining() / least) {
            throw new IllegalArgumentException(
                    "the count at offset " + (from.position() - Integer.BYTES) + " is invalid: " + count);
        }
        return count;
    }

    private static int number(ByteBuffer from) {
        requireLeft(from, Integer.BYTES);
        return from.getInt();
    }

    private static long word(ByteBuffer from) {
        requireLeft(from, Long.BYTES);
        return from.getLong();
    }

    private static void requireLeft(ByteBuffer from, int bytes) {
        if (from.remaining() < bytes) {
            throw new IllegalArgumentException("it ends at offset " + from.limit() + ", within a field");
        }
    }

    /** Appender to a growing buffer. */
    private static final class Writer {
        final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        int length;

        Writer(int headerLength) {
            buffer.setMemory(0, headerLength, (byte) 0);
            length = headerLength;
        }

        void ints(int... values) {
            for (final int value : values) {
                buffer.putInt(length, value, ByteOrder.nativeOrder());
                length += Integer.BYTES;
            }
        }

        void longs(long... values) {
            for (final long value : values) {
                buffer.putLong(length, value, ByteOrder.nativeOrder());
                length += Long.BYTES;
            }
        }

        void text(String value) {
            final byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
            ints(bytes.length);
            buffer.putBytes(length, bytes);
            length += bytes.length;
        }
    }
}
