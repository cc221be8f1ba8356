import type { Flavour } from '../types.js';
import { boutique, kiosk, metro, ranch } from './lenient-flavours.js';
import { plain } from './plain.js';
import { atelier, freight, harbour, ledger, orchard } from './strict-flavours.js';

export const flavours: readonly Flavour[] = [
  plain,
  ledger,
  boutique,
  harbour,
  ranch,
  metro,
  atelier,
  kiosk,
  freight,
  orchard,
];

export const flavourNamed = (name: string): Flavour => {
  const found = flavours.find((f) => f.name === name);
  if (!found) throw new Error(`unknown flavour: ${name}`);
  return found;
};
