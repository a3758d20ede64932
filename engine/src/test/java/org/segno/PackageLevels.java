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

/** Order of the packages under one root, as rules that can be checked against any classes under that root. */
final class PackageLevels {
    /**
     * The design's levels. A package depends only on packages of lower levels. The parts of a split package are added
     * here.
     */
    private static final Map<String, Integer> LEVELS = Map.ofEntries(
            entry("combine", 0),
            entry("engine.fault", 0),
            entry("engine.launcher", 0),
            entry("geometry", 0),
            entry("status", 0),
            entry("engine.job", 1),
            entry("engine.memory", 1),
            entry("engine.combine", 2),
            entry("engine.counter", 2),
            entry("engine.descriptor", 2),
            entry("engine.metrics", 2),
            entry("engine.packet", 2),
            entry("engine.trace", 2),
            entry("engine.doorbell", 3),
            entry("engine.fifo", 3),
            entry("link", 3),
            entry("memory", 3),
            entry("engine.landing", 4),
            entry("engine.reuse", 4),
            entry("operation", 4),
            entry("engine.dispatch", 5),
            entry("engine.work", 5),
            entry("engine.writer", 5),
            entry("pattern", 5),
            entry("context", 6),
            entry("engine.dma", 6),
            entry("collective", 8),
            entry("message", 7),
            entry("multisend", 7),
            entry("saved", 7),
            entry("node", 8),
            entry("engine.program", 9),
            entry("simulator", 9));

    private static final Set<String> APPLICATION_SIDE = Set.of(
            "operation",
            "pattern",
            "context",
            "collective",
            "message",
            "multisend",
            "saved",
            "engine.dispatch",
            "engine.work",
            "engine.writer");
    private static final Set<String> ENGINE_SIDE = Set.of("engine.dma", "engine.landing", "link");

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
                    origin + " (level " + originLevel + ") uses " + target + " (level " + targetLevel + "): "
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

    /** Returns the package's name below the root; for a class elsewhere its whole package name, which has no level. */
    private String partOf(JavaClass type) {
        final String name = type.getBaseComponentType().getPackageName();
        return name.startsWith(prefix) ? name.substring(prefix.length()) : name;
    }
}
