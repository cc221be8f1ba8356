import { html } from '../../reports/index.js';
import type { Certificate, Registry } from './certificates.js';
import { addressOf } from './pages.js';

/** `DealerHub 2.4.1, Acme Inc.` */
export function titleOf({ product }: Certificate): string {
  return `${product.product} ${product.version}, ${product.vendor}`;
}

/** What happened to certificates, newest first, as an Atom feed (RFC 4287). */
export function renderFeed({ rules, certificates }: Registry): string {
  const base = rules.policy.url.replace(/\/?$/, '/');
  const newestFirst = [...certificates].sort((a, b) => (a.since < b.since ? 1 : -1));
  const entries = newestFirst.map((one) => {
    const link = base + addressOf(one);
    return html`<entry><id>${base + one.name}#${one.status}</id><title>${titleOf(one)}: ${one.status}</title><updated>${one.since}</updated><link rel="alternate" href="${link}"/><summary>${one.why ?? `Valid until ${one.manifest.validUntil ?? ''}.`}</summary></entry>
`;
  });
  return html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>${base}</id><title>${rules.policy.name}</title><updated>${newestFirst[0]?.since ?? '1970-01-01T00:00:00.000Z'}</updated><author><name>${rules.policy.name}</name></author><link rel="self" href="${base}feed.xml"/>
${entries}</feed>
`.source;
}
