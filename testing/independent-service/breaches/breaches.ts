import { flavourNamed, flavours } from '../flavours/flavours.js';
import type { Flavour } from '../types.js';
import type { BreachEntry } from './breach.js';
import { breachList, type BreachId } from './breach-list.js';

/** The flavours in which a breach shows. */
export const flavoursOf = (id: string): readonly string[] => {
  const entry: BreachEntry | undefined = breachList.find((e) => e.id === id);
  if (!entry) throw new Error(`unknown breach: ${id}`);
  const { needs } = entry;
  return flavours.filter((f) => needs?.(f) ?? true).map((f) => f.name);
};

export type Broken = (id: BreachId) => boolean;

export const chooseVariant = (
  flavour: string | undefined,
  breach: string | undefined,
): { flavour: Flavour; broken: Broken } => {
  if (breach === undefined || breach === '') return { flavour: flavourNamed(flavour ?? 'plain'), broken: () => false };
  const fits = flavoursOf(breach);
  const chosen = flavour ?? fits[0] ?? 'plain';
  if (!fits.includes(chosen))
    throw new Error(`breach ${breach} does not show in flavour ${chosen}; use one of ${fits.join(', ')}`);
  return { flavour: flavourNamed(chosen), broken: (id) => id === breach };
};
