import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { PROVIDER_ERRORS } from "../../src/ai/providers/index.ts";
import { CAPTION_ERRORS } from "../../src/media/captions/cue.ts";
import { JOB_FAILURE_CODES } from "../../protocol/jobs.ts";
import * as assetErrorModule from "../../src/library/assets/asset-error.ts";
import { PROBLEMS } from "../../src/platform/http/problems.ts";
import { VARIABLE_NAMES } from "../../src/platform/variables.ts";
import { ITEM_ERRORS } from "../../src/imports/sources/source.ts";
import { SOURCE_ERRORS } from "../../src/library/sources/source-errors.ts";

const PAGES = [
  "README.md",
  "sdk/README.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];
const read = (path: string) => readFileSync(path, "utf8");
const withoutCode = (markdown: string) => markdown.replace(/^```.*?^```$/gms, "").replace(/`[^`\n]*`/g, "");

/** Every relative target of a link or an image. */
const relativeLinks = (markdown: string) =>
  [...withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((to) => !/^[a-z]+:/i.test(to));

/** The anchors that GitHub gives to the headings of a page. */
const anchors = (markdown: string) =>
  new Set(
    [...markdown.replace(/^```.*?^```$/gms, "").matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );

describe("README", () => {
  test("shows the two commands a newcomer needs, as they are", () => {
    const commands = [...read("README.md").matchAll(/^```sh\n(.*?)\n```$/gms)].map(([, code]) => code);
    expect(commands).toContain("npm ci && npm run demo");
    expect(commands).toContain("npm ci && npm test");
  });

  test("names no script that package.json does not have", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = [...read("README.md").matchAll(/npm run ([a-z:-]+)/g)].map(([, name]) => name!);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

test("the page of commands lists every script of package.json, and no other", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const named = [...read("docs/guides/commands.md").matchAll(/`npm (?:run )?([a-z:-]+)/g)].map(([, name]) => name!);
  const known = Object.keys(scripts).filter((name) => !name.startsWith("pre"));
  expect(new Set(named.filter((name) => name !== "ci"))).toEqual(new Set(known));
});

describe("files that pages name", () => {
  test.each(PAGES)("%s: every TypeScript file named by its path exists", (page) => {
    const named = read(page).matchAll(
      /(?<![\w./-])(?:src|durable-objects|encoder|protocol|sdk|scripts|test|bench)\/[\w./-]+\.ts\b/g,
    );
    expect([...named].map(([path]) => path).filter((path) => !existsSync(path))).toEqual([]);
  });
});

/** Files that commands make, or that their users have. */
const MADE: ReadonlySet<string> = new Set([
  "captions.json",
  "segments.json",
  "words.json",
  "secrets.json",
  "local.json",
]);

test("comments name no page that is not in the repository", () => {
  const sources = [
    "src",
    "durable-objects",
    "encoder",
    "protocol",
    "player",
    "sdk",
    "scripts",
    "conformance",
    "bench",
    "test",
  ];
  const named = sources.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.includes("node_modules"))
      .flatMap((name) => {
        const comments = read(join(folder, name)).matchAll(/^\s*(?:\/?\*|\/\/).*$/gm);
        return [...comments].flatMap(([line]) => line.match(/(?<![\w./:-])[\w-]+(?:\/[\w-]+)*\.(?:md|json)\b/g) ?? []);
      }),
  );
  const filesOf = (folder: string) => readdirSync(folder, { recursive: true, encoding: "utf8" });
  const isOwn = (path: string) => !path.includes("node_modules");
  const names = new Set(
    [...readdirSync("."), ...[...sources, "docs", "migrations"].flatMap(filesOf).filter(isOwn)].map((path) =>
      basename(path),
    ),
  );
  // A bare name may be that of a file that a command makes, or of a user's.
  const exists = (page: string) =>
    existsSync(page) || page.startsWith("dist/") || (!page.includes("/") && (names.has(page) || MADE.has(page)));
  expect([...new Set(named)].filter((page) => !exists(page))).toEqual([]);
});

describe("links between pages", () => {
  test.each(PAGES)("%s: every relative link leads to a file, and every anchor to a heading", (page) => {
    const broken = relativeLinks(read(page)).filter((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page : join(dirname(page), path);
      if (!existsSync(target)) return true;
      return anchor !== undefined && !anchors(read(target)).has(anchor);
    });
    expect(broken).toEqual([]);
  });
});

describe("docs/decisions/README.md", () => {
  const folder = "docs/decisions";
  const lines = new Map(
    [...read(`${folder}/README.md`).matchAll(/^- \[(.*?)\]\((.*?)\): (.*)$/gm)].map(([, title, file, gist]) => [
      file!,
      { title: title!, gist: gist! },
    ]),
  );
  const pages = readdirSync(folder).filter((name) => name !== "README.md");

  test("has a line for every decision, in their order, and no other", () => {
    expect([...lines.keys()]).toEqual(pages.toSorted());
  });

  test.each(pages)("names %s by its title, and the decision that superseded it", (page) => {
    const [heading = "", , top = ""] = read(join(folder, page)).split("\n");
    const { title, gist } = lines.get(page)!;
    expect(`# ${title}`).toBe(heading);
    const said = /Superseded by \[(\d{4})\]/.exec(top)?.[1];
    const listed = / Superseded by (\d{4})\.$/.exec(gist)?.[1];
    if (said !== undefined || pages.some((name) => name.startsWith(`${listed}-`))) expect(listed).toBe(said);
  });
});

test("docs/guides/settings.md has a row for each variable of the Worker", () => {
  const [, worker = ""] = read("docs/guides/settings.md").split(/^## /m);
  for (const name of VARIABLE_NAMES) expect(worker).toContain(`\`${name}\``);
});

describe("docs/guides/errors.md", () => {
  const rows = new Set([...read("docs/guides/errors.md").matchAll(/^\| `([a-z_]+)`/gm)].map(([, code]) => code!));
  const assetErrors = [
    ...Object.keys(SOURCE_ERRORS),
    ...Object.keys(CAPTION_ERRORS),
    ...Object.keys(PROVIDER_ERRORS),
    ...Object.keys(JOB_FAILURE_CODES),
    ...Object.keys(ITEM_ERRORS),
    ...Object.values(assetErrorModule).flatMap((value) => (typeof value === "object" ? [value.code] : [])),
  ];

  test("explains every code that an asset or an item of a migration can fail with", () => {
    expect(assetErrors.filter((code) => !rows.has(code))).toEqual([]);
  });

  test("explains every problem of the API, with its status and message", () => {
    const page = read("docs/guides/errors.md");
    const missing = Object.entries(PROBLEMS).filter(
      ([code, { status, message }]) =>
        !new RegExp(`^\\| \`${code}\` +\\| ${status} +\\| ${message} +\\|`, "m").test(page),
    );
    expect(missing).toEqual([]);
  });

  test("explains nothing that does not exist", () => {
    const known = new Set([...assetErrors, ...Object.keys(PROBLEMS)]);
    expect([...rows].filter((code) => !known.has(code))).toEqual([]);
  });
});
