import type { UserConfig } from '@hey-api/openapi-ts';

/** The typed client: a function for every operation of the committed document. */
export default {
  input: `${import.meta.dirname}/openapi.json`,
  // Node runs the client as it stands, so imports name their files.
  output: { path: `${import.meta.dirname}/client`, module: { extension: '.ts' } },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  logs: { level: 'silent', file: false },
} satisfies UserConfig;
