/** Paths that are not in the document. */
const pages = /^\/(?:openapi\.json|llms\.txt|docs(?:\/[\w.-]+)?)$/;

/** Methods of a path in the document, for the Allow header; empty if no path matches. */
export function allowedMethods(document: { paths?: Record<string, object> | undefined }, path: string): string[] {
  if (pages.test(path)) return ['GET', 'HEAD'];
  if (path === '/mcp') return ['GET', 'HEAD', 'POST'];
  for (const [template, operations] of Object.entries(document.paths ?? {})) {
    const pattern = new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`);
    if (!pattern.test(path)) continue;
    const methods = Object.keys(operations).map((method) => method.toUpperCase());
    return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  }
  return [];
}
