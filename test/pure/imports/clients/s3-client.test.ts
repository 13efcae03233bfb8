import {
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from "@aws-sdk/client-s3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { S3_BUCKET, S3_KEY, S3_REGION, S3_SESSION_KEY, startS3StandIn } from "../../../support/imports/s3-stand-in.ts";
import type { AwsKey } from "../../../support/imports/aws-signatures.ts";
import type { StandIn } from "../../../support/imports/stand-in.ts";
import { standInVideo } from "../../../support/imports/stand-in-library.ts";
import { CLIP, CLIP_BYTES } from "../suite-kit.ts";

/** The vendor's own client reads the stand-in, so the stand-in speaks as the vendor does. */
let standIn: StandIn;
const clients: S3Client[] = [];
beforeEach(async () => {
  standIn = await startS3StandIn({ pageSize: 4 });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await standIn.close();
});

function clientOf(key: AwsKey, region = S3_REGION): S3Client {
  const client = new S3Client({
    endpoint: standIn.url,
    region,
    forcePathStyle: true,
    credentials: key,
    maxAttempts: 1,
  });
  clients.push(client);
  return client;
}

test.for([S3_KEY, S3_SESSION_KEY])("lists all pages with $accessKeyId", async (key) => {
  const ids = standIn.addMany(11, CLIP);
  const listed = [];
  let pages = 0;
  for await (const page of paginateListObjectsV2({ client: clientOf(key) }, { Bucket: S3_BUCKET })) {
    pages += 1;
    listed.push(...(page.Contents ?? []));
  }
  expect(pages).toBe(3);
  expect(listed.map(({ Key }) => Key)).toEqual(ids.toSorted());
  expect(listed[0]).toMatchObject({
    Size: CLIP_BYTES.length,
    StorageClass: "STANDARD",
    LastModified: expect.any(Date),
  });
});

test("gets an object, whole and in part", async () => {
  const [Key = ""] = standIn.addMany(1, CLIP);
  const client = clientOf(S3_KEY);
  const whole = await client.send(new GetObjectCommand({ Bucket: S3_BUCKET, Key }));
  expect(await whole.Body?.transformToByteArray()).toEqual(CLIP_BYTES);
  const part = await client.send(new GetObjectCommand({ Bucket: S3_BUCKET, Key, Range: "bytes=1000-1999" }));
  expect(part.ContentRange).toBe(`bytes 1000-1999/${CLIP_BYTES.length}`);
  expect(await part.Body?.transformToByteArray()).toEqual(CLIP_BYTES.subarray(1000, 2000));
});

test("reads headers, metadata, restored copies and tags", async () => {
  const own = {
    storageClass: "GLACIER",
    restoredUntil: "2036-11-22T00:00:00.000Z",
    userMetadata: { author: "Ada" },
    tags: { project: "a & b" },
  };
  standIn.add(standInVideo(1, "a (1).mp4", CLIP, { own }));
  const client = clientOf(S3_KEY);
  const head = await client.send(new HeadObjectCommand({ Bucket: S3_BUCKET, Key: "a (1).mp4" }));
  expect(head).toMatchObject({
    ContentLength: CLIP_BYTES.length,
    StorageClass: "GLACIER",
    Restore: expect.stringContaining('ongoing-request="false"'),
    Metadata: { author: "Ada" },
  });
  const tags = await client.send(new GetObjectTaggingCommand({ Bucket: S3_BUCKET, Key: "a (1).mp4" }));
  expect(tags.TagSet).toEqual([{ Key: "project", Value: "a & b" }]);
});

test("has the vendor's errors", async () => {
  standIn.addMany(1, CLIP);
  const get = (key: AwsKey, Key: string, region?: string) =>
    clientOf(key, region).send(new GetObjectCommand({ Bucket: S3_BUCKET, Key }));
  await expect(get(S3_KEY, "none.mp4")).rejects.toMatchObject({ name: "NoSuchKey" });
  const wrong = { accessKeyId: S3_KEY.accessKeyId, secretAccessKey: "wrong" };
  await expect(get(wrong, "none.mp4")).rejects.toMatchObject({ name: "SignatureDoesNotMatch" });
  await expect(get(S3_KEY, "none.mp4", "us-west-2")).rejects.toMatchObject({ name: "AuthorizationHeaderMalformed" });
  standIn.plant({ kind: "rateLimited", retryAfterSeconds: 5, on: /^GET / });
  await expect(get(S3_KEY, "none.mp4")).rejects.toMatchObject({ name: "SlowDown", $metadata: { httpStatusCode: 503 } });
});
