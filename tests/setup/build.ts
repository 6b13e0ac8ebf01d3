import { buildOnce } from '../../scripts/build-once.mjs';

/** Builds the service, the site and the client that tests start. */
export default buildOnce;
