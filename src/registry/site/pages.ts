import { drawBadge, grantedNames, grantedText, levelNames, renderCertificate } from '../../certification/index.js';
import {
  badge,
  blockMarkup,
  command,
  type Content,
  copyButton,
  copyScript,
  html,
  link,
  looks,
  Markup,
  renderPage,
  shown,
  tableBlock,
  wrap,
} from '../../reports/index.js';
import { minuteOf } from '../../visible.js';
import { statuses, type Certificate, type Registry, wasGranted } from './certificates.js';

/** The address of a certificate's product, relative to the root of the site; it also works for a site on a disk. */
export function addressOf({ page: at }: Certificate): string {
  return `${at}/index.html`;
}

const granted = ({ manifest }: Certificate): string[] => grantedNames(manifest.levels);
/** `Limits: demo` → `limits-demo`: name of a class. */
const wordOf = (name: string): string => name.toLowerCase().replace(/[^a-z]+/g, '-');

/** A product is hidden where a filter is chosen that its row has no class of. */
const hidden = [...Object.keys(statuses), ...levelNames]
  .map(wordOf)
  .map((word) => `main:has(#only-${word}:checked) [aria-labelledby=products] tbody tr:not(.${word})`)
  .join(', ');
const style = `${hidden} { display: none; } svg { max-width: 100%; } fieldset + fieldset, fieldset + input { margin-top: .5rem; } .links a { margin-right: .8rem; } .command + .command { margin-top: .6rem; } .digest { display: inline-flex; gap: .5rem; border: 0; background: none; } .digest code { width: 12ch; overflow: hidden; white-space: nowrap; }`;
/** Hides the rows that do not hold what is searched for. */
const searchScript = `
'use strict';
const search = document.querySelector('input[type=search]');
search.hidden = false;
search.addEventListener('input', () => {
  const sought = search.value.trim().toLowerCase();
  for (const row of document.querySelectorAll('tbody tr')) row.hidden = !row.textContent.toLowerCase().includes(sought);
});
`;
/** The certificate of each product that counts, or the newest. */
export function currentOf(certificates: readonly Certificate[]): Certificate[] {
  const pages = new Set(certificates.map(({ page }) => page));
  return [...pages].flatMap((at) => {
    const own = certificates.filter(({ page }) => page === at);
    return own.find(wasGranted) ?? own.slice(0, 1);
  });
}

const classesOf = (one: Certificate): string[] => [one.status, ...granted(one).map(wordOf)];

/** Two filters, which need no script: by status, and by a level that is granted; and a search, which does. */
function filterMarkup(rows: readonly Certificate[]): Markup[] {
  const filter = (group: string, names: readonly string[]): Markup => {
    const radio = (id: string, text: string, checked: Content = null): Markup =>
      html`<label class="chip"><input type="radio" name="${group}" id="only-${id}"${checked}><span>${text}</span></label> `;
    const radios = names.flatMap((name) => {
      const count = rows.filter((one) => classesOf(one).includes(wordOf(name))).length;
      return count === 0 ? [] : [radio(wordOf(name), `${name} (${count})`)];
    });
    return html`<fieldset><legend>By ${group}</legend>${radio(`every-${group}`, `Any ${group} (${rows.length})`, html` checked`)}${radios}</fieldset>`;
  };
  const search = html`<input type="search" aria-label="Search products and requirements" placeholder="Search" autocomplete="off" hidden>`;
  return [filter('status', Object.keys(statuses)), filter('level', levelNames), search];
}

/** What both tables show of a certificate. */
const common = {
  Levels: ({ manifest }: Certificate) => grantedText(manifest),
  Status: ({ status, why }: Certificate) =>
    html`${badge(statuses[status], status)}${why === null ? null : html` ${shown(why, 300)}`}`,
  'Valid until': ({ manifest }: Certificate) => manifest.validUntil ?? '',
};

/** What the requirements came to for each product, where they did not hold for all: one that half of them break may need a ruling. */
function matrixMarkup(rows: readonly Certificate[]): Markup | null {
  const verdictOf = ({ results }: Certificate, id: string) => results.find((one) => one.id === id)?.verdict;
  const broken = ['fail', 'warn', 'waived'];
  const all = new Map(rows.flatMap(({ results }) => results.map(({ id, title }) => [id, title])));
  const unmet = [...all].flatMap(([id, title]) => {
    const count = rows.filter((one) => broken.includes(verdictOf(one, id) ?? '')).length;
    return count === 0 ? [] : [{ id, title, count }];
  });
  const cells = rows.map((one): [string, (row: { id: string }) => Content] => [
    `${one.product.product}, ${one.product.vendor}`,
    ({ id }) => {
      const verdict = verdictOf(one, id);
      return verdict === undefined ? null : badge(verdict, looks[verdict].word);
    },
  ]);
  return tableBlock(
    'requirements',
    'Requirements that not every product meets',
    unmet.sort((a, b) => b.count - a.count),
    {
      columns: {
        Requirement: ({ id }) => id,
        Title: ({ title }) => shown(title, 200),
        'Not met by': ({ count }) => count,
        ...Object.fromEntries(cells),
      },
      numbers: ['Not met by'],
      sum: 'one that half of the products break may need a ruling',
    },
  );
}

/** The table of products, by vendor, and that of what they do not meet. */
export function renderIndex({ rules, certificates }: Registry, now: Date): string {
  const rows = currentOf(certificates);
  const title = rules.policy.name;
  return renderPage({
    title,
    style,
    tone: 'pass',
    kicker: 'Dealership platform API, registry of certificates',
    heading: title,
    lead: html`<p class="lead">Products that conform to the dealership platform's public API, and until when. Anybody can judge each certificate again, offline.</p>`,
    main: wrap([
      html`<div class="block">${rows.length === 0 ? html`<p>No product is certified yet.</p>` : filterMarkup(rows)}</div>`,
      tableBlock('products', 'Products', rows, {
        columns: {
          Product: (one) => link(addressOf(one), shown(one.product.product, 100)),
          Vendor: ({ product }) => shown(product.vendor, 100),
          Version: ({ product }) => product.version,
          ...common,
        },
        numbers: ['Valid until'],
        kindOf: (one) => classesOf(one).join(' '),
      }),
      matrixMarkup(rows),
      html`<p class="links quiet">As of ${minuteOf(now.toISOString())} ${link('registry.json', 'registry.json')} ${link('feed.xml', 'Atom feed')}</p>`,
    ]),
    scripts: [searchScript],
  });
}

const counts = ({ status }: Certificate): boolean => ['valid', 'expiring'].includes(status);

/** `withdrawn since 2027-01-31: the reason`; `valid until 2027-11-27`. */
function statusText(one: Certificate): Markup {
  const { status, since, why, manifest } = one;
  const day =
    status === 'valid' || status === 'expiring' ? `until ${manifest.validUntil ?? ''}` : `since ${since.slice(0, 10)}`;
  return html`${badge(statuses[status], status)} ${day}${why === null ? null : html`: ${shown(why, 300)}`}`;
}

/** The certificate's page, written again: nothing that a vendor wrote becomes markup of the site. It says first whether it still counts. */
export function renderCertificatePage(one: Certificate): string {
  const tone = statuses[one.status];
  const text = html`<p class="lead ${tone} ${counts(one) ? '' : 'mark'}">This certificate is ${statusText(one)}. ${link('../index.html', 'Every version and key')}</p>`;
  return renderCertificate(one.manifest, one.signer, { tone, text });
}

/** The badge of a product: what was granted, or why its certificate does not count. */
export const badgeOf = (one: Certificate): string =>
  counts(one) ? drawBadge(grantedText(one.manifest), 'granted') : drawBadge(one.status, 'withheld');

function filesOf({ product: { version }, bundle }: Certificate): Markup {
  const folder = `${encodeURIComponent(version)}/`;
  return html`${link(`${folder}certificate.html`, `certificate ${version}`)}, ${link(`${folder}bundle.tar`, `bundle ${version}`)}<br><span class="command digest">sha256 <code title="${bundle.sha256}">${bundle.sha256}</code>${copyButton('digest')}</span>`;
}

/** Who signed a certificate, and how anybody judges it again with the key that the site has. */
function judgeAgain({ vendor, signer }: Certificate, { keys }: Registry, up: string): Markup {
  const file = `${vendor}.pub.pem`;
  const isHere = keys.get(file) === signer;
  return html`<p>Signed by the vendor: <code>${signer}</code>${isHere ? html` (${link(`${up}keys/${file}`, file)})` : null}</p>
<p>Download the bundle and the key into an empty folder, and run there:</p>
${command('Install', 'npm install dealership-conformance openapi-typescript@7 typescript@5')}
${command('Verify', `npx dealership-conformance verify bundle.tar${isHere ? ` --key ${file}` : ''}`)}`;
}

/** The page of a product: every version that was certified. */
export function renderProduct(history: readonly Certificate[], current: Certificate, registry: Registry): string {
  const { product, page: at, manifest } = current;
  const up = '../'.repeat(at.split('/').length);
  const title = `${product.product}, ${product.vendor}`;
  const about = [product.type, ...(product.region === undefined ? [] : [`region ${product.region}`])].join(', ');
  const programme = registry.rules.policy.name;
  const { urls, contact, description } = product;
  return renderPage({
    title: `${title}: ${programme}`,
    style,
    tone: statuses[current.status],
    kicker: link(`${up}index.html`, programme),
    heading: shown(title, 210),
    lead: html`<p class="lead">${shown(about, 100)}${description === undefined ? null : html`: ${shown(description, 500)}`}</p>
<p class="links">${link(urls.product, 'product page')} ${urls.documentation === undefined ? null : link(urls.documentation, 'documentation')} Contact: ${shown(contact, 200)}</p>
<p>${link('badge.svg', new Markup(badgeOf(current)))}</p>
<p>Version ${product.version} is ${statusText(current)}. It was judged at ${shown(manifest.target.baseUrl, 300)}.</p>`,
    main: wrap([
      tableBlock('versions', 'Versions', history, {
        columns: {
          Version: (one) => one.product.version,
          Judged: (one) => one.manifest.clock.started.slice(0, 10),
          ...common,
          Files: filesOf,
        },
        numbers: ['Judged', 'Valid until'],
      }),
      blockMarkup('again', 'Judge it again', judgeAgain(current, registry, up)),
    ]),
    scripts: [copyScript],
  });
}
