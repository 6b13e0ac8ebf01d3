import { testPages } from '../support/site/every-page.ts';
import { longPages, pageTypes } from '../support/site/page-types.ts';

// Half of the work of site-every-page.test.ts: another worker can do it at the same time.
testPages(pageTypes.filter(({ file }) => longPages.has(file ?? '')));
