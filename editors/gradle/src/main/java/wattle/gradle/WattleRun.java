package wattle.gradle;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.gradle.api.DefaultTask;
import org.gradle.api.GradleException;
import org.gradle.api.Project;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.TaskAction;

/** Hands the packages, the mapping and the commit to {@code wattle run}. It measures, so it is never up to date. */
public class WattleRun extends DefaultTask {
    private WattleExtension settings;

    @Internal
    public WattleExtension getSettings() {
        return settings;
    }

    public void setSettings(WattleExtension settings) {
        this.settings = settings;
    }

    @TaskAction
    public void measure() throws IOException, InterruptedException {
        List<String> command = command();
        getLogger().lifecycle("$ {}", String.join(" ", command));
        ProcessBuilder builder = new ProcessBuilder(command).directory(getProject().getProjectDir()).redirectErrorStream(true);
        Process process;
        try {
            process = builder.start();
        } catch (IOException error) {
            throw new GradleException(error.getMessage() + "; the program is what wattle { program = '/path/to/wattle' } names", error);
        }
        process.getOutputStream().close();
        int code;
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                getLogger().lifecycle("{}", line);
            }
            code = process.waitFor();
        } finally {
            // As the terminal's Ctrl+C: the program restores the device.
            process.destroy();
        }
        if (code != 0) {
            throw new GradleException("wattle run ended with exit code " + code + meaning(code));
        }
    }

    private List<String> command() {
        Project project = getProject();
        BuiltPackages built = new BuiltPackages(project.getBuildDir());
        String variant = settings.getVariant();
        List<String> command = new ArrayList<>(Arrays.asList(settings.getProgram(), "run"));
        command.add((settings.getApk() != null ? project.file(settings.getApk()) : built.apk(variant)).getPath());
        if (hasTests(project, settings)) {
            File tests = settings.getTestApk() != null ? project.file(settings.getTestApk()) : built.testApk(variant);
            command.add("--test-apk=" + tests);
            for (String test : list("wattle.tests", ";", settings.getTests())) {
                command.add("--test=" + test);
            }
        }
        File mapping = settings.getMapping() != null ? project.file(settings.getMapping()) : built.mapping(variant);
        if (mapping != null) {
            command.add("--mapping=" + mapping);
        }
        String device = property("wattle.device", settings.getDevice());
        if (device != null) {
            command.add("--serial=" + device);
        }
        String commit = property("wattle.commit", settings.getCommit());
        if (commit != null) {
            command.add("--commit=" + commit);
        }
        if (settings.isKeep()) {
            command.add("--keep");
        }
        command.addAll(settings.getArguments());
        command.addAll(list("wattle.arguments", " ", new ArrayList<>()));
        return command;
    }

    static boolean hasTests(Project project, WattleExtension settings) {
        if (settings.getWithTests() != null) {
            return settings.getWithTests();
        }
        return settings.getTestApk() != null || project.file("src/androidTest").isDirectory();
    }

    /** {@code -Pwattle.device=…} goes before the build script. */
    private String property(String name, String otherwise) {
        Object given = getProject().findProperty(name);
        return given != null ? given.toString() : otherwise;
    }

    private List<String> list(String name, String separator, List<String> otherwise) {
        String given = property(name, null);
        return given == null || given.isEmpty() ? otherwise : Arrays.asList(given.split(separator));
    }

    private static String meaning(int code) {
        switch (code) {
            case 1:
                return ": a test failed";
            case 2:
                return ": the command line or wattle.toml is wrong";
            case 3:
                return ": an input cannot be read";
            case 4:
                return ": the device or the environment failed";
            case 130:
                return ": interrupted, the device has been restored";
            default:
                return "";
        }
    }
}
