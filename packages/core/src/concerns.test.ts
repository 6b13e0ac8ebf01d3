import { expect, test } from 'vitest';
import {
  concernActionIds,
  concernActions,
  concernReasonIds,
  concernReasons,
  isHeldForLater,
  upheldFinding,
} from './concerns.ts';
import { eventFindingCodes } from './submission/re-derived.ts';

test('has a unique name and a description for every reason and action', () => {
  for (const ids of [concernReasonIds, concernActionIds]) {
    expect(new Set<string>(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
  }
  for (const { meaning } of [...concernReasons, ...concernActions]) expect(meaning).toMatch(/^[A-Z].*\.$/);
  expect(new Set(concernReasons.map(({ label }) => label)).size).toBe(concernReasons.length);
});

test('the finding of an upheld concern is one line, and is kept when the artifact is parsed again', () => {
  const finding = upheldFinding({ id: 'con_1', note: ' not\nthe GPU  that is named ' });
  expect(finding.message).toBe("A reader's concern about this submission was upheld: not the GPU that is named");
  expect(eventFindingCodes).toContain(finding.code);
});

// A later release that parses the artifact again must not restore results that an admin removed from the boards.
test('a concern holds a result until a later review', () => {
  const codes = (...given: string[]) => given.map((code) => ({ code }));
  expect(isHeldForLater(codes('clock', 'concern_upheld'))).toBe(true);
  expect(isHeldForLater(codes('concern_upheld', 'reviewed'))).toBe(false);
  expect(isHeldForLater(codes('concern_upheld', 'reviewed', 'concern_upheld'))).toBe(true);
  expect(isHeldForLater(codes('reviewed'))).toBe(false);
  expect(isHeldForLater([])).toBe(false);
});
