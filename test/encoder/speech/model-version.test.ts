import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { modelVersion } from "../../../encoder/speech/model-version.ts";

test("a version is that of the engine, and the first digits of the sum of the model's file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-model-"));
  try {
    const path = join(folder, "ggml-tiny.bin");
    await writeFile(path, "abc"); // FIPS 180-2, appendix B.1
    expect(await modelVersion("0.0.4", path)).toBe("0.0.4+ba7816bf8f01");
  } finally {
    await rm(folder, { recursive: true });
  }
});
