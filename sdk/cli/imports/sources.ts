/** What each source of a migration needs: its credentials, and where they are made. */

export const SOURCE_KINDS = ["list", "s3", "mux", "cloudflare_stream", "api_video", "vimeo"] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

export interface CredentialField {
  /** In the body of the API. */
  name: string;
  /** The variable of the environment that is read for it: the vendor's own where there is one. */
  env: string;
  question: string;
  /** Typed without an echo. */
  isSecret: boolean;
  isOptional?: boolean;
}

export interface SourceForm {
  /** As people write it. */
  name: string;
  /** What the credentials must be permitted, at least, and where they are made. */
  needs: string;
  /** Empty = it has none. */
  fields: readonly CredentialField[];
  /** Whether it can be read without credentials. */
  isOpenToAll: boolean;
}

export const SOURCE_FORMS: Readonly<Record<SourceKind, SourceForm>> = {
  list: {
    name: "a list of addresses (CSV, JSON or NDJSON)",
    needs: "",
    fields: [],
    isOpenToAll: true,
  },
  s3: {
    name: "Amazon S3, or a store that speaks it (R2, B2, MinIO, Wasabi)",
    needs:
      "An access key that may list the bucket and get its objects (s3:ListBucket, s3:GetObject), and nothing else.",
    fields: [
      { name: "accessKeyId", env: "AWS_ACCESS_KEY_ID", question: "Access key ID", isSecret: false },
      { name: "secretAccessKey", env: "AWS_SECRET_ACCESS_KEY", question: "Secret access key", isSecret: true },
      {
        name: "sessionToken",
        env: "AWS_SESSION_TOKEN",
        question: "Session token (only for temporary credentials)",
        isSecret: true,
        isOptional: true,
      },
    ],
    isOpenToAll: true,
  },
  mux: {
    name: "Mux",
    needs: "An access token of the environment with Mux Video Read and Write: writing opens the masters for a day.",
    fields: [
      { name: "tokenId", env: "MUX_TOKEN_ID", question: "Token ID", isSecret: false },
      { name: "tokenSecret", env: "MUX_TOKEN_SECRET", question: "Token secret", isSecret: true },
    ],
    isOpenToAll: false,
  },
  cloudflare_stream: {
    name: "Cloudflare Stream",
    needs: "An API token with Stream Read and Write (Edit): writing orders the downloads.",
    fields: [
      { name: "accountId", env: "CLOUDFLARE_ACCOUNT_ID", question: "Account ID", isSecret: false },
      { name: "apiToken", env: "CLOUDFLARE_API_TOKEN", question: "API token", isSecret: true },
    ],
    isOpenToAll: false,
  },
  api_video: {
    name: "api.video",
    needs: "An API key of the project. Only videos with mp4Support can be fetched.",
    fields: [{ name: "apiKey", env: "API_VIDEO_API_KEY", question: "API key", isSecret: true }],
    isOpenToAll: false,
  },
  vimeo: {
    name: "Vimeo",
    needs: "A personal access token with the scopes private and video_files, of an account with a paid plan.",
    fields: [{ name: "accessToken", env: "VIMEO_ACCESS_TOKEN", question: "Access token", isSecret: true }],
    isOpenToAll: false,
  },
};

/** `MUX_TOKEN_ID and MUX_TOKEN_SECRET`. */
export const variablesOf = ({ fields }: SourceForm): string =>
  fields
    .filter(({ isOptional }) => !isOptional)
    .map(({ env }) => env)
    .join(" and ");
