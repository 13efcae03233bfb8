import { muxSource } from "../../../src/imports/sources/mux.ts";
import { MUX_READ_TOKEN, MUX_TOKEN, startMuxStandIn } from "../../support/imports/mux-stand-in.ts";
import { describeSource } from "./suite.ts";

describeSource("Mux", {
  definition: muxSource,
  options: {},
  makeStandIn: startMuxStandIn,
  good: MUX_TOKEN,
  wrong: { tokenId: MUX_TOKEN.tokenId, tokenSecret: "wrong-secret-0123456789" },
  half: { credentials: MUX_READ_TOKEN, permission: /^Mux Video Write$/, isRequired: false },
  secrets: [
    MUX_TOKEN.tokenSecret,
    MUX_READ_TOKEN.tokenSecret,
    "wrong-secret-0123456789",
    btoa(`${MUX_TOKEN.tokenId}:${MUX_TOKEN.tokenSecret}`),
  ],
  listCall: /^GET \/video\/v1\/assets$/,
  resolveCall: /^PUT \/video\/v1\/assets\/[^/]+\/master-access$/,
  necessaryField: "created_at",
  keeps: ["title", "createdAt", "durationMs", "dimensions", "creatorId"],
  policies: ["public", "private", "drm"],
  waits: true,
  hasCaptions: true,
});
