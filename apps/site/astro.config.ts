import { defineConfig, passthroughImageService } from 'astro/config';
import { fetchAdapter } from './adapter/integration.ts';

export default defineConfig({
  output: 'server',
  adapter: fetchAdapter(),
  // The pages know no visitor: nothing to keep between requests.
  session: false,
  // Behind a proxy the origin that browsers tell is not the one we see. Of the two forms that are posted one stores nothing,
  // and the other refuses what a browser says that another site's page has sent.
  security: { checkOrigin: false },
  // The content security policy allows styles from files of this origin only.
  build: { inlineStylesheets: 'never' },
  compressHTML: true,
  image: { service: passthroughImageService() },
  devToolbar: { enabled: false },
  vite: {
    // One stylesheet for all pages: on a slow line each further file costs more than it weighs, and the next page has it.
    build: { assetsInlineLimit: 0, cssCodeSplit: false },
    // One self-contained server build: whoever mounts it needs no second set of packages.
    ssr: { noExternal: true },
  },
});
