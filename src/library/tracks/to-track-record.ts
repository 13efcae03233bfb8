import type { z } from "@hono/zod-openapi";
import { recordOf } from "../../platform/http/record.ts";
import type { AddedTrackRecord } from "./schemas.ts";
import type { AddedTrack } from "./store/repository.ts";

/** An added track as the track routes answer with it (media contract, tracks). */
export const toTrackRecord = ({ id, kind, url, languageCode, languageName, title }: AddedTrack) =>
  recordOf<z.infer<typeof AddedTrackRecord>>({ id, type: kind, url, languageCode, languageName, title });
