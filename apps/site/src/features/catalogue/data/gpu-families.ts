import { gpuFamilies } from '@inferboard/core/catalogue/index';

/** The variants of a GPU family, which share one page if only the family is known. */
export function familyMembers(id: string): readonly string[] {
  return gpuFamilies.find((family) => family.id === id)?.members ?? [];
}

interface Counted {
  id: string;
  name: string;
  points?: number | null;
}

/** The points of a GPU family: those of each measured variant, and those of results that state only the family. */
export function familyPoints(
  id: string,
  items: readonly Counted[],
): { total: number; variants: { name: string; points: number }[]; unstated: number } {
  const pointsOf = (one: string) => items.find((item) => item.id === one)?.points ?? 0;
  const variants = familyMembers(id)
    .filter((member) => member !== id)
    .map((member) => ({ name: items.find((item) => item.id === member)?.name ?? member, points: pointsOf(member) }))
    .filter(({ points }) => points > 0);
  const unstated = pointsOf(id);
  return { total: unstated + variants.reduce((sum, { points }) => sum + points, 0), variants, unstated };
}

/** The family of a GPU with several variants; null for other GPUs. */
export function familyOf(id: string): { id: string; name: string } | null {
  const family = gpuFamilies.find(({ members }) => members.length > 1 && (members as readonly string[]).includes(id));
  return family === undefined ? null : { id: family.id, name: family.name };
}
