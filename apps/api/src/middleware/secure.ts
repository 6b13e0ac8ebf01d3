import type { MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { type Origin, originOf } from './client-address.ts';

const [self, none] = [["'self'"], ["'none'"]];

/** A year. Subdomains are not ours to speak for: an operator who wants them says so at the proxy. */
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
  // Said where it is true, below: over plain HTTP a browser may not believe it anyway (RFC 6797, section 7.2).
  strictTransportSecurity: false,
  // What the policy says of frames, for browsers that do not read it.
  xFrameOptions: 'DENY',
  permissionsPolicy: { camera: [], geolocation: [], microphone: [], payment: [], usb: [] },
  // A route that has a policy of its own keeps it.
  overwrite: false,
});

/**
 * Headers that keep browsers from doing with an answer what it was not made for. Pages stay within this origin; what pages
 * elsewhere may show says so itself, by `Cross-Origin-Resource-Policy`.
 *
 * @param isEncrypted whether the request came to the outermost proxy by HTTPS: then the browser is told to stay there
 */
export function secure(isEncrypted: (origin: Origin) => boolean): MiddlewareHandler {
  return async (c, next) => {
    await standard(c, next);
    // Charts for pages elsewhere: their policy says who may frame them.
    if (c.req.path.startsWith('/embed/')) c.res.headers.delete('X-Frame-Options');
    if (isEncrypted(originOf(c))) c.res.headers.set('Strict-Transport-Security', strictTransport);
  };
}

/**
 * A middleware that sets headers of an answer before there is one, for POST run when there is: the framework would copy the
 * answer, of up to 38 MB, to give it these. What flows, and is made without the context, needs that copy for its headers.
 */
export function onceAnswered(middleware: MiddlewareHandler): MiddlewareHandler {
  return async (c, next) => {
    if (c.req.method !== 'POST') return middleware(c, next);
    await next();
    await middleware(c, async () => {});
  };
}

/** What everyone may read is no secret of this origin: pages elsewhere may load it. */
export const allowEverywhere: MiddlewareHandler = async (c, next) => {
  await next();
  c.res.headers.set('Cross-Origin-Resource-Policy', 'cross-origin');
};
