package org.segno.tools.observe;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Place of a rank on its host: the cores that its process may use, and the memory nodes (NUMA) on which the pages of
 * its node's file lie. A page lies where the thread ran that first wrote to it.
 *
 * @param cores numbers of the cores, in the form of Linux: {@code 0-3,8}; empty if they are not visible
 * @param bytes number of bytes on each memory node; empty if that is not visible
 */
public record RankPlace(String cores, SortedMap<Integer, Long> bytes) {
    private static final String CORES = "Cpus_allowed_list:";
    private static final Pattern MAPPING =
            Pattern.compile("([0-9a-f]+)-([0-9a-f]+) \\S+ ([0-9a-f]+) \\S+ \\d+ +(/.*?)(?: \\(deleted\\))?");
    private static final Pattern PAGES = Pattern.compile(" N(\\d{1,9})=(\\d{1,12})");
    private static final Pattern PAGE_LENGTH = Pattern.compile(" kernelpagesize_kB=(\\d{1,9})");
    private static final int HEXADECIMAL = 16;

    /** Returns the place of a rank; it is empty once the process has ended. */
    public static RankPlace of(ObservedJob job, ObservedRank rank) {
        final long pid = rank.identity().pid();
        if (rank.process() == ProcessStanding.GONE) {
            return new RankPlace("", new TreeMap<>());
        }
        // A directory that is being removed has a suffix.
        final Pattern file = Pattern.compile(
                ".*/segno-[^/]+-" + Pattern.quote(job.fullName()) + "(\\.\\d+-\\d+)?/node-" + rank.rank());
        return new RankPlace(
                cores(ProcessFiles.lines(pid, "status")),
                bytes(ProcessFiles.lines(pid, "maps"), ProcessFiles.lines(pid, "numa_maps"), file));
    }

    static String cores(List<String> status) {
        return status.stream()
                .filter(line -> line.startsWith(CORES))
                .map(line -> line.substring(CORES.length()).trim())
                .findFirst()
                .orElse("");
    }

    /**
     * Returns the bytes of the pages of a file on each memory node.
     *
     * @param maps lines of {@code /proc/PID/maps}
     * @param numaMaps lines of {@code /proc/PID/numa_maps}, which have the same mappings
     * @param file pattern of the file's path
     */
    static SortedMap<Integer, Long> bytes(List<String> maps, List<String> numaMaps, Pattern file) {
        final List<Long> starts = starts(maps, file);
        final SortedMap<Integer, Long> bytes = new TreeMap<>();
        for (final String line : numaMaps) {
            final int end = line.indexOf(' ');
            if (end > 0 && starts.contains(Long.parseUnsignedLong(line.substring(0, end), HEXADECIMAL))) {
                addPages(line, bytes);
            }
        }
        return bytes;
    }

    /** A part of a file in the address space of a process. */
    private record Mapping(long start, long from, long to) {
        boolean overlaps(Mapping other) {
            return from < other.to && other.from < to;
        }
    }

    /**
     * Returns the addresses of the mappings of a file, each byte of it once: ranks that are threads of one process map
     * each other's files a second time.
     */
    private static List<Long> starts(List<String> maps, Pattern file) {
        final List<Mapping> found = new ArrayList<>();
        for (final String line : maps) {
            final Matcher mapping = MAPPING.matcher(line);
            if (mapping.matches() && file.matcher(mapping.group(4)).matches()) {
                final long start = Long.parseUnsignedLong(mapping.group(1), HEXADECIMAL);
                final long length = Long.parseUnsignedLong(mapping.group(2), HEXADECIMAL) - start;
                final long from = Long.parseUnsignedLong(mapping.group(3), HEXADECIMAL);
                found.add(new Mapping(start, from, from + length));
            }
        }
        // The kernel merges neighbours, so that one mapping may cover several of the others.
        found.sort(Comparator.comparingLong(mapping -> mapping.from - mapping.to));
        final List<Mapping> counted = new ArrayList<>();
        for (final Mapping mapping : found) {
            if (counted.stream().noneMatch(mapping::overlaps)) {
                counted.add(mapping);
            }
        }
        return counted.stream().map(Mapping::start).toList();
    }

    private static void addPages(String line, Map<Integer, Long> bytes) {
        final Matcher length = PAGE_LENGTH.matcher(line);
        final long pageLength = length.find() ? Long.parseLong(length.group(1)) << 10 : 0;
        for (final Matcher pages = PAGES.matcher(line); pages.find(); ) {
            bytes.merge(Integer.parseInt(pages.group(1)), Long.parseLong(pages.group(2)) * pageLength, Long::sum);
        }
    }
}
