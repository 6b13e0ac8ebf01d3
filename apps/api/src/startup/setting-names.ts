import { editDistance, nearest } from '@inferboard/core/text/nearest';

const suffix = '_FILE';

/** Shorter names are too similar to those of other programs to judge. */
const minLength = 8;

/**
 * What is wrong with the names of environment variables, one sentence each: names within two letters of a setting, and files for
 * settings that cannot be read from one.
 *
 * @param inFiles settings that may be given as files
 */
export function findWrongNames(
  given: readonly string[],
  settings: readonly string[],
  inFiles: readonly string[],
): string[] {
  const known = [...settings, ...inFiles.map((name) => `${name}${suffix}`)];
  const long = known.filter((name) => name.length >= minLength);
  return given.flatMap((name) => {
    if (name.length < minLength || known.includes(name)) return [];
    if (name.endsWith(suffix)) {
      const setting = name.slice(0, -suffix.length);
      if (settings.includes(setting)) return [`${name} is not a setting; set ${setting} itself.`];
    }
    const meant = nearest(name, long);
    const isClose = meant !== null && editDistance(name, meant) <= 2;
    return isClose ? [`${name} is not a setting; did you mean ${meant}?`] : [];
  });
}
