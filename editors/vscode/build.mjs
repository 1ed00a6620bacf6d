// Builds the extension: node build.mjs [package | test]
//
// `package` writes wattle-VERSION.vsix: a ZIP archive, made here so that no packaging tool is needed. `test` runs the tests.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as zlib from "node:zlib";

const folder = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const esbuild = require("esbuild");
const what = process.argv[2] ?? "build";
const common = { bundle: true, platform: "node", target: "node20", format: "cjs", logLevel: "warning", absWorkingDir: folder };

function check() {
  const compiler = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");
  const { status } = spawnSync(process.execPath, [compiler, "--noEmit", "-p", folder], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

function bundle() {
  esbuild.buildSync({ ...common, entryPoints: ["src/extension.ts"], outfile: "dist/extension.js", external: ["vscode"], minify: true, keepNames: false, legalComments: "none" });
}

function test() {
  rmSync(join(folder, "out"), { recursive: true, force: true });
  const entries = readdirSync(join(folder, "test")).filter((name) => name.endsWith(".test.ts"));
  esbuild.buildSync({ ...common, entryPoints: entries.map((name) => `test/${name}`), outdir: "out", external: ["vscode"] });
  const files = entries.map((name) => join(folder, "out", name.replace(/\.ts$/, ".js")));
  const { status } = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit", cwd: folder });
  process.exit(status ?? 1);
}

function pack() {
  const facts = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { scripts: _scripts, devDependencies: _tools, dependencies: _bundled, private: _private, ...manifest } = facts;
  const file = join(folder, `${facts.name}-${facts.version}.vsix`);
  const entries = [
    ["extension.vsixmanifest", vsixManifest(facts)],
    ["[Content_Types].xml", CONTENT_TYPES],
    ["extension/package.json", JSON.stringify(manifest, null, 1)],
    ["extension/readme.md", readFileSync(join(folder, "README.md"))],
    ["extension/LICENSE.txt", readFileSync(join(folder, "LICENSE.txt"))],
    ["extension/dist/extension.js", readFileSync(join(folder, "dist/extension.js"))],
    ["extension/dist/third-party.txt", thirdParty()],
    ...["wattle.svg", "wattle.png"].map((name) => [`extension/media/${name}`, readFileSync(join(folder, "media", name))]),
  ];
  writeFileSync(file, zip(entries));
  console.log(file);
}

/** Licences of the packages that are in the bundle. */
function thirdParty() {
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  const bundled = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && !dev);
  return bundled
    .map(([path, { version, license }]) => {
      const name = path.replace(/^.*node_modules\//, "");
      const place = join(folder, path);
      const text = readdirSync(place).find((file) => /^licen[cs]e/i.test(file));
      return `${name} ${version} (${license})\n\n${text ? readFileSync(join(place, text), "utf8") : ""}`;
    })
    .join("\n----\n\n");
}

const escaped = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

function vsixManifest({ name, publisher, version, displayName, description, categories, keywords, engines, extensionKind }) {
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}"/>
    <DisplayName>${escaped(displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(description)}</Description>
    <Tags>${escaped(keywords.join(","))}</Tags>
    <Categories>${escaped(categories.join(","))}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${engines.vscode}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="${extensionKind.join(",")}"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
    <Icon>extension/media/wattle.png</Icon>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/readme.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Icons.Default" Path="extension/media/wattle.png" Addressable="true"/>
  </Assets>
</PackageManifest>
`;
}

const CONTENT_TYPES = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${[".json", ".vsixmanifest", ".js", ".md", ".txt", ".svg", ".png"]
  .map((extension) => `<Default Extension="${extension}" ContentType="${{ ".json": "application/json", ".vsixmanifest": "text/xml", ".js": "application/javascript", ".md": "text/markdown", ".svg": "image/svg+xml", ".png": "image/png" }[extension] ?? "text/plain"}"/>`)
  .join("")}</Types>
`;

/** A ZIP archive of deflated entries; the same bytes for the same entries. */
function zip(entries) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, content] of entries) {
    const bytes = Buffer.from(content);
    const packed = zlib.deflateRawSync(bytes, { level: 9 });
    const path = Buffer.from(name);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(0x0800, 2);
    facts.writeUInt16LE(8, 4);
    // 1 January 1980.
    facts.writeUInt16LE(0, 6);
    facts.writeUInt16LE(33, 8);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(bytes.length, 18);
    facts.writeUInt16LE(path.length, 22);
    parts.push(Buffer.from("PK\x03\x04"), facts, path, packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02"), Buffer.from([20, 0]), facts, place, path);
    offset += 4 + facts.length + path.length + packed.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, ...directory, Buffer.from("PK\x05\x06"), end]);
}

/** CRC-32, which Node has since version 20.15. */
function crc32(bytes) {
  if (zlib.crc32) return zlib.crc32(bytes);
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ -1) >>> 0;
}

mkdirSync(join(folder, "dist"), { recursive: true });
if (what === "test") test();
check();
bundle();
if (what === "package") pack();
