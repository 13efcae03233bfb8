import type { ViewEngine } from "../questions/view-engine.ts";
import { contextsDistributed, errorsDistributed } from "./errors-distributed.ts";
import { figuresDistributed } from "./figures-distributed.ts";
import { forgetDistributed } from "./forget-distributed.ts";
import { groupDistributed } from "./group-distributed.ts";
import { countDistributed, listDistributed } from "./list-distributed.ts";
import { findDistributed, pagesDistributed, watchedDistributed } from "./read-distributed.ts";
import type { Sources } from "./two-sources.ts";

/** Queries final views in an Iceberg table by R2 SQL, and running ones and those not yet in the table in the stores. */
export const distributedEngine = (sources: Sources): ViewEngine => ({
  group: (question) => groupDistributed(sources, question),
  figures: (scope, wanted) => figuresDistributed(sources, scope, wanted),
  count: (scope) => countDistributed(sources, scope),
  list: (scope, page) => listDistributed(sources, scope, page),
  errors: (scope) => errorsDistributed(sources, scope),
  errorContexts: (scope, errors) => contextsDistributed(sources, scope, errors),
  find: (viewId) => findDistributed(sources, viewId),
  pages: (scope) => pagesDistributed(sources, scope),
  watched: (question) => watchedDistributed(sources, question),
  forget: (viewerId) => forgetDistributed(sources, viewerId),
});
