import type { UserConfig } from '@hey-api/openapi-ts';

/** The typed client: a function for every operation of the committed document. */
export default {
  input: `${import.meta.dirname}/openapi.json`,
  // Node runs the client without a build, so imports have file extensions.
  output: { path: `${import.meta.dirname}/client`, module: { extension: '.ts' } },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  logs: { level: 'silent', file: false },
} satisfies UserConfig;
