package org.segno.tools.doctor;

import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.segno.tools.output.Quantity;
import org.segno.transport.aeron.LinkSpace;

/** Check of what links between hosts need: datagrams of the interfaces, and room for their logs. */
final class LinkCheck implements Check {
    private static final String ROOM = "link-room";
    private static final int ETHERNET_MTU = 1408;
    private static final int LOOPBACK_MTU = 65_504;
    private static final String REASON = "it matters only for jobs on several hosts, or with --transport aeron";

    @Override
    public List<Finding> look(Host host, CheckedJob job) {
        final List<Finding> findings = new ArrayList<>();
        try {
            findings.add(Finding.note("link-mtu", interfaces(), "a link has the least MTU of its two ends"));
        } catch (final SocketException e) {
            findings.add(Finding.note("link-mtu", "network interfaces not visible: " + e.getMessage(), REASON));
        }
        try {
            findings.add(room(job, Files.getFileStore(job.parent()).getUsableSpace()));
        } catch (final IOException e) {
            findings.add(Finding.note(ROOM, job.parent() + ": " + e.getMessage(), REASON));
        }
        return findings;
    }

    private static String interfaces() throws SocketException {
        final List<String> found = new ArrayList<>();
        for (final NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            if (each.isUp() && each.getInetAddresses().hasMoreElements()) {
                found.add(each.getName() + " MTU " + each.getMTU());
            }
        }
        return found.isEmpty() ? "no network interface is up" : String.join(", ", found);
    }

    /** Judges the room for the links of all ranks of a job on this host, each to all others. */
    static Finding room(CheckedJob job, long free) {
        final long process = LinkSpace.ofProcess(job.ranks());
        final int peers = job.ranks() - 1;
        final long needed = job.ranks() * (process + peers * LinkSpace.ofEnd(LOOPBACK_MTU));
        final String measured = String.format(
                "links take %s for each process and %s (MTU up to 1500) or %s for each peer; %s has %s free",
                Quantity.ofBytes(process),
                Quantity.ofBytes(LinkSpace.ofEnd(ETHERNET_MTU)),
                Quantity.ofBytes(LinkSpace.ofEnd(LOOPBACK_MTU)),
                job.parent(),
                Quantity.ofBytes(free));
        return free < needed
                ? Finding.warning(
                        ROOM,
                        measured,
                        "links of " + Quantity.of(job.ranks(), "rank") + " here, each to all others, take up to "
                                + Quantity.ofBytes(needed) + "; " + REASON,
                        "set SEGNO_DIR to a directory with more room, or enlarge this one (containers: --shm-size)")
                : Finding.ok(ROOM, measured);
    }
}
