import { expect, test } from "vitest";
import { idViolations } from "../../contract/ids.ts";

const streamId = "61a264dcc447b63da6fb79ef925cd76d";
const secret = `${"0a".repeat(16)}k${streamId}`;
const uploadId = "4f649eaa-7940-4b89-9c64-81be638246ab";
const stream = { streamId, streamKey: secret, srtSecret: secret, srtPlaybackResponse: null, mediaIds: [uploadId] };

test.each<[string, unknown]>([
  ["a stream", stream],
  ["a simulcast target, whose key is the other platform's", { simulcastId: streamId, streamKey: "theirs" }],
  ["an upload in a list", { data: [{ uploadId, mediaId: uploadId }] }],
])("the ids of %s have the forms of the contract", (_, value) => {
  expect(idViolations(value)).toEqual([]);
});

test.each<[string, object]>([
  ["uploadId", { uploadId: streamId }],
  ["playbackId", { playbackId: uploadId.toUpperCase() }],
  ["streamId", { streamId: uploadId }],
  ["simulcastId", { simulcastId: streamId.toUpperCase() }],
  ["streamKey", { ...stream, streamKey: `${"0a".repeat(16)}k${"0".repeat(32)}` }],
  ["srtSecret", { ...stream, srtSecret: secret.slice(1) }],
  ["srtPlaybackStreamId", { ...stream, srtPlaybackStreamId: streamId }],
])("a wrong %s is found", (name, value) => {
  const found = idViolations({ data: [value] });
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(`answer.data[0].${name}: `);
});
