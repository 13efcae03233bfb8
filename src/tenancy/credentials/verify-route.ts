import { createRoute } from "@hono/zod-openapi";
import { DONE, doneAnswer, security } from "../../platform/http/answers.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { newRouter } from "../../platform/http/router.ts";

const verifyRoute = createRoute({
  operationId: "verify-basic",
  summary: "Check credentials",
  description: "Changes nothing. The middleware of all routes refuses wrong credentials.",
  method: "post",
  path: "/v1/iam/auth/verify-basic",
  tags: ["Credentials"],
  security,
  responses: { 200: doneAnswer("The credentials are valid"), ...problemResponses("unauthorized") },
});

export const verifyCredentialsRoute = newRouter().openapi(verifyRoute, (c) => c.json(DONE, 200));
