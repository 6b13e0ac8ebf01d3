import { testPages } from '../support/every-page.ts';
import { longPages, pageTypes } from '../support/page-types.ts';

// Half of the work of site-every-page.test.ts: another worker can do it at the same time.
testPages(pageTypes.filter(({ file }) => longPages.has(file ?? '')));
