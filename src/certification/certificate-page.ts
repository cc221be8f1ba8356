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
  wrap,
} from '../reports/index.js';
import { factsOf, standingText, type Statement } from './statement.js';

const mostReasons = 8;

function markOf(statement: Statement): Markup | null {
  if (statement.standing === 'certification') return null;
  const more = statement.reasons.length - mostReasons;
  const reasons = statement.reasons.slice(0, mostReasons).map((reason) => html`<li>${shown(reason, 200)}</li>`);
  return html`<div class="lead mark">Rehearsal: this certifies nothing, because<ul>${reasons}${more > 0 ? html`<li>and ${more} more</li>` : null}</ul></div>`;
}

/**
 * A certificate for people, one printed sheet; `signedBy` is the fingerprint of the key that signs the bundle. `status` says whether it still
 * counts, where that is known, in its tone.
 */
export function renderCertificate(
  statement: Statement,
  signedBy: string,
  status: { readonly tone: string; readonly text: Content } | null = null,
): string {
  const certifies = statement.standing === 'certification';
  const tone = { granted: certifies ? 'pass' : 'blocked', withheld: 'fail', 'not judged': 'not-applicable' } as const;
  const facts = factsOf(statement, signedBy);
  const markup = (some: typeof facts.check): Markup =>
    factsMarkup(some.map(([name, value]) => [name, shown(value, 200)]));
  const title = certifies ? 'Certificate of conformance' : 'Conformance, not certified';
  return renderPage({
    title: `${title}: ${statement.target.baseUrl}`,
    tone: status?.tone ?? (certifies ? 'pass' : 'fail'),
    kicker: `Dealership platform public API, judged by dealership-conformance ${statement.suite.version}`,
    heading: title,
    lead: [status?.text ?? null, markOf(statement)],
    main: wrap([
      blockMarkup('service', 'Service', markup(facts.service)),
      tableBlock('levels', 'Levels', statement.levels, {
        columns: {
          Level: ({ name }) => name,
          Result: (level) => badge(tone[level.standing], standingText(statement, level)),
          Why: ({ why }) => shown(why, 160),
        },
      }),
      blockMarkup('check', 'How to check this page', [
        markup(facts.check),
        html`<p class="quiet">This page alone proves nothing. Its bundle holds every request and answer: <code>npx dealership-conformance verify BUNDLE --key PUBLIC-KEY</code>
checks the signature and judges every requirement again from them, without a network. A signature shows that nothing was changed since it was made, and by whose key;
it does not show that the person who ran the suite was honest. A run by the certifier, or a nonce found in the service's own logs, does.</p>`,
      ]),
    ]),
  });
}
