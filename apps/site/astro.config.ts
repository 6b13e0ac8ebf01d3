import { defineConfig, passthroughImageService } from 'astro/config';
import { fetchAdapter } from './adapter/integration.ts';

export default defineConfig({
  output: 'server',
  adapter: fetchAdapter(),
  // The pages know no visitor: nothing to keep between requests.
  session: false,
  // Behind a proxy, the origin in the request differs from the one that the server sees. One of the two POST forms stores
  // nothing. The other rejects requests that the browser marks as cross-site.
  security: { checkOrigin: false },
  // The content security policy allows styles from files of this origin only.
  build: { inlineStylesheets: 'never' },
  compressHTML: true,
  image: { service: passthroughImageService() },
  devToolbar: { enabled: false },
  vite: {
    // One stylesheet for all pages: on a slow connection a second request costs more than its bytes, and the next page has it.
    build: { assetsInlineLimit: 0, cssCodeSplit: false },
    // One self-contained server build, which needs no packages of its host.
    ssr: { noExternal: true },
  },
});
