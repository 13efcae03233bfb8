export { workspaceExists } from "./workspace-exists.ts";
