import {
  type AccessRules,
  readPermit,
  refusedFor,
  TOKEN_REFUSALS,
  type TokenPurpose,
  type TokenRefusal,
  verifyToken,
} from "../tenancy/access/index.ts";
import { boundLookUp } from "./guessed-ids.ts";
import { findVerifyingKey } from "../tenancy/signing-keys/index.ts";
import { type PageWords, Problem } from "../platform/http/problems.ts";
import type { Env } from "../platform/env.ts";
import type { Lasting } from "../platform/single-flight.ts";
import { type Authority, Permission } from "./permission.ts";

/** A viewer's request. Whatever it is for, `admit` decides whether the viewer may have it. */
export class Viewer {
  readonly request: Request;
  readonly url: URL;
  /** The permit in the path, not verified. */
  readonly permit: string | null;
  readonly #env: Env;
  readonly #ctx: Lasting;
  #permission: Permission | null = null;

  constructor(request: Request, url: URL, permit: string | null, env: Env, ctx: Lasting) {
    this.request = request;
    this.url = url;
    this.permit = permit;
    this.#env = env;
    this.#ctx = ctx;
  }

  /** Null until `admit` has permitted the request. */
  get permission(): Permission | null {
    return this.#permission;
  }

  /**
   * @param isLicense whether the request is for a licence, which needs a token for licences
   * @throws {Problem} playback_unauthorized, forbidden, moderation_hold
   */
  async admit(rules: AccessRules, isLicense = false): Promise<Permission> {
    const { accessPolicy, keySystems } = rules;
    if (accessPolicy === "drm" && keySystems === null)
      throw new Problem("forbidden", "this playback ID has no DRM configuration");
    this.#checkRestrictions(rules);
    const purpose = isLicense ? "license" : accessPolicy === "drm" ? "encrypted media" : "media";
    const authority = accessPolicy === "public" ? null : await this.#authorize(rules, purpose);
    // Only those who might play it learn that it is held.
    if (rules.isHeld) throw held();
    return (this.#permission = new Permission(rules, authority, this.#env.JOB_SECRET));
  }

  /**
   * Admits the stream's viewer to its recording, by the rules of any of its playback IDs. These limit the permission, too.
   *
   * @param recording rules of its playback IDs
   * @returns the limited permission; `refusal`: why the viewer may not play the recording (broadcast_over, forbidden, moderation_hold)
   */
  admitToRecording(permission: Permission, recording: readonly AccessRules[]): Permission | { refusal: Problem } {
    let refusal: Problem | null = null;
    for (const rules of recording) {
      if (!permission.mayPlay(rules)) continue;
      const refused = this.#refusalOf(rules) ?? (rules.isHeld ? held() : null);
      if (refused === null) return (this.#permission = permission.within(rules));
      refusal ??= refused;
    }
    return { refusal: refusal ?? broadcastOver() };
  }

  /** The same permission for seconds: caches keep the answer no longer. */
  admitBriefly(permission: Permission): Permission {
    return (this.#permission = permission.briefly());
  }

  #checkRestrictions(rules: AccessRules): void {
    const refusal = this.#refusalOf(rules);
    if (refusal !== null) throw refusal;
  }

  #refusalOf({ accessRestrictions }: AccessRules): Problem | null {
    if (accessRestrictions === null) return null;
    const { headers } = this.request;
    const refused = refusedFor(accessRestrictions, {
      ownHost: this.url.hostname,
      origin: headers.get("origin"),
      referer: headers.get("referer"),
      userAgent: headers.get("user-agent"),
    });
    return refused === null ? null : new Problem("forbidden", `this ${refused} may not play it`);
  }

  /** A permit in the path comes first. When it has expired, a token may still be valid. */
  async #authorize({ playbackId, workspaceId }: AccessRules, purpose: TokenPurpose): Promise<Authority> {
    const nowMs = Date.now();
    const findKey = (keyId: string) =>
      boundLookUp(this.request, this.#env, `key ${keyId}`, () =>
        findVerifyingKey(this.#env.DB, this.#ctx, workspaceId, keyId),
      );
    if (this.permit !== null) {
      const permit = readPermit(this.#env.JOB_SECRET, playbackId, this.permit, nowMs);
      if (typeof permit !== "string" && (await findKey(permit.keyId)) !== null)
        return { keyId: permit.keyId, expiresAtMs: permit.expiresAtMs, by: "permit" };
    }
    const tokens = this.url.searchParams.getAll("token");
    if (tokens.length > 1) throw unauthorized("repeated");
    const [token = ""] = tokens;
    if (token === "" && this.permit !== null)
      throw new Problem("playback_unauthorized", "the address has expired; load the manifest with a token again", {
        pageWords: EXPIRED,
      });
    const valid = await verifyToken(token, { playbackId, workspaceId, purpose }, findKey, nowMs);
    if ("refusal" in valid) throw unauthorized(valid.refusal);
    return { ...valid, by: "token" };
  }
}

/** The answer wherever the viewer might play what moderation holds. */
export const held = () => new Problem("moderation_hold", "moderation holds this media until its owner clears it");

/** The answer wherever a broadcast has ended, and its viewers have nothing to play. */
export const broadcastOver = () =>
  new Problem("broadcast_over", "the broadcast has ended, and has no recording for its viewers");

const EXPIRED: PageWords = ["This link has expired", "Ask for a new one."];
const UNUSABLE: PageWords = ["This link is not valid", "Check that it is complete, or ask for a new one."];
/** For viewers. Without a token the page says that the video is private. */
const PAGE_WORDS: Partial<Record<TokenRefusal, PageWords | undefined>> = {
  missing: undefined,
  expired: EXPIRED,
  early: ["This link is not valid yet", "Open it again later."],
};

function unauthorized(refusal: TokenRefusal): Problem {
  const pageWords = refusal in PAGE_WORDS ? PAGE_WORDS[refusal] : UNUSABLE;
  return new Problem("playback_unauthorized", TOKEN_REFUSALS[refusal], { pageWords });
}
