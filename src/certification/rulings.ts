import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { orSettingsError } from '../settings/file-error.js';
import { SettingsError } from '../settings/settings-error.js';
import type { Manifest } from './bundle/manifest.js';
import { pathOf } from './product.js';
import { dayPattern, parseYamlAs } from './yaml-file.js';

/** What a programme decided on a challenge: `challenges/UNIT-05.yaml`. An accepted one takes the requirement out of certificates by these versions. */
export interface Ruling {
  readonly id: string;
  readonly ruling: 'open' | 'accepted' | 'rejected';
  /** Versions of the suite; `0.1` stands for every `0.1.x`. */
  readonly suites: readonly string[];
  readonly reason: string;
  readonly date: string;
  readonly link?: string;
  /** The certificates that a challenge is about, such as `v1/acme/dealerhub`; all by these versions where there are none. */
  readonly products?: readonly string[];
}

const schema = {
  description:
    'id, ruling (open, accepted or rejected), suites (a list of versions), reason, date (YYYY-MM-DD) and, if there are any, link and products',
  type: 'object',
  required: ['id', 'ruling', 'suites', 'reason', 'date'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', pattern: '^[A-Z]+-[0-9]+$' },
    ruling: { enum: ['open', 'accepted', 'rejected'] },
    suites: { type: 'array', minItems: 1, items: { type: 'string', pattern: '^[0-9]+(\\.[0-9]+){0,2}$' } },
    reason: { type: 'string', minLength: 1, maxLength: 500 },
    date: { type: 'string', pattern: dayPattern },
    products: { type: 'array', items: { type: 'string', maxLength: 300 } },
    link: { type: 'string', maxLength: 500, pattern: '^https?://[^\\s"\'<>]+$' },
  },
} as const;

/** Reads the text of a ruling; throws SettingsError. */
export function parseRuling(text: string, shownName: string): Ruling {
  const ruling = parseYamlAs(text, shownName, schema) as Ruling;
  if (!basename(shownName).startsWith(ruling.id))
    throw new SettingsError(`${shownName} is about ${ruling.id}: expected a file name that begins with that id.`);
  return ruling;
}

/** The rulings in a folder, by file name; throws SettingsError. */
export function readRulings(folder: string): Ruling[] {
  const expected = 'expected a folder with rulings, such as challenges/UNIT-05.yaml';
  if (!existsSync(folder)) throw new SettingsError(`${folder} is not there: ${expected}.`);
  return orSettingsError(
    () =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.yaml'))
        .sort()
        .map((name) => parseRuling(readFileSync(join(folder, name), 'utf8'), join(folder, name))),
    (code) => `${folder} cannot be read (${code}): ${expected}.`,
  );
}

/** Whether a version is one of these; `0.1` stands for every `0.1.x`. */
export function isVersionOf(version: string, named: readonly string[]): boolean {
  return named.some((one) => version === one || version.startsWith(`${one}.`));
}

/** Whether a challenge is about the certificate of this path, such as `v1/acme/dealerhub/2.4.1`. */
export function isAbout({ products, suites }: Ruling, path: string, suite: string): boolean {
  return products === undefined
    ? isVersionOf(suite, suites)
    : products.some((one) => path === one || path.startsWith(`${one}/`));
}

/** The accepted rulings that count for a bundle: by the version of its suite, and for its product where they name some. */
export function acceptedFor<T extends Ruling>(rulings: readonly T[], { suite, product }: Manifest): T[] {
  const path = product === undefined ? '' : pathOf(product);
  return rulings.filter(
    (one) => one.ruling === 'accepted' && isVersionOf(suite.version, one.suites) && isAbout(one, path, suite.version),
  );
}
