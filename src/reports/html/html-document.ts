import { createHash } from 'node:crypto';
import { html, Markup, type Content } from './html-markup.js';

/** The parts of a page that needs nothing else. */
export interface DocumentParts {
  readonly title: string;
  readonly style: string;
  readonly body: Content;
  /** Stand at the end of the body. */
  readonly scripts?: readonly string[];
  /** Address of the icon; none for a page to print. */
  readonly icon?: string;
}

function hash(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
}

/** Content-Security-Policy: nothing may be fetched, framed, submitted or run but this style and these scripts. */
function policyOf({ style, scripts = [], icon }: DocumentParts): string {
  return [
    "default-src 'none'",
    `style-src ${hash(style)}`,
    ...(scripts.length === 0 ? [] : [`script-src ${scripts.map(hash).join(' ')}`]),
    ...(icon === undefined ? [] : ['img-src data:']),
    "base-uri 'none'",
    "form-action 'none'",
    ...(scripts.length === 0 ? [] : ["require-trusted-types-for 'script'"]),
  ].join('; ');
}

/** A self-contained page, light or dark as its reader prefers. */
export function renderDocument(parts: DocumentParts): string {
  const { title, style, body, scripts = [], icon } = parts;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(parts)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
${icon === undefined ? null : html`<link rel="icon" href="${icon}">\n`}<style>${new Markup(style)}</style>
</head>
<body>
${body}
${scripts.map((script) => html`<script>${new Markup(script)}</script>\n`)}</body>
</html>
`.source;
}
