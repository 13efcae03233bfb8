export { drmConfigurationRoutes } from "./configuration-routes.ts";
export { askService, type ServiceVariable } from "./ask-service.ts";
export { contentKeyOf, deleteContentKeysOf, findContentKey } from "./content-keys.ts";
export { keySystemsFor, requireKeySystems } from "./require-key-systems.ts";
export { keySourceOf, keySystemsOf, type MediaKey, protectionOf } from "./key-systems.ts";
