import { DomainError } from '@inferboard/core/errors';
import type { MiddlewareHandler } from 'hono';

const name = '__proto__';

/** A schema with a catch-all for unknown names silently drops `__proto__`, so it is rejected here like any unknown parameter. */
export const refuseProto: MiddlewareHandler = async (c, next) => {
  if (Object.hasOwn(c.req.queries(), name)) {
    const message = `Unknown parameter "${name}".`;
    throw new DomainError('request_invalid', 'The query is not valid.', [
      { code: 'parameter_unknown', parameter: name, message },
    ]);
  }
  await next();
};
