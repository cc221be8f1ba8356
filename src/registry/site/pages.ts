import { certificateStyle, drawBadge, grantedText, levelNames, renderCertificate } from '../../certification/index.js';
import { type Content, html, Markup, renderDocument, shown } from '../../reports/index.js';
import { statuses, type Certificate, type Registry } from './certificates.js';

/** The address of a certificate's product, relative to the root of the site; it also works for a site on a disk. */
export function addressOf({ page: at }: Certificate): string {
  return `${at}/index.html`;
}

/** The orders of the table, each a page of its own, so that sorting needs no script. */
export const orders = {
  'index.html': { by: 'vendor', keyOf: ({ product }) => [product.vendor, product.product] },
  'by-product.html': { by: 'product', keyOf: ({ product }) => [product.product, product.vendor] },
  'by-status.html': { by: 'status', keyOf: ({ status }) => [String(statuses.indexOf(status))] },
  'by-date.html': { by: 'last day', keyOf: ({ manifest }) => [manifest.validUntil ?? ''] },
} as const satisfies Readonly<Record<string, { by: string; keyOf: (one: Certificate) => readonly string[] }>>;

const granted = ({ manifest }: Certificate): string[] =>
  manifest.levels.filter(({ standing }) => standing === 'granted').map(({ name }) => name);
/** `Limits: demo` → `limits-demo`: name of a class and of a badge's file. */
const wordOf = (name: string): string => name.toLowerCase().replace(/[^a-z]+/g, '-');

const filters: readonly string[] = [...statuses, ...levelNames].map(wordOf);
/** A row is hidden where a filter is chosen that the row has no class of. */
const filterRules = filters.map((word) => `main:has(#only-${word}:checked) tbody tr:not(.${word})`).join(', ');
const style = `${certificateStyle}
body { max-width: 72rem; } a { color: inherit; } .badges a { text-decoration: none; } :focus-visible { outline: 3px solid currentColor; outline-offset: 2px; }
nav a, .links a { margin-right: .8rem; } nav a[aria-current] { font-weight: 700; text-decoration: none; }
fieldset { border: 1px solid var(--line); border-radius: 8px; margin: .8rem 0; padding: .4rem .8rem; } label { display: inline-block; margin-right: 1rem; padding: .2rem 0; } svg { vertical-align: middle; margin: 0 .5rem .3rem 0; max-width: 100%; }
pre { white-space: pre-wrap; } .day { white-space: nowrap; } fieldset div + div { border-top: 1px solid var(--line); margin-top: .3rem; padding-top: .3rem; }
.valid .status, .status.valid { color: var(--granted); } .expired .status, .withdrawn .status, .status.expired, .status.withdrawn { color: var(--withheld); } .status { font-weight: 650; }
${filterRules} { display: none; }
@media (max-width: 40rem) { tbody td::before { content: attr(data-label) ": "; color: var(--quiet); } }
`;

function page(title: string, body: Content): string {
  return renderDocument({ title, style, body: html`<main>\n${body}\n</main>` });
}

const cell = (label: string, content: Content, more = ''): Markup =>
  html`<td data-label="${label}" class="${more}">${content}</td>`;
const heads = (...names: readonly string[]): Markup =>
  html`<thead><tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>`;
const link = (address: string, text: Content): Markup => html`<a href="${address}">${text}</a>`;

/** The certificate of each product that counts, or the newest. */
export function currentOf(certificates: readonly Certificate[]): Certificate[] {
  const pages = new Map([...certificates].reverse().map((one): [string, Certificate] => [one.page, one]));
  return [...pages.values()].map(
    (newest) => certificates.find(({ page: at, status }) => at === newest.page && status !== 'withdrawn') ?? newest,
  );
}

function filterMarkup(rows: readonly Certificate[]): Markup {
  const count = (word: string): number => rows.filter((one) => classesOf(one).includes(word)).length;
  const radio = (id: string, text: string, checked: Content): Markup =>
    html`<label><input type="radio" name="only" id="only-${id}"${checked}> ${text}</label> `;
  const radios = (names: readonly string[]): Markup[] =>
    names
      .filter((name) => count(wordOf(name)) > 0)
      .map((name) => radio(wordOf(name), `${name} (${count(wordOf(name))})`, null));
  return html`<fieldset><legend>Show</legend><div>${radio('all', `all (${rows.length})`, html` checked`)}${radios(statuses)}</div><div>${radios(levelNames)}</div></fieldset>`;
}

const classesOf = (one: Certificate): string[] => [one.status, ...granted(one).map(wordOf)];

function productRow(one: Certificate): Markup {
  const { product, manifest, status } = one;
  return html`<tr class="${classesOf(one).join(' ')}"><th scope="row">${link(addressOf(one), shown(product.product, 100))}</th>${cell('Vendor', shown(product.vendor, 100))}${cell('Version', product.version)}${cell('Levels', grantedText(manifest))}${cell('Status', status, 'status')}${cell('Valid until', manifest.validUntil ?? '', 'day')}</tr>`;
}

/** The table of products in one order. */
export function renderIndex({ rules, certificates }: Registry, name: keyof typeof orders, now: Date): string {
  const { keyOf, by } = orders[name];
  const key = (one: Certificate): string => [...keyOf(one), one.page].join('\0').toLowerCase();
  const rows = currentOf(certificates).sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const sorts = Object.entries(orders).map(
    ([file, order]) => html`<a href="${file}"${order.by === by ? html` aria-current="page"` : null}>${order.by}</a>`,
  );
  const expiring = rows.filter(({ status }) => status === 'expiring');
  return page(
    rules.policy.name,
    html`<h1>${rules.policy.name}</h1>
<p>Products that conform to the dealership platform's public API, and until when. Anybody can judge each certificate again, offline.</p>
${rows.length === 0 ? html`<p>No product is certified yet.</p>` : filterMarkup(rows)}
<nav aria-label="Sort by">Sort by ${sorts}</nav>
<table>${heads('Product', 'Vendor', 'Version', 'Levels', 'Status', 'Valid until')}<tbody>${rows.map(productRow)}</tbody></table>
<h2 id="expiring">Expiring in ${rules.policy.expiringDays} days</h2>
${expiring.length === 0 ? html`<p>None.</p>` : html`<ul>${expiring.map((one) => html`<li>${link(addressOf(one), shown(`${one.product.product} ${one.product.version}`, 160))}: ${one.manifest.validUntil ?? ''}</li>`)}</ul>`}
<p class="links quiet">As of ${now.toISOString().slice(0, 16)}Z ${link('registry.json', 'registry.json')} ${link('feed.xml', 'Atom feed')}</p>`,
  );
}

const counts = ({ status }: Certificate): boolean => ['valid', 'expiring'].includes(status);

/** `withdrawn since 2027-01-31: the reason`; `valid until 2027-11-27`. */
function statusText(one: Certificate): Markup {
  const { status, since, why, manifest } = one;
  const day =
    status === 'valid' || status === 'expiring' ? `until ${manifest.validUntil ?? ''}` : `since ${since.slice(0, 10)}`;
  return html`<b class="status ${status}">${status}</b> ${day}${why === null ? null : html`: ${shown(why, 300)}`}`;
}

/** The certificate's page, written again: nothing that a vendor wrote becomes markup of the site. It says first whether it still counts. */
export function renderCertificatePage(one: Certificate): string {
  const status = html`<p${counts(one) ? null : html` class="mark"`}>This certificate is ${statusText(one)}. ${link('../index.html', 'Every version and key')}</p>`;
  return renderCertificate(one.manifest, one.signer, status);
}

/** The badges of a product: one over all, one for each level that is granted. A certificate that does not count says so instead. */
export function badgesOf(one: Certificate): ReadonlyMap<string, string> {
  const badge = (text: string): string =>
    counts(one) ? drawBadge(one.manifest, text, 'granted') : drawBadge(one.manifest, one.status, 'withheld');
  return new Map([
    ['badge.svg', badge(grantedText(one.manifest))],
    ...granted(one).map((name): [string, string] => [`${wordOf(name)}.svg`, badge(name.toLowerCase())]),
  ]);
}

function versionRow(one: Certificate): Markup {
  const { manifest, product, status, why, bundle } = one;
  const folder = `${encodeURIComponent(product.version)}/`;
  const links = html`${link(`${folder}certificate.html`, `certificate ${product.version}`)}, ${link(`${folder}bundle.tar`, `bundle ${product.version}`)}`;
  return html`<tr><th scope="row">${product.version}</th>${cell('Judged', manifest.clock.started.slice(0, 10), 'day')}${cell('Levels', grantedText(manifest))}${cell('Status', html`<span class="status ${status}">${status}</span>${why === null ? null : html`: ${shown(why, 300)}`}`)}${cell('Valid until', manifest.validUntil ?? '', 'day')}${cell('Files', html`${links}<br><span class="mono">sha256 ${bundle.sha256}</span>`)}</tr>`;
}

/** Who signed a certificate, and how anybody judges it again with the key that the site has. */
function judgeAgain({ vendor, signer }: Certificate, { keys }: Registry, up: string): Markup {
  const file = `${vendor}.pub.pem`;
  const isHere = keys.get(file) === signer;
  return html`<p>Signed by the vendor: <code>${signer}</code>${isHere ? html` (${link(`${up}keys/${file}`, file)})` : null}</p>
<p>Download the bundle and the key into an empty folder, and run there:</p>
<pre tabindex="0" role="region" aria-label="Command"><code>npm install dealership-conformance openapi-typescript@7 typescript@5
npx dealership-conformance verify bundle.tar${isHere ? ` --key ${file}` : ''}</code></pre>`;
}

/** The page of a product: every version that was certified. */
export function renderProduct(history: readonly Certificate[], current: Certificate, registry: Registry): string {
  const { product, page: at, manifest } = current;
  const up = '../'.repeat(at.split('/').length);
  const title = `${product.product}, ${product.vendor}`;
  const about = [product.type, ...(product.region === undefined ? [] : [`region ${product.region}`])].join(', ');
  return page(
    `${title}: ${registry.rules.policy.name}`,
    html`<nav aria-label="Registry">${link(`${up}index.html`, registry.rules.policy.name)}</nav>
<h1>${shown(title, 210)}</h1>
<p>${shown(about, 100)}${product.description === undefined ? null : html`: ${shown(product.description, 500)}`}</p>
<p class="links">${link(product.urls.product, 'product page')} ${product.urls.documentation === undefined ? null : link(product.urls.documentation, 'documentation')} Contact: ${shown(product.contact, 200)}</p>
<p class="badges">${[...badgesOf(current)].slice(0, counts(current) ? undefined : 1).map(([file, svg]) => link(file, new Markup(svg)))}</p>
<p>Version ${product.version} is ${statusText(current)}. It was judged at ${shown(manifest.target.baseUrl, 300)}.</p>
<h2>Versions</h2>
<table>${heads('Version', 'Judged', 'Levels', 'Status', 'Valid until', 'Files')}<tbody>${history.map(versionRow)}</tbody></table>
<h2>Judge it again</h2>
${judgeAgain(current, registry, up)}`,
  );
}
