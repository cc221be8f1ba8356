import type { BreachEntry, BreachId } from './breach-list.js';
import { breachList } from './breach-list.js';
import { allFlavours, flavourNamed } from './flavours.js';
import type { Flavour } from './types.js';

export type Breach = BreachEntry & { readonly flavour?: string };

const entries: readonly BreachEntry[] = breachList;

const firstFit = (entry: BreachEntry): string | undefined => {
  const { needs } = entry;
  if (!needs) return undefined;
  const found = allFlavours.find((f) => needs(f));
  if (!found) throw new Error(`no flavour can carry the breach ${entry.id}`);
  return found.name;
};

export const breaches: readonly Breach[] = entries.map((entry) => {
  const flavour = firstFit(entry);
  return { ...entry, ...(flavour === undefined ? {} : { flavour }) };
});

/** The flavours in which a breach shows. */
export const flavoursOf = (id: string): readonly string[] => {
  const entry = entries.find((e) => e.id === id);
  if (!entry) throw new Error(`unknown breach: ${id}`);
  const { needs } = entry;
  return allFlavours.filter((f) => (needs ? needs(f) : true)).map((f) => f.name);
};

export type Broken = (id: BreachId) => boolean;

export const chooseVariant = (
  flavour: string | undefined,
  breach: string | undefined,
): { flavour: Flavour; broken: Broken } => {
  if (breach === undefined || breach === '') return { flavour: flavourNamed(flavour ?? 'plain'), broken: () => false };
  const fits = flavoursOf(breach);
  const wanted = flavour ?? breaches.find((b) => b.id === breach)?.flavour ?? 'plain';
  if (!fits.includes(wanted))
    throw new Error(`breach ${breach} does not show in flavour ${wanted}; use one of ${fits.join(', ')}`);
  return { flavour: flavourNamed(wanted), broken: (id) => id === breach };
};
