import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';

/** Builds the site into one module with `render`, for any host that speaks Request and Response. */
export function fetchAdapter(): AstroIntegration {
  return {
    name: 'inferboard-fetch-adapter',
    hooks: {
      'astro:config:done': ({ setAdapter }) => {
        setAdapter({
          name: 'inferboard-fetch-adapter',
          entrypointResolution: 'auto',
          serverEntrypoint: fileURLToPath(new URL('./server.ts', import.meta.url)),
          supportedAstroFeatures: { serverOutput: 'stable', staticOutput: 'stable', hybridOutput: 'stable' },
        });
      },
    },
  };
}
