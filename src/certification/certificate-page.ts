import { type Content, html, type Markup, renderDocument, shown, tally } from '../reports/index.js';
import { packText } from '../requirement/index.js';
import type { Statement } from './badge.js';
import { certificateStyle } from './certificate-style.js';

const mostReasons = 8;

/** A page that needs nothing else and runs nothing. */
export function plainPage(title: string, body: Content): string {
  return renderDocument({ title, style: certificateStyle, body: html`<main>\n${body}\n</main>` });
}

function facts(rows: readonly (readonly [string, string | null])[]): Markup {
  const rowsMarkup = rows.flatMap(([name, value]) =>
    value === null ? [] : [html`<tr><th scope="row">${name}</th><td class="mono">${shown(value, 200)}</td></tr>`],
  );
  return html`<table><tbody>${rowsMarkup}</tbody></table>`;
}

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
  return html`<div class="mark">Rehearsal: this certifies nothing, because<ul>${reasons}${more > 0 ? html`<li>and ${more} more</li>` : null}</ul></div>`;
}

/**
 * A certificate for people, one printed sheet; `signedBy` is the fingerprint of the key that signs the bundle. `status` says whether it still
 * counts, where that is known.
 */
export function renderCertificate(statement: Statement, signedBy: string, status: Content = null): string {
  const certifies = statement.standing === 'certification';
  const tone = { granted: certifies ? 'granted' : 'open', withheld: 'withheld', 'not judged': 'open' } as const;
  const levels = statement.levels.map(
    (level) =>
      html`<tr><th scope="row">${level.name}</th><td class="standing ${tone[level.standing]}">${level.standing === 'granted' && !certifies ? 'would be granted' : level.standing}</td><td>${shown(level.why, 160)}</td></tr>`,
  );
  const title = certifies ? 'Certificate of conformance' : 'Conformance, not certified';
  return plainPage(
    `${title}: ${statement.target.baseUrl}`,
    html`<h1>${title}</h1>
<p>Dealership platform public API, judged by dealership-conformance ${statement.suite.version}.</p>
${markOf(statement)}${status}
<h2>Service</h2>
${facts([
  ['Product', productText(statement)],
  ['Contact', statement.product?.contact ?? null],
  ['Base URL', statement.target.embedded ? 'the embedded reference service' : statement.target.baseUrl],
  ['OpenAPI document', statement.target.document ?? 'none was served'],
  ['Pinned contract', statement.contract.pinned],
  [
    'Judged',
    `${statement.clock.started}, ${statement.requests.toLocaleString('en')} requests in ${statement.clock.seconds.toFixed(0)} s, seed ${statement.seed}`,
  ],
  ['Valid until', statement.validUntil ?? null],
  ['Verdicts', `${statement.outcome}: ${judgedOf(statement)}${tally(statement.counts)}`],
])}
<h2>Levels</h2>
<table><thead><tr><th scope="col">Level</th><th scope="col">Result</th><th scope="col">Why</th></tr></thead><tbody>${levels}</tbody></table>
<h2>How to check this page</h2>
${facts([
  ['Requirement set', statement.set?.name ?? null],
  ...(statement.packs ?? []).map((pack) => ['Pack', packText(pack)] as const),
  ['Requirements', statement.suite.catalogue],
  ['Signed by', signedBy],
  ['Nonce', statement.nonce ?? 'none was given'],
  [
    'Limits',
    Object.entries(statement.settings)
      .filter(([name]) => name.startsWith('LIMITS_'))
      .map(([name, value]) => `${name}=${value}`)
      .join(' ') || 'as sold',
  ],
])}
<p class="quiet">This page alone proves nothing. Its bundle holds every request and answer: <code>npx dealership-conformance verify BUNDLE --key PUBLIC-KEY</code>
checks the signature and judges every requirement again from them, without a network. A signature shows that nothing was changed since it was made, and by whose key;
it does not show that the person who ran the suite was honest. A run by the certifier, or a nonce found in the service's own logs, does.</p>`,
  );
}
