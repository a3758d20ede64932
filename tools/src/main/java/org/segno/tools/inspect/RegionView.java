package org.segno.tools.inspect;

import java.nio.charset.StandardCharsets;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NameDirectory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.WindowTable;
import org.segno.tools.inspect.record.Broken;
import org.segno.tools.inspect.record.Words;
import org.segno.tools.observe.ObservedRank;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;

/** View of registered memory: windows, published names and, with {@code --hex}, bytes. */
final class RegionView implements View {
    private static final int LENGTH_OFFSET = 8;
    private static final int NAME_ID_OFFSET = 8;
    private static final int NAME_COVERED_OFFSET = 16;
    private static final int NAME_LENGTH_OFFSET = 24;
    private static final int NAME_OFFSET = 32;
    private static final int BYTES_PER_LINE = 16;

    private final Selection selection;
    private final Broken broken;
    private final Table windows = Table.of("regions", "rank", "id", "base", "length");
    private final Table names = Table.of("names", "rank", "name", "kind", "counter", "length");
    private final Table words = Words.table();
    private final Table bytes = Table.of("bytes", "rank", "id", "offset", "hex", "text");

    RegionView(Selection selection, Broken broken) {
        this.selection = selection;
        this.broken = broken;
    }

    @Override
    public void look(ObservedRank rank) {
        final NodeMemory node = rank.memory();
        for (int id = 0; id < node.layout().dimensions().windows(); id++) {
            if (selection.admits(id)) {
                lookAtWindow(node, id);
            }
        }
        if (!selection.hasId()) {
            lookAtNames(node);
        }
    }

    private void lookAtWindow(NodeMemory node, int id) {
        final long entry = node.layout().offset(Part.WINDOW_TABLE) + (long) id * NodeLayout.WINDOW_LENGTH;
        final long length = node.owner().getLongAcquire(entry + LENGTH_OFFSET);
        final long base = node.owner().getLong(entry);
        if (selection.hasId()) {
            Words.WINDOW.addTo(words, node.rank(), "region " + id, node.owner(), entry, selection.hex());
        }
        // The length is zero while the node starts, then minus one until the id is assigned.
        if (length == 0 || length == WindowTable.NO_WINDOW) {
            return;
        }
        windows.row(node.rank(), id, base, length);
        final long arena = node.layout().length(Part.WINDOWS);
        final boolean possible = base >= 0 && length > 0 && base <= arena - length;
        broken.unless(
                possible,
                node.rank(),
                "region " + id,
                "base " + base + " + length " + length + " lies outside the " + arena + " bytes of windows");
        if (possible && selection.hex() && selection.hasId()) {
            dump(node, id, base, length);
        }
    }

    private void dump(NodeMemory node, int id, long base, long length) {
        final long first = Math.min(length, Math.max(0, selection.fromOr(0)));
        final long lines = (length - first + BYTES_PER_LINE - 1) / BYTES_PER_LINE;
        final long last = first + Math.min(length - first, selection.shown(lines) * BYTES_PER_LINE);
        for (long offset = first; offset < last; offset += BYTES_PER_LINE) {
            final StringBuilder hex = new StringBuilder();
            final StringBuilder text = new StringBuilder();
            for (long at = offset; at < Math.min(last, offset + BYTES_PER_LINE); at++) {
                final int octet = node.arena().getByte(base + at) & 0xFF;
                hex.append(hex.length() == 0 ? "" : " ").append(String.format("%02x", octet));
                text.append(octet >= ' ' && octet < 0x7F ? (char) octet : '.');
            }
            bytes.row(node.rank(), id, offset, hex, text);
        }
    }

    private void lookAtNames(NodeMemory node) {
        final NodeDimensions d = node.layout().dimensions();
        final Memory owner = node.owner();
        for (int slot = 0; slot < d.names(); slot++) {
            final long entry = node.layout().offset(Part.NAMES) + (long) slot * NodeLayout.NAME_LENGTH;
            final int kind = NameDirectory.kind(owner.getLongAcquire(entry));
            if (kind == 0 || kind == NameDirectory.WITHDRAWN) {
                continue;
            }
            final int id = owner.getInt(entry + NAME_ID_OFFSET);
            final int nameLength = owner.getInt(entry + NAME_LENGTH_OFFSET);
            final boolean readable = nameLength >= 1 && nameLength <= NameDirectory.MAX_NAME_BYTES;
            final String name = readable ? name(owner, entry, nameLength) : "?";
            final boolean pair = kind == NameDirectory.PAIR;
            final boolean client = kind == NameDirectory.CLIENT;
            final long covered = owner.getLong(entry + NAME_COVERED_OFFSET);
            final int most = client ? d.contexts() : d.receptionCounters() - (pair ? 1 : 0);
            names.row(
                    node.rank(),
                    name,
                    pair ? "pair" : client ? "client" : kind == NameDirectory.COUNTER ? "counter" : "unknown",
                    id,
                    // Above the number of contexts is the hash of the client's tasks.
                    client ? (int) covered : covered);
            broken.unless(
                    readable && (pair || client || kind == NameDirectory.COUNTER),
                    node.rank(),
                    "name " + slot,
                    "state " + kind + ", " + nameLength + " bytes of name");
            broken.unless(
                    id >= 0 && id < most,
                    node.rank(),
                    "name " + slot,
                    (client ? "context " : "counter ") + id + " of " + most);
        }
    }

    private static String name(Memory owner, long entry, int length) {
        final byte[] text = new byte[length];
        for (int i = 0; i < length; i++) {
            text[i] = owner.getByte(entry + NAME_OFFSET + i);
        }
        // Control characters would reach the terminal.
        return new String(text, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "?");
    }

    @Override
    public void addTo(Report report) {
        report.add(
                windows.size() == 0
                        ? "no regions"
                        : "regions: entries are written by the application, bytes by peers too",
                windows);
        report.add(names.size() == 0 ? "" : "published names, written by the application", names);
        report.add(words.size() == 0 ? "" : "words", words);
        report.add(bytes.size() == 0 ? "" : "bytes", bytes);
    }
}
