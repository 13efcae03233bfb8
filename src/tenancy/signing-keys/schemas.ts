import { z } from "@hono/zod-openapi";

export const CreatedSigningKey = z
  .object({
    id: z.uuid(),
    privateKey: z.string().openapi({ description: "Base64 of a PKCS#8 text in PEM. It is not shown again" }),
    createdAt: z.string(),
  })
  .openapi("CreatedSigningKey");

export const ListedSigningKey = z.object({ id: z.uuid(), createdAt: z.string() }).openapi("ListedSigningKey");

export const SigningKeyRecord = z
  .object({
    workspaceId: z.uuid(),
    signingKeyId: z.uuid(),
    publicKey: z.string().openapi({ description: "SPKI as PEM" }),
  })
  .openapi("SigningKey");

export const RevokedSigningKey = z.object({ message: z.string() }).openapi("RevokedSigningKey");
