// What is measured: entries of the setting `wattle.configurations`, and the command line of each.

/** An entry of `wattle.configurations`. */
export interface Measurement {
  name: string;
  measures: "app" | "recording" | "demo";
  apk?: string;
  testApk?: string;
  tests?: string[];
  device?: string;
  simulate?: string;
  duration?: number;
  repeat?: number;
  files?: string[];
  app?: string;
  model?: string;
  deviceModel?: string;
  mapping?: string;
  arguments?: string[];
}

/** The arguments of the program; an error that says what is missing. */
export function argumentsOf(measurement: Measurement): string[] {
  const { measures } = measurement;
  const models = [...flag("--model", measurement.model), ...flag("--device-model", measurement.deviceModel)];
  const mapping = flag("--mapping", measurement.mapping);
  const further = measurement.arguments ?? [];
  switch (measures) {
    case "demo":
      return ["demo", "--no-open", "--keep", ...further];
    case "recording": {
      const files = measurement.files ?? [];
      if (files.length === 0) throw new Error(`“${measurement.name}” names no file: add "files" to the entry of wattle.configurations`);
      return ["report", ...files.map(operand), ...flag("--app", measurement.app), ...models, ...mapping, "--keep", ...further];
    }
    case "app": {
      if (!measurement.apk) throw new Error(`“${measurement.name}” names no APK: add "apk" to the entry of wattle.configurations`);
      return [
        "run", operand(measurement.apk),
        ...flag("--test-apk", measurement.testApk),
        ...(measurement.tests ?? []).flatMap((test) => flag("--test", test)),
        ...flag("--serial", measurement.device),
        ...(measurement.simulate ? [`--simulate=${measurement.simulate}`] : []),
        ...flag("--duration", measurement.duration),
        ...flag("--repeat", measurement.repeat),
        ...models, ...mapping, "--keep", ...further,
      ];
    }
    default:
      throw new Error(`“${String(measurement.name)}” measures ${String(measures)}: expected app, recording or demo`);
  }
}

function flag(name: string, value: string | number | undefined): string[] {
  // One word: a value that begins with a dash is no flag of its own.
  return value === undefined || value === "" ? [] : [`${name}=${value}`];
}

/** A file whose name begins with a dash is no flag. */
function operand(file: string): string {
  return file.startsWith("-") ? `./${file}` : file;
}

/** What a measurement is, for a list. */
export function describeMeasurement(measurement: Measurement): string {
  switch (measurement.measures) {
    case "demo":
      return "the demo's simulated phone";
    case "recording":
      return `recording: ${(measurement.files ?? []).join(", ")}`;
    default: {
      const tests = measurement.tests?.length ? `tests ${measurement.tests.join(", ")}` : measurement.testApk ? "all tests" : `${measurement.duration ?? 10} s after its start`;
      const device = measurement.simulate ? `simulated ${measurement.simulate}` : measurement.device ?? "the attached device";
      return `${measurement.apk ?? "no APK"} · ${tests} · ${device}`;
    }
  }
}

/** Where Gradle put a package: module and variant. */
export function packageOf(path: string): { module: string; variant: string; isTest: boolean } | undefined {
  const found = /^(?:(.+)\/)?build\/outputs\/apk\/(.+)\/[^/]+\.apk$/.exec(path.replaceAll("\\", "/"));
  if (!found) return undefined;
  const folders = found[2]!.split("/");
  const isTest = folders[0] === "androidTest";
  return { module: found[1] ?? ".", variant: (isTest ? folders.slice(1) : folders).join("/"), isTest };
}

/** The mapping that R8 wrote for a package. */
export function mappingOf(path: string): string | undefined {
  const found = packageOf(path);
  if (!found) return undefined;
  const variant = found.variant.split("/").map((part, at) => (at === 0 ? part : part[0]!.toUpperCase() + part.slice(1))).join("");
  return `${found.module === "." ? "" : `${found.module}/`}build/outputs/mapping/${variant}/mapping.txt`;
}
