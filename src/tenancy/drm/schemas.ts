import { z } from "@hono/zod-openapi";
import { KEY_SYSTEMS } from "../../media/cenc/content-key.ts";
import { hinted } from "../../platform/http/hints/issue-hints.ts";

const KeySystems = z
  .array(z.enum(KEY_SYSTEMS))
  .min(1)
  .max(KEY_SYSTEMS.length)
  .refine((list) => new Set(list).size === list.length, hinted("is invalid", "must name every key system at most once"))
  .refine(
    (list) => list.length === 1 || !list.includes("clearkey"),
    hinted("is invalid", "must not have `clearkey` beside others: its licences show the key"),
  )
  .openapi({
    description:
      "`clearkey`: for tests and demos, keeps nothing secret from a viewer; `widevine`, `fairplay`: through the licence service of this deployment",
    example: ["clearkey"],
  });

export const CreateDrmConfiguration = z.object({ keySystems: KeySystems }).openapi("CreateDrmConfiguration");

export const CreatedDrmConfiguration = z
  .object({ id: z.uuid(), keySystems: z.array(z.enum(KEY_SYSTEMS)), createdAt: z.string() })
  .openapi("CreatedDrmConfiguration");

/** The contract's answers have only the id. */
export const DrmConfigurationRecord = z.object({ id: z.uuid() }).openapi("DrmConfiguration");
