package wattle.gradle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.Task;

/** Adds the block {@code wattle} and the task {@code wattleRun}. */
public class WattlePlugin implements Plugin<Project> {
    @Override
    public void apply(Project project) {
        WattleExtension settings = project.getExtensions().create("wattle", WattleExtension.class);
        WattleRun run = project.getTasks().create("wattleRun", WattleRun.class);
        run.setGroup("verification");
        run.setDescription("Measures the energy of the app on a device: wattle run.");
        run.setSettings(settings);
        // What builds the packages is known only when all plugins have said what they do.
        Callable<List<Task>> builders = () -> builders(project, settings);
        run.dependsOn(builders);
    }

    private static List<Task> builders(Project project, WattleExtension settings) {
        String variant = BuiltPackages.capitalized(settings.getVariant());
        List<Task> found = new ArrayList<>();
        if (settings.getApk() == null) {
            found.add(project.getTasks().findByName("assemble" + variant));
        }
        if (settings.getTestApk() == null && WattleRun.hasTests(project, settings)) {
            found.add(project.getTasks().findByName("assemble" + variant + "AndroidTest"));
        }
        found.removeAll(Arrays.asList((Task) null));
        return found;
    }
}
