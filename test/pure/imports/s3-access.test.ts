import { afterEach, describe, expect, test } from "vitest";
import { bucketAddress, s3AccountOf, s3BaseOf } from "../../../src/imports/sources/s3-addresses.ts";
import { S3Client, type S3Credentials } from "../../../src/imports/sources/s3-client.ts";
import { s3Failure } from "../../../src/imports/sources/s3-failures.ts";
import { s3Source } from "../../../src/imports/sources/s3.ts";
import { verifySignature } from "../../support/imports/aws-signatures.ts";
import { plainHttp } from "../../support/imports/plain-http.ts";
import {
  S3_BUCKET,
  S3_KEY,
  S3_REGION,
  S3_SESSION_KEY,
  startS3StandIn,
  type S3StandInOptions,
} from "../../support/imports/s3-stand-in.ts";
import type { StandIn } from "../../support/imports/stand-in.ts";
import { CLIP, failureOf, firstListed, resolved } from "./suite-kit.ts";

const optionsOf = (over: Record<string, unknown> = {}) =>
  s3Source.options.parse({ bucket: S3_BUCKET, region: S3_REGION, ...over });

let standIn: StandIn | undefined;
afterEach(async () => {
  await standIn?.close();
  standIn = undefined;
});

async function opened(given: {
  standIn?: S3StandInOptions;
  options?: object;
  credentials: S3Credentials | null;
  nowMs?: number;
}) {
  standIn = await startS3StandIn(given.standIn ?? {});
  standIn.addMany(1, CLIP);
  const nowMs = () => given.nowMs ?? Date.now();
  const options = optionsOf({ ...given.options });
  return s3Source.open({ options, credentials: given.credentials, nowMs }, plainHttp(standIn.url));
}

describe("ways in", () => {
  test("an open bucket needs no credentials, and its addresses no signature", async () => {
    const source = await opened({ standIn: { isOpen: true }, credentials: null });
    const video = await firstListed(source);
    expect(video.policy).toBe("public");
    const { resolution } = await resolved(source, video);
    expect(resolution).toMatchObject({ expiresAtMs: null, url: expect.not.stringContaining("?") });
    expect((await fetch(resolution.url)).status).toBe(200);
    expect((await source.check()).missing).toEqual([]);
  });

  test("a bucket that is not open says which permission is missing", async () => {
    const source = await opened({ credentials: null });
    expect((await source.check()).missing).toEqual([
      expect.objectContaining({ permission: "s3:ListBucket", isRequired: true }),
    ]);
    expect((await failureOf(source.listPage(null, {}))).message).toContain("s3:ListBucket");
  });

  test("temporary credentials, whose links are renewed after 15 minutes", async () => {
    const nowMs = Date.now();
    const source = await opened({ credentials: S3_SESSION_KEY, nowMs });
    const { resolution } = await resolved(source, await firstListed(source));
    expect((await fetch(resolution.url)).status).toBe(200);
    expect(resolution.expiresAtMs).toBe(nowMs + 15 * 60_000);
  });

  test("the requester pays only where the option says so", async () => {
    const refused = await opened({ standIn: { requesterPays: true }, credentials: S3_KEY });
    expect((await failureOf(refused.listPage(null, {}))).code).toBe("permission_missing");
    await standIn?.close();

    const source = await opened({
      standIn: { requesterPays: true },
      options: { requesterPays: true },
      credentials: S3_KEY,
    });
    const { resolution } = await resolved(source, await firstListed(source));
    expect((await fetch(resolution.url)).status).toBe(200);
  });

  test("a link holds for 24 hours", async () => {
    let serverMs = Date.parse("2026-11-20T12:00:00Z");
    const source = await opened({ standIn: { nowMs: () => serverMs }, credentials: S3_KEY, nowMs: serverMs });
    const { resolution } = await resolved(source, await firstListed(source));
    serverMs = resolution.expiresAtMs ?? 0;
    expect((await fetch(resolution.url)).status).toBe(200);
    serverMs += 1000;
    expect((await fetch(resolution.url)).status).toBe(403);
  });
});

describe("refusals", () => {
  test("another region is named", async () => {
    const source = await opened({ options: { region: "us-east-1" }, credentials: S3_KEY });
    const failure = await failureOf(source.check());
    expect(failure).toMatchObject({ code: "source_unavailable", message: expect.stringContaining(S3_REGION) });
    const alone = await failureOf(source.describe("season 1/x.mp4"));
    expect(alone.message).toContain(S3_REGION);
  });

  test("a clock that is wrong is not the owner's fault", async () => {
    const source = await opened({ credentials: S3_KEY, nowMs: Date.now() - 3_600_000 });
    expect(await failureOf(source.check())).toMatchObject({
      code: "internal",
      message: expect.stringContaining("clocks"),
    });
  });

  test("an unknown bucket", async () => {
    const source = await opened({ options: { bucket: "no-such-bucket" }, credentials: S3_KEY });
    expect(await failureOf(source.check())).toMatchObject({
      code: "source_unavailable",
      message: expect.stringContaining("no-such-bucket"),
    });
  });

  const errorOf = (status: number, code: string, detail = "") =>
    s3Failure(
      { status, headers: new Headers(), text: `<Error><Code>${code}</Code>${detail}</Error>` },
      "s3:GetObject",
      S3_BUCKET,
    );
  test("each error of S3 has its code", () => {
    expect(errorOf(503, "SlowDown")).toMatchObject({ code: "source_rate_limited", retryAfterMs: 5000 });
    expect(errorOf(400, "ExpiredToken").code).toBe("credentials_invalid");
    expect(errorOf(403, "InvalidAccessKeyId").code).toBe("credentials_invalid");
    expect(errorOf(403, "SignatureDoesNotMatch").code).toBe("credentials_invalid");
    expect(errorOf(403, "InvalidObjectState").code).toBe("archived");
    expect(errorOf(403, "AccessDenied")).toMatchObject({
      code: "permission_missing",
      message: expect.stringContaining("s3:GetObject"),
    });
    expect(
      errorOf(301, "PermanentRedirect", "<Endpoint>films.s3.eu-west-3.amazonaws.com</Endpoint>").message,
    ).toContain("another region");
    expect(errorOf(400, "AuthorizationHeaderMalformed", "<Region>eu-west-3</Region>").message).toContain('"eu-west-3"');
    expect(errorOf(418, "<b>").message).toBe("The store answered 418.");
  });

  test("SlowDown without a time is a matter of pace, and another 503 is an outage", async () => {
    const slow = "<Error><Code>SlowDown</Code></Error>";
    const { asksForPause } = await import("../../../src/imports/sources/pauses.ts");
    expect(asksForPause(503, new Headers(), slow)).toBe(true);
    expect(asksForPause(503, new Headers(), "<Error><Code>ServiceUnavailable</Code></Error>")).toBe(false);
  });
});

describe("addresses", () => {
  const listOf = (over: object) => {
    const options = optionsOf({ ...over });
    return bucketAddress(s3BaseOf(options), false, options).list;
  };
  test("of AWS have the bucket as host, unless its name has dots", () => {
    expect(listOf({})).toBe("https://films.s3.eu-central-1.amazonaws.com/");
    expect(listOf({ bucket: "my.films" })).toBe("https://s3.eu-central-1.amazonaws.com/my.films");
    expect(listOf({ pathStyle: true })).toBe("https://s3.eu-central-1.amazonaws.com/films");
    expect(listOf({ region: "cn-north-1" })).toBe("https://films.s3.cn-north-1.amazonaws.com.cn/");
  });

  test("of other stores have it in the path, unless the option says otherwise", () => {
    const endpoint = "https://0123.r2.cloudflarestorage.com/";
    expect(listOf({ endpoint, region: "auto" })).toBe("https://0123.r2.cloudflarestorage.com/films");
    expect(listOf({ endpoint: "https://s3.us-west-004.backblazeb2.com", pathStyle: false })).toBe(
      "https://films.s3.us-west-004.backblazeb2.com/",
    );
  });

  test("an endpoint is https and holds no secrets", () => {
    for (const endpoint of [
      "http://minio.test",
      "https://user:pass@minio.test",
      "https://minio.test/?x=1",
      "ftp://minio.test",
      "minio",
    ]) {
      expect(s3Source.options.safeParse({ bucket: S3_BUCKET, endpoint }).success).toBe(false);
    }
  });

  test("the account of a bucket is the same in whatever region it is looked for", () => {
    expect(s3AccountOf(optionsOf())).toBe("s3.amazonaws.com/films");
    expect(s3AccountOf(optionsOf({ region: "us-east-1", pathStyle: true }))).toBe("s3.amazonaws.com/films");
    expect(s3AccountOf(optionsOf({ endpoint: "https://minio.test:9000" }))).toBe("minio.test:9000/films");
  });
});

/** "Authenticating requests: using query parameters" of the Amazon S3 API reference has this example. */
test("a presigned URL has the signature of the vendor's own example, and the stand-in takes it", async () => {
  const key = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" };
  const signedMs = Date.parse("2013-05-24T00:00:00Z");
  const http = { ...plainHttp("https://s3.amazonaws.com"), isStandIn: false };
  const options = optionsOf({ bucket: "examplebucket", region: "us-east-1" });
  const url = new URL(await new S3Client(http, options, key, () => signedMs).presign("test.txt", 86_400_000));

  expect(url.host).toBe("examplebucket.s3.amazonaws.com");
  expect(url.searchParams.get("X-Amz-Signature")).toBe(
    "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
  const request = { method: "GET", path: url.pathname, query: url.searchParams, headers: { host: url.host }, body: "" };
  expect(verifySignature(request, [key], "us-east-1", signedMs)).toEqual({ key });
  const other = { ...request, path: "/other.txt" };
  expect(verifySignature(other, [key], "us-east-1", signedMs)).toEqual({ refused: "SignatureDoesNotMatch" });
});
