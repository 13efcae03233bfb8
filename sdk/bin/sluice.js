#!/usr/bin/env node
// Starts the command line from its sources. The published package has a compiled file in this place.
if (!process.features.typescript) {
  console.error("Here sluice runs from its sources, which needs Node 24. Run it with: npx sluice");
  process.exit(1);
}
await import("../cli/start.ts");
