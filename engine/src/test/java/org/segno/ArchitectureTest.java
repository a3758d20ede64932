package org.segno;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Check of the engine against the design's levels. A small wrong engine shows that each rule can fail. */
class ArchitectureTest {
    private static final String ROOT = "org.segno";
    private static final String WRONG_ROOT = "org.segno.wrong";

    private static final JavaClasses ENGINE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);
    private static final JavaClasses WRONG_ENGINE = new ClassFileImporter().importPackages(WRONG_ROOT);

    private static final PackageLevels LEVELS = new PackageLevels(ROOT);
    private static final PackageLevels WRONG_LEVELS = new PackageLevels(WRONG_ROOT);

    @Test
    void shouldGiveEveryPackageALevel() {
        LEVELS.everyPackageHasALevel().check(ENGINE);

        assertThat(failuresOf(WRONG_LEVELS.everyPackageHasALevel())).contains("org.segno.wrong.util.Unplaced");
    }

    @Test
    void shouldDependOnlyOnLowerLevels() {
        LEVELS.knowOnlyLowerLevels().check(ENGINE);

        assertThat(failuresOf(WRONG_LEVELS.knowOnlyLowerLevels()))
                .contains("engine.memory (level 1) uses engine.fifo (level 3)")
                .contains("context (level 6) uses engine.dma (level 6)")
                .doesNotContain("engine.fifo (level 3) uses");
    }

    @Test
    void shouldKeepApplicationSideAndEngineSideApart() {
        LEVELS.sidesNeverNameEachOther().check(ENGINE);

        assertThat(failuresOf(WRONG_LEVELS.sidesNeverNameEachOther()))
                .contains("context names engine.dma")
                .contains("engine.dma names pattern");
    }

    @Test
    void shouldDependOnAgronaAndTheJdkAlone() {
        dependOn("org.segno..").check(ENGINE);

        assertThat(failuresOf(dependOn("org.segno.wrong..")))
                .contains("org.assertj")
                .doesNotContain("UnsafeBuffer", "long[]");
    }

    @Test
    void shouldMarkEveryPackageForNullness() {
        assertThat(packages()).allMatch(name -> ENGINE.getPackage(name).isAnnotatedWith(NullMarked.class));
    }

    @Test
    void shouldNameOnlyDoorsInDemosExamplesAndBenchmarks() throws IOException {
        assertThat(Doors.violations(Path.of(".."))).isEmpty();
    }

    @Test
    void shouldListNoExceptionThatNamesOnlyDoors() throws IOException {
        assertThat(Doors.unneededExceptions(Path.of(".."))).isEmpty();
    }

    private static ArchRule dependOn(String own) {
        return classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(own, "org.agrona..", "org.jspecify..", "java..", "javax..", "jdk..");
    }

    private static Set<String> packages() {
        return ENGINE.stream().map(JavaClass::getPackageName).collect(toCollection(TreeSet::new));
    }

    private static String failuresOf(ArchRule rule) {
        return rule.evaluate(WRONG_ENGINE).getFailureReport().toString();
    }
}
