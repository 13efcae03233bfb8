/** Starts the API reference. Scalar's own script runs before this one and defines the global `Scalar`. */
declare const Scalar: { createApiReference(selector: string, configuration: object): unknown };

Scalar.createApiReference("#reference", {
  url: "/v1/openapi.json",
  authentication: { preferredSecurityScheme: "basic" },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  persistAuth: false, // credentials stay in the page's memory
  // Without this a browser would answer a 401 with a dialog of its own.
  customFetch: (request: Request, options?: RequestInit) => fetch(request, { ...options, credentials: "omit" }),
  // Nothing is loaded from, or sent to, another host.
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
});
