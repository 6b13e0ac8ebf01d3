import type { MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { type Origin, originOf } from './client-address.ts';

const [self, none] = [["'self'"], ["'none'"]];

/** One year. Subdomains may belong to other services; an operator can include them at the proxy. */
export const strictTransport = 'max-age=31536000';

const standard = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: none,
    scriptSrc: self,
    styleSrc: self,
    imgSrc: ["'self'", 'data:'],
    connectSrc: self,
    formAction: self,
    baseUri: none,
    frameAncestors: none,
  },
  crossOriginEmbedderPolicy: true,
  referrerPolicy: 'strict-origin-when-cross-origin',
  // Set below for HTTPS only: browsers ignore it over plain HTTP (RFC 6797, section 7.2).
  strictTransportSecurity: false,
  // The same rule as the policy's frame-ancestors, for browsers without support for it.
  xFrameOptions: 'DENY',
  permissionsPolicy: { camera: [], geolocation: [], microphone: [], payment: [], usb: [] },
  // A route with its own policy keeps it.
  overwrite: false,
});

/**
 * Security headers. Pages stay within this origin; responses that other sites may embed set `Cross-Origin-Resource-Policy`
 * themselves.
 *
 * @param isEncrypted whether the request used HTTPS to the outermost proxy; then the browser must stay on HTTPS
 */
export function secure(isEncrypted: (origin: Origin) => boolean): MiddlewareHandler {
  return async (c, next) => {
    await standard(c, next);
    // Charts for other sites: their policy defines who may frame them.
    if (c.req.path.startsWith('/embed/')) c.res.headers.delete('X-Frame-Options');
    if (isEncrypted(originOf(c))) c.res.headers.set('Strict-Transport-Security', strictTransport);
  };
}

/**
 * Runs a middleware that sets headers before the handler; for POST, after it. Otherwise the framework would copy the response, up
 * to 38 MB, to add the headers. Streams made without the context need that copy for their headers.
 */
export function onceAnswered(middleware: MiddlewareHandler): MiddlewareHandler {
  return async (c, next) => {
    if (c.req.method !== 'POST') return middleware(c, next);
    await next();
    await middleware(c, async () => {});
  };
}

/** Public data: pages of other origins may load it. */
export const allowEverywhere: MiddlewareHandler = async (c, next) => {
  await next();
  c.res.headers.set('Cross-Origin-Resource-Policy', 'cross-origin');
};
