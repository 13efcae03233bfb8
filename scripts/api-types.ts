/**
 * `npm run api:types`: generates `sdk/api/api-types.ts` from the OpenAPI document. A test fails when it is stale. The generator is
 * fetched from the npm registry for this run, because it needs an older TypeScript than this repository has.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readDocument } from "./api-types/read-document.ts";
import { typedStructure } from "./api-types/structure.ts";

const TYPES = "sdk/api/api-types.ts";
const GENERATOR = ["openapi-typescript@7.13.0", "typescript@5.9.3"];

const folder = mkdtempSync(join(tmpdir(), "sluice-api-types-"));
try {
  const { json, digest } = await typedStructure(await readDocument(folder));
  const [input, output] = [join(folder, "openapi.json"), join(folder, "types.d.ts")];
  writeFileSync(input, json);
  const packages = GENERATOR.flatMap((one) => ["--package", one]);
  // A field with a default may be left out of a request.
  const options = ["--default-non-nullable", "false", "--output", output];
  execFileSync("npx", ["--yes", ...packages, "openapi-typescript", input, ...options], { stdio: "inherit" });
  writeFileSync(TYPES, `// Written by \`npm run api:types\` from ${digest}\n${readFileSync(output, "utf8")}`);
  execFileSync("oxfmt", [TYPES], { stdio: "inherit" });
} finally {
  rmSync(folder, { recursive: true });
}
