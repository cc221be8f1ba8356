import { html, Markup } from './html-markup.js';

/** The head of a self-contained page. */
export interface PageHead {
  readonly title: string;
  /** Content-Security-Policy. */
  readonly policy: string;
  readonly style: string;
  /** Address of the icon; none for a page to print. */
  readonly icon?: string;
  /** Whether the page has a light and a dark face. */
  readonly schemes?: boolean;
}

/** The head of a self-contained page, from its opening tag to its closing one. */
export function headMarkup({ title, policy, style, icon, schemes = false }: PageHead): Markup {
  return html`<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
${schemes ? new Markup('<meta name="color-scheme" content="light dark">\n') : null}<meta name="referrer" content="no-referrer">
<title>${title}</title>
${icon === undefined ? null : html`<link rel="icon" href="${icon}">\n`}<style>${new Markup(style)}</style>
</head>`;
}
