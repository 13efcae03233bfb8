/** What `sluice import` is given, and where it takes credentials from. */
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { credentialName } from "../../../sdk/cli/imports/start/choose-credential.ts";
import { credentialFieldsOf } from "../../../sdk/cli/imports/start/credential-fields.ts";
import { requireUsable, showCheck } from "../../../sdk/cli/imports/start/credential-check.ts";
import { credentialOrigin } from "../../../sdk/cli/imports/start/credential-origin.ts";
import { listFormatOf, rowErrors, wrongFile } from "../../../sdk/cli/imports/start/list-source.ts";
import { OPTIONS } from "../../../sdk/cli/imports/start/options.ts";
import { givenSelection } from "../../../sdk/cli/imports/start/selection.ts";
import { givenSettings } from "../../../sdk/cli/imports/start/settings.ts";
import { isEndpoint, requireOwnOptions, sourceOptions } from "../../../sdk/cli/imports/start/source-options.ts";
import { SOURCE_FORMS, SOURCE_KINDS } from "../../../sdk/cli/imports/sources.ts";
import { importLibrary } from "../../../sdk/cli/imports/commands/import.ts";
import { parseOptions } from "../../../sdk/cli/terminal/command-line.ts";
import { Screen } from "../../../sdk/cli/terminal/screen.ts";
import { CommandError } from "../../../sdk/cli/terminal/usage-error.ts";
import { SOURCES } from "../../../src/imports/sources/index.ts";

const NOW = new Date("2026-11-20T12:00:00Z");
const given = (...args: string[]) => parseOptions(args, OPTIONS).values;

describe("the selection", () => {
  test("nothing is given: null, so that it is asked for", () => expect(givenSelection(given(), NOW)).toBeNull());

  test("ids, times and a limit go together, and ages count from now", () => {
    const values = given(
      "--id",
      "a",
      "--id",
      "b c",
      "--created-after",
      "2d",
      "--created-before",
      "2026-11-19",
      "--limit",
      "7",
    );
    expect(givenSelection(values, NOW)).toEqual({
      ids: ["a", "b c"],
      createdAfter: "2026-11-18T12:00:00.000Z",
      createdBefore: "2026-11-19T00:00:00.000Z",
      limit: 7,
    });
  });

  test("a time that is none is refused by its option", () => {
    expect(() => givenSelection(given("--created-before", "noon"), NOW)).toThrow('--created-before is "noon"');
    expect(() => given("--limit", "0")).toThrow("--limit");
  });

  test("more ids than a batch takes are refused before anything is sent", () => {
    const ids = Array.from({ length: 1001 }, (_, n) => ["--id", `v${n}`]).flat();
    expect(() => givenSelection(given(...ids), NOW)).toThrow("at most 1000");
  });
});

describe("the settings", () => {
  test("only what is given is sent: the platform has the defaults", () => {
    expect(givenSettings(given())).toBeNull();
    expect(givenSettings(given("--no-captions", "--max-resolution", "720p", "--quality", "pro"))).toEqual({
      captions: false,
      maxResolution: "720p",
      mediaQuality: "pro",
    });
  });

  test("a metadata map keeps what follows the first equals sign", () => {
    const settings = givenSettings(given("--metadata", "external_id=sku", "--metadata", "a=b=c"));
    expect(settings).toEqual({ metadata: { external_id: "sku", a: "b=c" } });
    expect(givenSettings(given("--no-metadata"))).toEqual({ metadata: {} });
  });

  test.each([
    [["--metadata", "sku"], "must be FROM=TO"],
    [["--metadata", "=sku"], "must be FROM=TO"],
    [["--metadata", "a=b", "--no-metadata"], "exclude each other"],
  ])("%j is refused", (args, message) => {
    expect(() => givenSettings(given(...args))).toThrow(message);
  });
});

describe("credentials", () => {
  const MUX = { MUX_TOKEN_ID: "id", MUX_TOKEN_SECRET: "secret" };
  const origin = (args: string[], kind: (typeof SOURCE_KINDS)[number], env = {}, canAsk = false) =>
    credentialOrigin(given(...args), kind, { env, canAsk });

  test("what is given has precedence over the environment, and both over a question", () => {
    expect(origin(["--credential", "c1"], "mux", MUX)).toEqual({ from: "platform", credentialId: "c1" });
    expect(origin(["--credentials-file", "f"], "mux", MUX)).toEqual({ from: "file", path: "f" });
    expect(origin([], "mux", MUX, true)).toMatchObject({
      from: "environment",
      credentials: { tokenId: "id", tokenSecret: "secret" },
    });
    expect(origin([], "mux", {}, true)).toEqual({ from: "question" });
  });

  test("half an environment is none", () => {
    expect(origin([], "mux", { MUX_TOKEN_ID: "id", MUX_TOKEN_SECRET: "" }, true)).toEqual({ from: "question" });
  });

  test("an optional variable is taken along when it is set", () => {
    const env = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b", AWS_SESSION_TOKEN: "c" };
    expect(origin([], "s3", env)).toMatchObject({
      credentials: { accessKeyId: "a", secretAccessKey: "b", sessionToken: "c" },
    });
  });

  test("without a terminal the refusal names every way to give them", () => {
    expect(() => origin([], "cloudflare_stream")).toThrow(
      /CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN.*--credential ID.*--credentials-file/,
    );
    expect(() => origin([], "s3")).toThrow("--no-credentials");
  });

  test("only a source that is open to all is read without them", () => {
    expect(origin(["--no-credentials"], "s3")).toEqual({ from: "nowhere" });
    expect(origin([], "list")).toEqual({ from: "nowhere" });
    expect(() => origin(["--no-credentials"], "mux")).toThrow("cannot be read without credentials");
    expect(() => origin(["--credential", "c1"], "list")).toThrow("A list has no credentials");
    expect(() => origin(["--credential", "c1", "--no-credentials"], "s3")).toThrow("exclude each other");
  });

  test("each source is asked for the fields that the API takes", () => {
    for (const kind of SOURCE_KINDS) {
      const { credentials, isOpenToAll } = SOURCES[kind];
      const { fields } = SOURCE_FORMS[kind];
      const values = (all: boolean) =>
        Object.fromEntries(
          fields.filter(({ isOptional }) => all || !isOptional).map(({ name }) => [name, "0".repeat(32)]),
        );
      expect([kind, credentials === null, isOpenToAll]).toEqual([
        kind,
        fields.length === 0,
        SOURCE_FORMS[kind].isOpenToAll,
      ]);
      if (credentials === null) continue;
      for (const all of [true, false])
        expect([kind, credentials.safeParse(values(all)).error]).toEqual([kind, undefined]);
    }
  });

  test("a file with a field too many or too few is refused, without its values", () => {
    const { fields } = SOURCE_FORMS.mux;
    const read = (content: object) => credentialFieldsOf("f.json", JSON.stringify(content), fields);
    expect(read({ tokenId: "a", tokenSecret: "b" })).toEqual({ tokenId: "a", tokenSecret: "b" });
    expect(() => read({ tokenId: "hidden" })).toThrow(/^f\.json is broken: it has no text for tokenSecret\.$/);
    expect(() => read({ tokenId: "a", tokenSecret: "hidden", token: "hidden" })).toThrow(
      /^[^]*"token" besides tokenId, tokenSecret\.$/,
    );
    expect(() => credentialFieldsOf("f.json", "hidden", fields)).toThrow(/^f\.json is broken: it is not JSON\.$/);
  });

  test("a required permission that is missing has no tick, and is said by the refusal alone", () => {
    const lastCheck = (isRequired: boolean) => ({
      ok: !isRequired,
      problem: null,
      missing: [{ permission: "Mux Video Read", message: "Nothing can be listed.", isRequired }],
    });
    const shown = (isRequired: boolean) => {
      let text = "";
      const out = { write: (piece: string) => (text += piece) } as unknown as NodeJS.WriteStream;
      const stored = { credentialId: "c", source: "mux", fields: [], keep: false, createdAt: "" } as const;
      showCheck({ ...stored, fields: [], accountName: "Films", lastCheck: lastCheck(isRequired) }, new Screen(out));
      return stripVTControlCharacters(text);
    };
    expect(shown(true)).toBe("  ! Credentials incomplete: Films\n");
    expect(shown(false)).toMatch(/✓ Credentials +accepted +Films\n {2}! Mux Video Read is missing\. Nothing/);
  });

  test("a missing permission stops only if it is required", () => {
    const check = (isRequired: boolean) => ({
      lastCheck: {
        ok: false,
        problem: null,
        missing: [{ permission: "Mux Video Read", message: "Nothing can be listed.", isRequired }],
      },
    });
    expect(() => requireUsable(check(false))).not.toThrow();
    expect(() => requireUsable(check(true))).toThrow("Mux Video Read (Nothing can be listed.)");
  });
});

test("stored credentials are shown with their name and their account", () => {
  const accountName = "Films & Sons";
  const names = [{ name: "Old films", accountName, ending: "9f3c" }, { accountName }, { name: "Old films" }, {}];
  expect(names.map(credentialName)).toEqual([
    "Old films, Films & Sons, ending in 9f3c",
    "Films & Sons",
    "Old films",
    "unnamed",
  ]);
});

describe("the source", () => {
  test("an endpoint is an https address, as the platform takes it", () => {
    const asPlatform = (endpoint: string) => SOURCES.s3.options.safeParse({ bucket: "films", endpoint }).success;
    const texts = [
      "https://s3.example.com",
      "https://s3.example.com/base/",
      "http://s3.example.com",
      "s3.example.com",
      "https://a:b@s3.example.com",
      "https://s3.example.com?x=1",
      "nonsense",
    ];
    expect(texts.map(isEndpoint)).toEqual([true, true, false, false, false, false, false]);
    expect(texts.map(isEndpoint)).toEqual(texts.map(asPlatform));
  });

  test("an endpoint that is none is refused before anything is sent", async () => {
    const refused = sourceOptions("s3", given("--bucket", "films", "--endpoint", "nonsense"), false);
    await expect(refused).rejects.toThrow('--endpoint is "nonsense"; it must be an https address');
  });

  test("a file that cannot be a list is told at the question", () => {
    expect(wrongFile("/no/such.csv", undefined)).toBe("There is no file /no/such.csv.");
    expect(wrongFile("test", "csv")).toBe("test is no file.");
    expect(wrongFile("vitest.config.ts", undefined)).toContain("--format");
    expect(wrongFile("vitest.config.ts", "csv")).toBeNull();
  });

  test("an option of another source is refused", () => {
    expect(() => requireOwnOptions(given("--bucket", "films"), "mux")).toThrow("--bucket belongs to --source s3");
    expect(() => requireOwnOptions(given("--file", "a.csv"), "s3")).toThrow("--file belongs to --source list");
    expect(() => requireOwnOptions(given("--bucket", "films", "--path-style"), "s3")).not.toThrow();
  });

  test("the format of a list is that of the option, else of its name", () => {
    expect(listFormatOf("a.TSV", undefined)).toBe("csv");
    expect(listFormatOf("a.jsonl", undefined)).toBe("ndjson");
    expect(listFormatOf("a.txt", "json")).toBe("json");
    expect(() => listFormatOf("a.txt", undefined)).toThrow("--format");
  });

  test("of rows that cannot be used the first ones are shown, and how many more there are", () => {
    const errors = Array.from({ length: 100 }, (_, n) => ({ row: n + 1, message: "url: is \u001B[2Jmissing" }));
    const lines = rowErrors({ errors, errorsTotal: 1200 });
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([6, "row 1: url: is �[2Jmissing", "and 1,195 more rows"]);
  });
});

test("no option takes a secret, which other users of the machine could see", () => {
  const secrets = /secret|token|key|password/i;
  const names = Object.entries(OPTIONS).filter(([name, { value }]) => value !== null && secrets.test(name));
  expect(names.map(([name]) => name)).toEqual(["status-secret-file"]);
});

test("the help says what each exit status means, and names every command of a batch", () => {
  expect(importLibrary.help).toMatch(/Exit status: 0, 1 after a failure or for a wrong usage, 2 when items/);
  for (const name of [
    "attach",
    "list",
    "report",
    "start",
    "pause",
    "resume",
    "cancel",
    "retry",
    "map",
    "credentials delete",
  ])
    expect(importLibrary.help).toContain(`sluice import ${name} `);
});

test("a misspelt command of a batch is named, with the status of a usage error", async () => {
  const failed = importLibrary.run(["atach", "x"]);
  await expect(failed).rejects.toThrow('There is no command "import atach". Did you mean "import attach"?');
  await expect(failed).rejects.toBeInstanceOf(CommandError);
});

test.for<[string, string]>([
  ["--sorce", "There is no option --sorce; did you mean --source? (--help lists all)."],
  ["--zzz", "There is no option --zzz (--help lists all)."],
])("%s is refused without all the options", async ([option, message]) => {
  await expect(importLibrary.run([option])).rejects.toThrow(new CommandError(message));
});
