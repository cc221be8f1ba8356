import { tally } from '../reports/index.js';
import { packText } from '../requirement/index.js';
import { minuteOf } from '../visible.js';
import type { Manifest } from './bundle/manifest.js';
import { grantedNames, levelNames, type LevelState } from './levels.js';

/** What a bundle says: everything in its manifest but the digests of files. Terminal, certificate, badge and registry show it. */
export type Statement = Omit<Manifest, 'files'>;

/** The levels that are granted, in words; `limits` takes its plans together. */
export function grantedText(statement: Pick<Statement, 'levels'>): string {
  const granted = grantedNames(statement.levels);
  const prefix = 'Limits: ';
  const plans = granted.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  const plain = granted
    .filter((name) => !name.startsWith(prefix))
    .map((name) => (levelNames.includes(name) ? name.toLowerCase() : name));
  return [...plain, ...(plans.length > 0 ? [`limits (${plans.join(', ')})`] : [])].join(' · ');
}

/** Whether a level is granted; a rehearsal only would grant it. */
export const standingText = ({ standing }: Statement, level: LevelState): string =>
  level.standing === 'granted' && standing === 'rehearsal' ? 'would be granted' : level.standing;

/** How much was judged; nothing where a waiver hides whether it was. */
function judgedOf({ counts }: Statement): string {
  if (counts.waived > 0) return '';
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return `${counts.pass + counts.fail + counts.warn} of ${all} judged; `;
}

type Facts = readonly (readonly [name: string, value: string])[];

/** The facts of a statement by their names: those about the service, and those by which it is checked. */
export function factsOf(
  statement: Statement,
  signer: string | null,
): { readonly service: Facts; readonly check: Facts } {
  const { product, target, clock, contract, requests, seed, packs = [] } = statement;
  const known = (name: string, value: string | null | undefined): Facts => (value == null ? [] : [[name, value]]);
  const kind = [product?.type, product?.region].filter((one) => one !== undefined).join(', ');
  const limits = Object.entries(statement.settings).filter(([name]) => name.startsWith('LIMITS_'));
  return {
    service: [
      ...known('Product', product && `${product.product} ${product.version}, ${product.vendor} (${kind})`),
      ...known('Contact', product?.contact),
      ['Service', target.embedded ? 'the embedded reference service' : target.baseUrl],
      ['Document', target.document ?? 'none was served'],
      ...known('Pinned', contract.pinned),
      [
        'Judged',
        `${minuteOf(clock.started)}, ${requests.toLocaleString('en')} requests in ${clock.seconds.toFixed(0)} s, seed ${seed}`,
      ],
      ...known('Valid until', statement.validUntil),
      ['Outcome', `${statement.outcome}: ${judgedOf(statement)}${tally(statement.counts)}`],
    ],
    check: [
      ...known('Set', statement.set?.name),
      ...packs.flatMap((pack) => known('Pack', packText(pack))),
      ['Suite', statement.suite.version],
      ['Catalogue', statement.suite.catalogue],
      ['Signed by', signer ?? 'nobody'],
      ['Nonce', statement.nonce ?? 'none was given'],
      ['Limits', limits.map(([name, value]) => `${name}=${value}`).join(' ') || 'as sold'],
    ],
  };
}
