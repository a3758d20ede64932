package org.segno.contract;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Results of all behaviours, written to {@code target/contract.txt} when the tests of a process end. Rows that other
 * processes have written stay.
 */
final class ContractTable implements AutoCloseable {
    private static final Path FILE = Path.of("target", "contract.txt");
    private static final Pattern ROW = Pattern.compile(" *(\\d+) ");

    private final NavigableMap<Integer, Map<Pairing, String>> results = new TreeMap<>();
    private final NavigableMap<Integer, String> sentences = new TreeMap<>();

    /** Enters one result. Fails if another behaviour has the same number. */
    synchronized void enter(Behaviour behaviour, Pairing pairing, String result) {
        final String other = sentences.put(behaviour.number(), behaviour.value());
        if (other != null && !other.equals(behaviour.value())) {
            throw new AssertionError(
                    "two behaviours have the number " + behaviour.number() + ": " + other + " / " + behaviour.value());
        }
        results.computeIfAbsent(behaviour.number(), number -> new EnumMap<>(Pairing.class))
                .put(pairing, result);
    }

    @Override
    public synchronized void close() throws IOException {
        Files.createDirectories(FILE.getParent());
        try (FileChannel file =
                FileChannel.open(FILE, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            // Held until the file is closed.
            file.lock();
            final NavigableMap<Integer, String> rows = rows(file);
            for (final Integer number : results.keySet()) {
                rows.put(number, row(number));
            }
            final byte[] text = text(rows.values()).getBytes(StandardCharsets.UTF_8);
            file.truncate(0);
            file.write(ByteBuffer.wrap(text), 0);
        }
    }

    private static NavigableMap<Integer, String> rows(FileChannel file) throws IOException {
        final ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
        file.read(bytes, 0);
        final NavigableMap<Integer, String> rows = new TreeMap<>();
        for (final String line :
                new String(bytes.array(), StandardCharsets.UTF_8).lines().toList()) {
            final Matcher row = ROW.matcher(line);
            if (row.lookingAt()) {
                rows.put(Integer.valueOf(row.group(1)), line + System.lineSeparator());
            }
        }
        return rows;
    }

    private static String text(Collection<String> rows) {
        return row("", Pairing::toString, "behaviour") + String.join("", rows);
    }

    private String row(int number) {
        final Map<Pairing, String> row = results.getOrDefault(number, Map.of());
        return row(String.valueOf(number), pairing -> row.getOrDefault(pairing, "-"), sentences.get(number));
    }

    private static String row(String first, Function<Pairing, String> cell, @Nullable String sentence) {
        final StringBuilder row = new StringBuilder(String.format("%4s  ", first));
        for (final Pairing pairing : Pairing.values()) {
            row.append(String.format("%-11s", cell.apply(pairing)));
        }
        return row.append(sentence).append(System.lineSeparator()).toString();
    }
}
