import { createApp } from 'astro/app/entrypoint';
import { createAccountApi } from '../src/accounts/account-api.ts';
import { createApi } from '../src/lib/api.ts';
import { updateCatalogue } from '../src/lib/update-catalogue.ts';

export interface RenderOptions {
  /** Answers requests to the API: the network's fetch, or the API in the same process. */
  fetch: typeof globalThis.fetch;
  /** Base of the API's addresses, without `/v1`. */
  apiUrl: string;
  /** Public base URL; by default the origin of the request. */
  publicUrl?: string;
  /** Whether the visitor asked by HTTPS. */
  isEncrypted?: boolean;
}

const app = createApp();

/** The page at the address of the request; unknown addresses get the 404 page of the site. @public */
export async function render(request: Request, options: RenderOptions): Promise<Response> {
  const { fetch, apiUrl, publicUrl, isEncrypted = false } = options;
  const api = createApi(fetch, apiUrl);
  await updateCatalogue(api);
  const origin = publicUrl ?? new URL(request.url).origin;
  const openAccount = (token: string | null) => createAccountApi(fetch, apiUrl, token);
  const locals: App.Locals = { api, origin, isEncrypted, openAccount };
  const response = await app.render(request, { locals });
  const type = response.headers.get('content-type');
  if (type === 'text/html') response.headers.set('content-type', 'text/html; charset=utf-8');
  // A retracted result leaves the boards at once, so no one may keep a page without asking.
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-cache');
  return response;
}
