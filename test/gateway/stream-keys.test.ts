/** Tests where listeners find the stream key in what encoders send. */
import { describe, expect, test } from "vitest";
import { streamKeyIn } from "../../encoder/gateway/reception/stream-key.ts";
import { streamKeyOf } from "../../encoder/gateway/srt/handshake.ts";

const KEY = "0123k4567";

test.each([KEY, ` ${KEY}\n`, `/${KEY}/`, `live/${KEY}`, `/live//${KEY}/?a=b#c`, `${KEY}#c?d`, `${KEY}?`])(
  "%j holds the key",
  (text) => {
    expect(streamKeyIn(text)).toBe(KEY);
  },
);

test.each(["", "/", "live", "live/", "?key", "#key", " "])("%j holds none", (text) => {
  expect(streamKeyIn(text)).toBe("");
});

test("a long text takes linear time", () => {
  const cost = (length: number) => {
    const costs = [];
    for (let round = 0; round < 5; round++) {
      const before = process.cpuUsage();
      for (const text of ["/".repeat(length), `x${"/".repeat(length)}y`, " ".repeat(length)]) streamKeyIn(text);
      const { user, system } = process.cpuUsage(before);
      costs.push(user + system);
    }
    return Math.min(...costs);
  };
  cost(20_000); // the code is compiled
  expect(cost(160_000)).toBeLessThan(16 * cost(20_000) + 4000);
});

describe("the stream ID of SRT", () => {
  test.each([
    [KEY],
    [`${KEY}?x=1`],
    [`${KEY}#x`],
    [`live/${KEY}`],
    [`#!::r=${KEY}`],
    [`#!::r=${KEY},m=publish`],
    [`#!::m=publish,r=${KEY}`],
    [`#!::r=live/${KEY},m=publish`],
    [`#!::r=${KEY}?x=1,m=publish?y`],
    [`#!::u=${KEY}`],
    [`%23!::r=${KEY},m=publish`],
    [encodeURIComponent(`#!::bmd_name=Café,u=${KEY}`)],
    [`#!::bmd_uuid=2a1c-77,bmd_name=Studio #1, left,u=${KEY}`],
    [`#!::u=${KEY},bmd_uuid=2a1c-77`],
    [`#!::u=admin,r=${KEY}`],
    [`#!::r=${KEY},u=admin`],
    [`#!::r=,u=${KEY}`],
    [`#!::r=live,u=${KEY},m=publish`],
    [`#!::h=host, r=${KEY}, s=7, t=stream`],
  ])("%s holds the key", (streamId) => {
    expect(streamKeyOf(streamId)).toEqual({ key: KEY });
  });

  test.each([
    "",
    "?x",
    "#!::",
    "#!::m=publish",
    "#!::r=,u=",
    "#!::=x",
    "#!:{r=x}",
    "%23!::m=publish",
    "#!::bmd_uuid=1,bmd_name=x",
  ])("%j holds none", (streamId) => {
    expect(streamKeyOf(streamId)).toBe("no_key");
  });

  test("that is escaped wrongly is taken as a key, which no stream has", () => {
    expect(streamKeyOf("%23!::r=%E0%A4%A")).toEqual({ key: "%23!::r=%E0%A4%A" });
  });

  test.each(["request", "bidirectional", ""])("mode %j is not publish", (mode) => {
    expect(streamKeyOf(`#!::r=${KEY},m=${mode}`)).toBe("bad_mode");
  });
});
