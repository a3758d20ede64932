package org.segno.tools.run.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.segno.tools.process.HostName;

/**
 * A host that may run ranks of a job.
 *
 * @param name the name as the user wrote it, with the user's name on that host if it was given
 * @param slots the number of ranks that the host takes
 */
public record JobHost(String name, int slots) {
    /** The default of {@link #slots}. */
    static final int DEFAULT_SLOTS = 1;

    /**
     * A name with an optional user and optional slots. Neither part begins with a hyphen, because {@code ssh} would
     * read it as an option. An IPv6 address is in brackets.
     */
    private static final Pattern HOST = Pattern.compile(
            "((?:[A-Za-z0-9_][A-Za-z0-9._-]*@)?(?:[A-Za-z0-9_][A-Za-z0-9._-]*|\\[[0-9A-Fa-f:.]+]))(?::([0-9]{1,9}))?");

    /** Checks the name and the slots. */
    public JobHost {
        if (!HOST.matcher(name).matches()) {
            throw new IllegalArgumentException("'" + name
                    + "' is not the name of a host: letters, digits, dots, hyphens and underscores, an IPv6 address in"
                    + " brackets, 'user@' before it if needed");
        }
        if (slots < 1 || slots > LaunchPlan.RANK_LIMIT) {
            throw new IllegalArgumentException(
                    "the slots of a host must be from 1 to " + LaunchPlan.RANK_LIMIT + ": " + name + ":" + slots);
        }
    }

    /**
     * Parses the value of {@code --host}: {@code a:2,user@b}.
     *
     * @throws IllegalArgumentException if it is malformed; the message contains the option and the part.
     */
    public static List<JobHost> parse(String text) {
        final List<JobHost> hosts = new ArrayList<>();
        for (final String part : text.split(",", -1)) {
            final Matcher matcher = HOST.matcher(part.trim());
            if (!matcher.matches()) {
                throw new IllegalArgumentException("--host takes names with slots, as a:2,user@b: '" + part + "'");
            }
            final String slots = matcher.group(2);
            hosts.add(new JobHost(matcher.group(1), slots == null ? DEFAULT_SLOTS : Integer.parseInt(slots)));
        }
        return hosts;
    }

    /** Returns true if the launcher itself runs on this host and starts its ranks without a remote shell. */
    public boolean isThisHost() {
        return HostName.isThisHost(name);
    }

    /** Returns the name as a remote shell reads it: an IPv6 address without brackets. */
    String shellName() {
        return name.replace("[", "").replace("]", "");
    }

    /** Returns each host once, with all its slots, in the order of their first mention. */
    static List<JobHost> merged(List<JobHost> hosts) {
        final Map<String, JobHost> merged = new LinkedHashMap<>();
        for (final JobHost host : hosts) {
            merged.merge(
                    host.isThisHost() ? "" : host.name,
                    host,
                    (first, next) -> new JobHost(first.name, first.slots + next.slots));
        }
        return List.copyOf(merged.values());
    }
}
