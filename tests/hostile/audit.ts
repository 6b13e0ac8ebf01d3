/// <reference lib="dom" />
import { execFileSync } from 'node:child_process';
import type { Browser, Page } from 'playwright-core';

/** The content of a page or file, as a browser parses it. */
export interface Audit {
  /** Unexpected elements and attributes. */
  faults: string[];
  /** Its text, with whitespace collapsed. */
  text: string;
  /** Commands of the copy buttons. */
  commands: string[];
  /** URLs of its links on this origin. */
  links: string[];
}

export type AuditedType = 'text/html' | 'application/xml' | 'image/svg+xml';

/** Runs in the browser: parses a document without executing it, and lists unexpected content. */
function auditIn({ source, type, base }: { source: string; type: AuditedType; base: string }): Audit {
  const faults: string[] = [];
  const found = new DOMParser().parseFromString(source, type);
  const { origin } = new URL(base);
  const forbidden =
    /^(?:iframe|frame|frameset|object|embed|applet|base|style|video|audio|source|math|template|noscript|foreignobject|animate|animatetransform|set|use|image|portal|parsererror|marquee)$/;
  for (const element of found.querySelectorAll('*')) {
    const name = element.localName.toLowerCase();
    const shown = element.outerHTML.slice(0, 120);
    if (forbidden.test(name) || name.includes('-')) faults.push(`<${name}>: ${shown}`);
    const isOurs = /^\/_astro\//.test(element.getAttribute('src') ?? '') && element.textContent === '';
    if (name === 'script' && !isOurs) faults.push(`script: ${shown}`);
    if (name === 'meta' && element.hasAttribute('http-equiv')) faults.push(`meta: ${shown}`);
    for (const { name: attribute, value } of element.attributes) {
      if (/^on|^style$|^srcdoc$|^autofocus$/i.test(attribute)) faults.push(`${attribute}: ${shown}`);
      if (!/^(?:href|src|action|formaction|xlink:href|data|poster|cite|background)$/i.test(attribute)) continue;
      const { protocol, origin: from } = new URL(value, base);
      if (!/^https?:$/.test(protocol)) faults.push(`${attribute}=${value.slice(0, 60)}`);
      const isLink = name === 'a' && /\bugc\b/.test(element.getAttribute('rel') ?? '');
      const isCanonical = name === 'link' && element.getAttribute('rel') === 'canonical';
      if (from !== origin && !isLink && !isCanonical && type === 'text/html') faults.push(`leads away: ${shown}`);
    }
  }
  const textOf = (element: Element) => element.textContent ?? '';
  return {
    faults,
    text: textOf(found.documentElement).replace(/\s+/g, ' '),
    commands: [...found.querySelectorAll('pre code')].map(textOf),
    links: [...found.querySelectorAll('a[href]')]
      .map((element) => new URL(element.getAttribute('href') ?? '', base))
      .filter((url) => url.origin === origin)
      .map(({ pathname, search }) => pathname + search),
  };
}

/** Parses documents in a page of the browser, without executing them. */
export async function createAuditor(browser: Browser, base: string) {
  const page = await (await browser.newContext()).newPage();
  return (source: string, type: AuditedType = 'text/html'): Promise<Audit> =>
    page.evaluate(auditIn, { source, type, base });
}

/** A page that defines `xss` and reports every side effect that user text must not have. */
export async function openWatchedPage(browser: Browser, base: string): Promise<{ page: Page; harm: string[] }> {
  const context = await browser.newContext();
  const harm: string[] = [];
  await context.exposeFunction('xss', (place: number) => harm.push(`xss(${place}) was called`));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      console.error(`policy: ${violatedDirective} ${blockedURI} ${sample}`),
    );
  });
  const page = await context.newPage();
  page.on('dialog', (dialog) => {
    harm.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(base)) harm.push(`request: ${request.url()}`);
  });
  page.on('pageerror', (error) => harm.push(`error: ${error.message}`));
  page.on('popup', (popup) => harm.push(`popup: ${popup.url()}`));
  page.on('console', (message) => {
    // The browser logs an error for the page's intended status.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) harm.push(`log: ${message.text()}`);
  });
  return { page, harm };
}

/** Runs commands in a shell with a `curl` stub and an `xss` stub that reports its calls. Returns the reports and errors. */
export function shellFaults(commands: Iterable<string>): string[] {
  return [...new Set(commands)].flatMap((command) => {
    // A command substitution captures standard output, so `xss` writes to another descriptor.
    const script = `exec 3>&1; curl() { :; }; xss() { echo harm >&3; }\n${command}`;
    const said = (() => {
      try {
        return execFileSync('sh', ['-c', script], { env: { KEY: 'ib_key' }, encoding: 'utf8', stdio: 'pipe' });
      } catch (error) {
        return String(error);
      }
    })();
    return said === '' ? [] : [`${command}: ${said}`];
  });
}
