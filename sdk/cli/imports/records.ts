import type { components, paths } from "../../api/api-types.ts";

type Schemas = components["schemas"];

/** A migration. */
export type Batch = Schemas["Import"];
export type BatchReport = Schemas["ImportReport"];
export type BatchOrder = Schemas["CreateImport"];
export type BatchSource = Schemas["ImportSource"];
export type BatchSelection = Schemas["ImportSelection"];
export type BatchSettings = Schemas["ImportSettings"];
export type StoredCredential = Schemas["ImportCredential"];
export type NewCredential = paths["/v1/imports/credentials"]["post"]["requestBody"]["content"]["application/json"];
