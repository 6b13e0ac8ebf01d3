import { defineConfig, passthroughImageService } from 'astro/config';
import { fetchAdapter } from './adapter/integration.ts';

export default defineConfig({
  output: 'server',
  adapter: fetchAdapter(),
  // The pages know no visitor: nothing to keep between requests.
  session: false,
  // The content security policy allows styles from files of this origin only.
  build: { inlineStylesheets: 'never' },
  compressHTML: true,
  image: { service: passthroughImageService() },
  devToolbar: { enabled: false },
  vite: {
    build: { assetsInlineLimit: 0 },
    // One self-contained server build: whoever mounts it needs no second set of packages.
    ssr: { noExternal: true },
  },
});
