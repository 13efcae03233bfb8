export { findViewStore, listCopied, storeMove } from "./view-store.ts";
export { workspaceExists } from "./workspace-exists.ts";
