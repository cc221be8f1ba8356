import {
  badge,
  blockMarkup,
  type Content,
  factsMarkup,
  html,
  type Markup,
  renderPage,
  shown,
  tableBlock,
  tally,
  wrap,
} from '../reports/index.js';
import { packText } from '../requirement/index.js';
import type { Statement } from './badge.js';

const mostReasons = 8;

/** How much was judged; nothing where a waiver hides whether it was. */
function judgedOf({ counts }: Statement): string {
  if (counts.waived > 0) return '';
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return `${counts.pass + counts.fail + counts.warn} of ${all} judged; `;
}

/** `DealerHub 2.4.1, Acme Inc. (service, eu)`; null where the bundle names no product. */
function productText({ product }: Statement): string | null {
  if (product === undefined) return null;
  const { product: name, version, vendor, type, region } = product;
  return `${name} ${version}, ${vendor} (${[type, ...(region === undefined ? [] : [region])].join(', ')})`;
}

function markOf(statement: Statement): Markup | null {
  if (statement.standing === 'certification') return null;
  const more = statement.reasons.length - mostReasons;
  const reasons = statement.reasons.slice(0, mostReasons).map((reason) => html`<li>${shown(reason, 200)}</li>`);
  return html`<div class="lead mark">Rehearsal: this certifies nothing, because<ul>${reasons}${more > 0 ? html`<li>and ${more} more</li>` : null}</ul></div>`;
}

/**
 * A certificate for people, one printed sheet; `signedBy` is the fingerprint of the key that signs the bundle. `status` says whether it still
 * counts, where that is known.
 */
export function renderCertificate(statement: Statement, signedBy: string, status: Content = null): string {
  const certifies = statement.standing === 'certification';
  const tone = { granted: certifies ? 'pass' : 'blocked', withheld: 'fail', 'not judged': 'not-applicable' } as const;
  const text = (value: string | null | undefined): Markup | null => (value == null ? null : shown(value, 200));
  const { target, clock, contract, suite } = statement;
  const service = blockMarkup(
    'service',
    'Service',
    factsMarkup([
      ['Product', text(productText(statement))],
      ['Contact', text(statement.product?.contact)],
      ['Base URL', target.embedded ? 'the embedded reference service' : text(target.baseUrl)],
      ['OpenAPI document', target.document ?? 'none was served'],
      ['Pinned contract', contract.pinned],
      [
        'Judged',
        `${clock.started}, ${statement.requests.toLocaleString('en')} requests in ${clock.seconds.toFixed(0)} s, seed ${statement.seed}`,
      ],
      ['Valid until', statement.validUntil ?? null],
      ['Verdicts', `${statement.outcome}: ${judgedOf(statement)}${tally(statement.counts)}`],
    ]),
  );
  const limits = Object.entries(statement.settings).filter(([name]) => name.startsWith('LIMITS_'));
  const check = blockMarkup('check', 'How to check this page', [
    factsMarkup([
      ['Requirement set', text(statement.set?.name)],
      ...(statement.packs ?? []).map((pack) => ['Pack', text(packText(pack))] as const),
      ['Requirements', text(suite.catalogue)],
      ['Signed by', signedBy],
      ['Nonce', statement.nonce ?? 'none was given'],
      ['Limits', text(limits.map(([name, value]) => `${name}=${value}`).join(' ') || 'as sold')],
    ]),
    html`<p class="quiet">This page alone proves nothing. Its bundle holds every request and answer: <code>npx dealership-conformance verify BUNDLE --key PUBLIC-KEY</code>
checks the signature and judges every requirement again from them, without a network. A signature shows that nothing was changed since it was made, and by whose key;
it does not show that the person who ran the suite was honest. A run by the certifier, or a nonce found in the service's own logs, does.</p>`,
  ]);
  const title = certifies ? 'Certificate of conformance' : 'Conformance, not certified';
  return renderPage({
    title: `${title}: ${target.baseUrl}`,
    tone: certifies ? 'pass' : 'fail',
    kicker: `Dealership platform public API, judged by dealership-conformance ${suite.version}`,
    heading: title,
    lead: [status, markOf(statement)],
    main: wrap([
      service,
      tableBlock('levels', 'Levels', statement.levels, {
        columns: {
          Level: ({ name }) => name,
          Result: ({ standing }) =>
            badge(tone[standing], standing === 'granted' && !certifies ? 'would be granted' : standing),
          Why: ({ why }) => shown(why, 160),
        },
      }),
      check,
    ]),
  });
}
