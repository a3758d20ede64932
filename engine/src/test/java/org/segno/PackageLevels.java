package org.segno;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static java.util.Map.entry;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Map;
import java.util.Set;

/** The order of the packages under one root, as rules that can be checked against any classes under that root. */
final class PackageLevels {
    /** The design's table: a package knows only packages of lower levels. One that is split gets its parts in here. */
    private static final Map<String, Integer> LEVELS = Map.ofEntries(
            entry("status", 0),
            entry("geometry", 0),
            entry("fault", 0),
            entry("launcher", 0),
            entry("memory", 1),
            entry("job", 1),
            entry("descriptor", 2),
            entry("packet", 2),
            entry("counter", 2),
            entry("metrics", 2),
            entry("fifo", 3),
            entry("reuse", 3),
            entry("work", 3),
            entry("link", 3),
            entry("dispatch", 3),
            entry("landing", 4),
            entry("pattern", 4),
            entry("operation", 4),
            entry("dma", 5),
            entry("context", 5),
            entry("collective", 6),
            entry("message", 6),
            entry("saved", 6),
            entry("multisend", 6),
            entry("node", 6),
            entry("simulator", 7),
            entry("mpi", 7),
            entry("program", 2));

    private static final Set<String> APPLICATION_SIDE =
            Set.of("work", "operation", "context", "pattern", "multisend", "message", "saved", "collective");
    private static final Set<String> ENGINE_SIDE = Set.of("dma", "landing", "link");

    private final String prefix;

    PackageLevels(String root) {
        this.prefix = root + ".";
    }

    ArchRule everyPackageHasALevel() {
        return classes().should(new ArchCondition<>("lie in a package of the design's table") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                if (!LEVELS.containsKey(partOf(type))) {
                    events.add(
                            SimpleConditionEvent.violated(type, type.getName() + " lies in no package of the table"));
                }
            }
        });
    }

    ArchRule knowOnlyLowerLevels() {
        return classes().should(new ArchCondition<>("know only packages of lower levels") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                for (final Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    checkLevels(dependency, events);
                }
            }
        });
    }

    ArchRule sidesNeverNameEachOther() {
        return classes().should(new ArchCondition<>("never cross between application side and engine side") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                for (final Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    checkSides(dependency, events);
                }
            }
        });
    }

    private void checkLevels(Dependency dependency, ConditionEvents events) {
        final String origin = partOf(dependency.getOriginClass());
        final String target = partOf(dependency.getTargetClass());
        final Integer originLevel = LEVELS.get(origin);
        final Integer targetLevel = LEVELS.get(target);
        if (originLevel != null && targetLevel != null && !origin.equals(target) && targetLevel >= originLevel) {
            events.add(SimpleConditionEvent.violated(
                    dependency,
                    origin + " (level " + originLevel + ") knows " + target + " (level " + targetLevel + "): "
                            + dependency.getDescription()));
        }
    }

    private void checkSides(Dependency dependency, ConditionEvents events) {
        final String origin = partOf(dependency.getOriginClass());
        final String target = partOf(dependency.getTargetClass());
        if ((APPLICATION_SIDE.contains(origin) && ENGINE_SIDE.contains(target))
                || (ENGINE_SIDE.contains(origin) && APPLICATION_SIDE.contains(target))) {
            events.add(SimpleConditionEvent.violated(
                    dependency, origin + " names " + target + ": " + dependency.getDescription()));
        }
    }

    /** The package's name below the root; of a class elsewhere its whole package name, which has no level. */
    private String partOf(JavaClass type) {
        final String name = type.getBaseComponentType().getPackageName();
        return name.startsWith(prefix) ? name.substring(prefix.length()) : name;
    }
}
