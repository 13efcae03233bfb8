import { s3Source } from "../../../src/imports/sources/s3.ts";
import { S3_BUCKET, S3_KEY, S3_LIST_KEY, S3_REGION, startS3StandIn } from "../../support/imports/s3-stand-in.ts";
import { describeSource } from "./suite.ts";

const WRONG_SECRET = "wr0ng/secret/0123456789abcdef0123456789";

describeSource("S3", {
  definition: s3Source,
  options: s3Source.options.parse({ bucket: S3_BUCKET, region: S3_REGION }),
  makeStandIn: startS3StandIn,
  good: S3_KEY,
  wrong: { accessKeyId: S3_KEY.accessKeyId, secretAccessKey: WRONG_SECRET },
  half: { credentials: S3_LIST_KEY, permission: /^s3:GetObject$/, isRequired: true },
  secrets: [S3_KEY.secretAccessKey, S3_LIST_KEY.secretAccessKey, WRONG_SECRET],
  listCall: /^GET \/films$/,
  resolveCall: /^HEAD \/films\/./,
  necessaryField: null,
  keeps: ["createdAt"],
  policies: ["private"],
  waits: false,
  hasCaptions: false,
});
