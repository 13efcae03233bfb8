import { expect, test } from "vitest";
import { isOwnOrigin } from "../../../src/mcp/origin.ts";

test.each([
  [null, "http://10.0.0.1/mcp", "", true],
  ["https://video.example.com", "https://video.example.com/mcp", "", true],
  ["http://127.0.0.1:8787", "http://127.0.0.1:8787/mcp", "", true],
  ["http://localhost:8787", "http://localhost:8787/mcp", "http://127.0.0.1:8787", true],
  ["https://video.example.com", "https://api.video.example.com/mcp", "https://video.example.com", true],
  ["http://rebound.example:8787", "http://rebound.example:8787/mcp", "", false],
  ["http://rebound.example:8787", "http://rebound.example:8787/mcp", "http://127.0.0.1:8787", false],
  ["http://localhost:3000", "http://localhost:8787/mcp", "http://127.0.0.1:8787", false],
  ["https://video.example.com.attacker.example", "https://video.example.com/mcp", "https://video.example.com", false],
  ["null", "https://video.example.com/mcp", "", false],
  ["", "https://video.example.com/mcp", "", false],
])("the origin %s at %s, with the public URL %j: %s", (origin, url, publicUrl, isOwn) => {
  expect(isOwnOrigin(origin, url, publicUrl)).toBe(isOwn);
});
