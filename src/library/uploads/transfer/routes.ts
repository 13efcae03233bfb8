import { Hono } from "hono";
import { Problem } from "../../../platform/http/problems.ts";
import type { AppContext } from "../../../platform/http/router.ts";
import type { UploadGrant } from "../upload-url.ts";
import { failureAnswer, progressAnswer } from "./answers.ts";
import { corsHeaders } from "./cors.ts";
import { uploadMachine } from "../upload-calls.ts";
import { known } from "./receive-chunk.ts";
import { receivePut, requireOpen } from "./receive-upload.ts";
import { grantOf, requireBegun, type UploadCall } from "./upload-call.ts";

const PATH = "/uploads/:workspaceId/:uploadId";
/** Answers at an upload URL, whose signature is the only credential. Every answer can be read by scripts of the upload's origin. */
async function answer(c: UploadCall, carryOut: (grant: UploadGrant) => Promise<Response>): Promise<Response> {
  let corsOrigin = "*";
  try {
    const grant = grantOf(c);
    if (grant === null) throw new Problem("forbidden", "this is not an upload URL, or it was changed");
    corsOrigin = grant.corsOrigin;
    await requireBegun(c, grant);
    return await carryOut(grant);
  } catch (error) {
    return failureAnswer(error, { corsOrigin, requestId: c.var.requestId });
  }
}

/** The upload URL: the resumable protocol of published upload clients (media contract, resumable uploads). OPTIONS is with the routes of tus. */
export const transferRoutes = new Hono<AppContext>()
  .post(PATH, (c) =>
    answer(c, async ({ uploadId, corsOrigin }) => {
      if (hasBody(c.req.raw)) throw new Problem("bad_chunk", "send the file with PUT: a POST only asks for this URL");
      requireOpen(known(await uploadMachine(c.env, uploadId).readProgress(uploadId)));
      // Clients send their chunks to this URL, with or without asking for a session first.
      return c.body(null, 201, { ...corsHeaders(corsOrigin), Location: c.req.url, "Cache-Control": "no-store" });
    }),
  )
  .put(PATH, (c) =>
    answer(c, async ({ uploadId, corsOrigin }) => {
      if (/^multipart\/form-data/i.test(c.req.header("content-type") ?? ""))
        throw new Problem("bad_chunk", "send the file itself as the body, not a form: curl -T file, not -F");
      return progressAnswer(await receivePut(c.env, uploadId, c.req.raw), corsOrigin);
    }),
  );

const hasBody = ({ headers }: Request): boolean =>
  Number(headers.get("content-length") ?? 0) > 0 || headers.has("transfer-encoding");
