/** The page's style sheet; colours are named by their use, once for light and once for dark. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --paper: #f5f4f0; --sheet: #ffffff; --well: #f7f6f3; --ink: #1b1e23; --quiet: #596170; --line: #e1ded6; --focus: #1a5fd0; --link: #174ea6;
  --pass: #17693f; --pass-soft: #ddf2e5; --pass-mid: #3fa871;
  --fail: #a81d15; --fail-soft: #fbe3e0; --fail-mid: #d9483d;
  --warn: #7a4d00; --warn-soft: #fbecca; --warn-mid: #dfa01f;
  --blocked: #4f3fae; --blocked-soft: #e9e5fb; --blocked-mid: #7f6fe0;
  --error: #8f1a60; --error-soft: #fbe1ef; --error-mid: #c9458f;
  --na: #545c69; --na-soft: #e9eaec; --na-mid: #b4b9c2;
  --shadow: 0 1px 2px rgb(30 25 10 / 6%), 0 6px 20px rgb(30 25 10 / 5%);
  --sans: ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media screen and (prefers-color-scheme: dark) { :root {
  --paper: #121418; --sheet: #1a1d23; --well: #14171c; --ink: #e9e7e2; --quiet: #a3abb8; --line: #2e333c; --focus: #8ab4ff; --link: #9cc0ff;
  --pass: #7fdba8; --pass-soft: #17352a; --pass-mid: #46a877;
  --fail: #ffa69d; --fail-soft: #472220; --fail-mid: #e0584d;
  --warn: #f2c96f; --warn-soft: #3b2f14; --warn-mid: #c8932a;
  --blocked: #bdb3ff; --blocked-soft: #2c2850; --blocked-mid: #8578e0;
  --error: #f7a9d4; --error-soft: #43213a; --error-mid: #c9559a;
  --na: #a9b0bc; --na-soft: #292e36; --na-mid: #5b6370;
  --shadow: 0 1px 2px rgb(0 0 0 / 40%);
} }
.pass, .conformant { --tone: var(--pass); --soft: var(--pass-soft); --mid: var(--pass-mid); }
.fail, .nonconformant { --tone: var(--fail); --soft: var(--fail-soft); --mid: var(--fail-mid); }
.warn, .waived { --tone: var(--warn); --soft: var(--warn-soft); --mid: var(--warn-mid); }
.blocked, .incomplete { --tone: var(--blocked); --soft: var(--blocked-soft); --mid: var(--blocked-mid); }
.error { --tone: var(--error); --soft: var(--error-soft); --mid: var(--error-mid); }
.not-applicable { --tone: var(--na); --soft: var(--na-soft); --mid: var(--na-mid); }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { font: 100%/1.55 var(--sans); background: var(--paper); color: var(--ink); scroll-padding-top: 5.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; overflow-wrap: anywhere; }
h1, h2, h3, p, dl, dd, ol, ul, pre { margin: 0; padding: 0; }
ol, ul { list-style: none; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
pre, code, .id, .mono { font-family: var(--mono); font-size: .8125rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 2; }
.wrap { max-width: 68rem; margin: 0 auto; padding: 0 1.25rem; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--sheet); z-index: 9; }
.quiet { color: var(--quiet); font-size: .875rem; }
.icon { width: 1em; height: 1em; flex: none; fill: none; stroke: currentColor; stroke-width: 2.2; stroke-linecap: round; stroke-linejoin: round; }
.badge { display: inline-flex; align-items: center; gap: .35em; padding: .1em .6em .1em .45em; border-radius: 99px; background: var(--soft); color: var(--tone); font-size: .75rem; font-weight: 650; white-space: nowrap; }

.hero { background: var(--sheet); border-bottom: 1px solid var(--line); border-top: 6px solid var(--mid); }
.hero .wrap { padding-top: 2.25rem; padding-bottom: 2.25rem; }
.kicker { color: var(--quiet); font-size: .8125rem; font-weight: 600; letter-spacing: .04em; margin-bottom: .5rem; }
h1 { font-size: clamp(2.1rem, 5.5vw, 3.4rem); line-height: 1.08; letter-spacing: -.028em; color: var(--tone); font-weight: 750; }
.lead { font-size: 1.125rem; margin-top: .75rem; max-width: 40rem; } .lead + p { margin-top: .5rem; }
.target { display: inline-block; margin-top: .9rem; padding: .3rem .7rem; background: var(--well); border: 1px solid var(--line); border-radius: 8px; font-family: var(--mono); font-size: .875rem; }

main { padding: 2rem 0 4rem; }
.sheet { background: var(--sheet); border: 1px solid var(--line); border-radius: 14px; box-shadow: var(--shadow); }
.block { margin-bottom: 2.25rem; }
h2 { font-size: 1.25rem; letter-spacing: -.012em; line-height: 1.3; margin-bottom: .75rem; display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem .6rem; }
h2 .code { font-family: var(--mono); font-size: .8125rem; color: var(--quiet); font-weight: 500; }
h2 .sum { margin-left: auto; font-size: .8125rem; font-weight: 500; color: var(--quiet); letter-spacing: 0; }

.breaches li + li { border-top: 1px solid var(--line); }
.breaches a { display: grid; grid-template-columns: 8.5rem 1fr; gap: .1rem 1rem; padding: .85rem 1.1rem; text-decoration: none; color: inherit; }
.breaches a:hover { background: var(--well); } .breaches li:first-child a { border-radius: 14px 14px 0 0; } .breaches li:last-child a { border-radius: 0 0 14px 14px; }
.breaches .which { grid-row: span 2; display: flex; flex-direction: column; align-items: flex-start; gap: .25rem; } .breaches .what { font-weight: 600; } .breaches .id { font-weight: 600; }

.tools { position: sticky; top: 0; z-index: 5; background: color-mix(in srgb, var(--paper) 92%, transparent); backdrop-filter: blur(8px); border-bottom: 1px solid var(--line); margin-bottom: 1.75rem; }
.tools .wrap { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; padding-top: .65rem; padding-bottom: .65rem; }
fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .35rem; min-width: 0; } legend { position: absolute; left: -99rem; }
.chip { position: relative; } .chip input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
.chip > span { display: inline-flex; align-items: center; gap: .4em; padding: .3rem .75rem; border: 1px solid var(--line); border-radius: 99px; background: var(--sheet); color: var(--tone, var(--ink)); font-size: .8125rem; font-weight: 600; }
.chip input:checked + span { background: var(--soft, var(--ink)); color: var(--tone, var(--paper)); border-color: var(--tone, var(--ink)); }
.chip input:focus-visible + span { outline: 3px solid var(--focus); outline-offset: 2px; }
.chip .n { font-variant-numeric: tabular-nums; font-weight: 500; }
input[type=search], button { font: inherit; font-size: .8125rem; color: var(--ink); background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; padding: .32rem .7rem; }
input[type=search] { flex: 1 1 10rem; min-width: 8rem; border-color: var(--na-mid); } ::placeholder { color: var(--quiet); opacity: 1; }
button { cursor: pointer; font-weight: 600; } button:hover { background: var(--well); border-color: var(--na-mid); }
.shown { margin-left: auto; }

.requirement + .requirement { border-top: 1px solid var(--line); }
summary { cursor: pointer; list-style: none; } summary::-webkit-details-marker { display: none; }
.requirement > details > summary { padding: .7rem 1.1rem .7rem 2.3rem; position: relative; border-radius: 14px; }
.requirement > details > summary:hover { background: var(--well); }
.requirement > details > summary::before, .exchange > summary::before, .rest > summary::before { content: ""; position: absolute; left: 1.1rem; top: 1.22rem; width: .42rem; height: .42rem; border: solid var(--quiet); border-width: 0 2px 2px 0; transform: rotate(-45deg); transition: transform .12s; }
details[open] > summary::before { transform: rotate(45deg) !important; }
.line { display: grid; grid-template-columns: 8.2rem 5.2rem 1fr auto; gap: .25rem .75rem; align-items: baseline; }
.line .badge { justify-self: start; } .id { font-weight: 600; } h3 { font-size: .9375rem; font-weight: 500; line-height: 1.45; }
.fail h3, .error h3, .blocked h3, .warn h3, .waived h3 { font-weight: 620; }
.level { flex: none; white-space: nowrap; font-size: .6875rem; letter-spacing: .05em; font-weight: 600; color: var(--quiet); border: 1px solid var(--line); border-radius: 5px; padding: .05rem .4rem; }
.inside { padding: .1rem 1.1rem 1.25rem 2.3rem; }
.reason { max-width: 52rem; }
.facts { display: flex; flex-wrap: wrap; gap: .2rem 1.5rem; margin-top: .4rem; color: var(--quiet); font-size: .875rem; }
.rest > summary { padding: .55rem 1.1rem .55rem 2.3rem; position: relative; color: var(--quiet); font-size: .875rem; }
.rest > summary:hover { color: var(--ink); } .requirement + .rest, .inside .rest { border-top: 1px solid var(--line); } .inside .rest { margin-top: 1rem; } .inside .rest > summary { padding-left: 1.2rem; }
.required { display: grid; gap: .4rem; padding: 0 0 .5rem 1.2rem; font-size: .9375rem; max-width: 52rem; }
.findings { display: grid; gap: 1rem; margin-top: 1rem; }
.finding { border-left: 3px solid var(--mid); padding-left: 1rem; display: grid; gap: .65rem; min-width: 0; }
.contrast { display: grid; grid-template-columns: 1fr 1fr; gap: .65rem; }
.contrast > div { background: var(--well); border: 1px solid var(--line); border-radius: 10px; padding: .6rem .85rem; min-width: 0; }
.contrast > div:last-child { background: var(--soft); border-color: transparent; }
dt, .half { font-size: .75rem; font-weight: 650; color: var(--quiet); } .contrast > div:last-child dt { color: var(--tone); }
.command { border: 1px solid var(--line); border-radius: 10px; background: var(--well); overflow: hidden; }
.command .bar { display: flex; align-items: center; justify-content: space-between; padding: .35rem .5rem .35rem .85rem; font-size: .75rem; font-weight: 650; color: var(--quiet); min-height: 2.1rem; }
.command pre { padding: 0 .85rem .7rem; } .copy { padding: .12rem .6rem; font-size: .75rem; }
.answer a { color: inherit; } .answer mark { display: block; margin: 0 -.85rem; padding: 0 .85rem; background: var(--soft); color: var(--tone); font-weight: 650; }
.lanes { padding: 0 .85rem .7rem; font-size: .8125rem; } .lanes li { display: grid; grid-template-columns: 11rem 1fr 13rem; gap: .75rem; align-items: center; } .lanes svg { width: 100%; height: .7rem; background: var(--line); fill: var(--na); border-radius: 3px; } .lanes .odd svg { fill: var(--mid); }
abbr { font-size: 0; text-decoration: none; cursor: help; } abbr::before { content: attr(data-letter); font-size: 1rem; font-weight: 650; } .quiet abbr::before { font-size: .875rem; }
.exchange { border: 1px solid var(--line); border-radius: 10px; }
.rest > summary::before { top: .95rem; } .inside .rest > summary::before { left: 0; }
.exchange > summary { position: relative; padding: .45rem .85rem .45rem 1.9rem; border-radius: 10px; } .exchange > summary::before { left: .85rem; top: .95rem; } .exchange > summary:hover { background: var(--well); }
.halves { display: grid; grid-template-columns: 1fr 1fr; border-top: 1px solid var(--line); }
.halves > div { padding: .75rem .85rem; min-width: 0; } .halves > div + div { border-left: 1px solid var(--line); }
.halves pre { margin-top: .3rem; font-size: .75rem; line-height: 1.5; } .halves .quiet { margin-top: .6rem; font-size: .75rem; }
.h { color: var(--link); }
.status { display: inline-block; font-family: var(--mono); font-size: .75rem; font-weight: 650; border-radius: 5px; padding: 0 .4rem; background: var(--na-soft); color: var(--na); }
.status.s2 { background: var(--pass-soft); color: var(--pass); } .status.s4 { background: var(--warn-soft); color: var(--warn); } .status.s5, .status.none { background: var(--fail-soft); color: var(--fail); }
.unseen { background: var(--warn-soft); color: var(--warn); border-radius: 3px; padding: 0 .15em; font-family: var(--mono); font-size: .92em; unicode-bidi: isolate; }
.cut { color: var(--quiet); font-style: italic; }
.sheet + p { margin-top: .75rem; }
.mark { border: 3px solid var(--mid); color: var(--tone); border-radius: 8px; padding: .5rem .9rem; font-weight: 650; } .mark ul { list-style: disc; padding-left: 1.2rem; font-weight: 400; }

table { width: 100%; border-collapse: collapse; font-size: .9375rem; } th, td { text-align: left; vertical-align: top; padding: .65rem 1.1rem; } thead th { white-space: nowrap; font-size: .75rem; color: var(--quiet); font-weight: 650; }
tbody tr { border-top: 1px solid var(--line); } tbody th { white-space: nowrap; font-weight: 600; } :where(.rest) tbody th { white-space: normal; } :where(.rest tbody td:last-child) { width: 50%; }
.scroll { overflow-x: auto; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.about { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1rem 2rem; padding: 1.25rem; font-size: .9375rem; } .about dd { overflow-wrap: anywhere; }
.legend { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; margin-top: 1rem; } .legend li { display: flex; gap: .5rem; align-items: baseline; }

@media (max-width: 46rem) {
  .lanes li { grid-template-columns: 1fr auto; gap: .2rem .75rem; margin-top: .4rem; } .lanes svg { grid-row: 2; grid-column: 1 / -1; }
  .line { grid-template-columns: auto 1fr auto; } .line h3 { grid-column: 1 / -1; } .contrast, .halves { grid-template-columns: 1fr; }
  .halves > div + div { border-left: 0; border-top: 1px solid var(--line); } .breaches a { grid-template-columns: 1fr; } .breaches .which { flex-direction: row; grid-row: auto; } .tools { position: static; }
  th, td { padding: .55rem .75rem; } .line .level { justify-self: end; }
  .sheet > table thead { display: none; } .sheet > table, .sheet > table :is(tbody, tr, th, td) { display: block; width: auto; text-align: left; white-space: normal; }
  .sheet > table tr { padding: .45rem 0; } .sheet > table :is(th, td) { padding: .1rem .75rem; } .sheet > table td:empty { display: none; } .sheet > table td::before { content: attr(data-label) ": "; color: var(--quiet); }
}
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
@media (forced-colors: active) { .badge, .status { border: 1px solid; } }
@media print {
  :root { color-scheme: light; --paper: #fff; --sheet: #fff; --well: #f7f7f7; --ink: #000; --quiet: #444; --line: #ccc; --link: #000; --shadow: none; }
  @page { margin: 14mm; }
  html { font-size: 78%; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .tools, .skip, .copy { display: none !important; } .wrap { max-width: none; padding-left: 0; padding-right: 0; } .hero .wrap { padding-top: 1rem; padding-bottom: 1rem; } main { padding: 1rem 0 0; } .block { margin-bottom: 1rem; } th, td { padding: .3rem .9rem; } .about { padding: .8rem; gap: .6rem 2rem; }
  summary, .finding > *, .breaches li, tr { break-inside: avoid; } h2 { break-after: avoid; } .sheet { border-radius: 0; } .command, .exchange { break-inside: auto; }
}
`;
