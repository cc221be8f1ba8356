/** The style of pages that are handed over: light or dark on a screen, readable on a phone, and light on one printed sheet. */
export const certificateStyle = `
:root { color-scheme: light dark; --paper: #f5f4f0; --sheet: #fff; --ink: #1b1e23; --quiet: #545c69; --line: #d9d6ce; --granted: #17693f; --withheld: #a81d15; --grey: #596170; }
@media (prefers-color-scheme: dark) { :root { --paper: #121418; --sheet: #1a1d23; --ink: #e9e7e2; --quiet: #a3abb8; --line: #2e333c; --granted: #7fdba8; --withheld: #ffa69d; --grey: #a9b0bc; } }
* { box-sizing: border-box; }
html { font: 15px/1.45 ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; color: var(--ink); background: var(--paper); }
body { margin: 0 auto; max-width: 60rem; padding: 2.5rem 3rem; background: var(--sheet); overflow-wrap: break-word; }
h1 { font-size: 2rem; line-height: 1.15; letter-spacing: -.02em; margin: 0 0 .3rem; } h2 { font-size: 1.05rem; margin: 1.4rem 0 .4rem; }
p { margin: .35rem 0; } .quiet { color: var(--quiet); font-size: .87rem; }
code, .mono { font: .8rem/1.4 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .28rem .8rem .28rem 0; border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { color: var(--quiet); font-size: .8rem; } tbody th, .standing { white-space: nowrap; font-weight: 600; }
.granted, .better, .better .tone, .conformant { color: var(--granted); font-weight: 650; } .withheld, .worse, .worse .tone, .nonconformant { color: var(--withheld); font-weight: 650; } .open { color: var(--grey); }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1.5rem; margin: 1rem 0; } .side { border: 1px solid var(--line); border-radius: 8px; padding: .6rem 1rem; min-width: 0; } .side h2 { margin-top: 0; }
.rows { list-style: none; margin: 0; padding: 0; } .rows li { border-top: 1px solid var(--line); padding: .5rem 0; color: var(--ink); font-weight: 400; } .rows p { margin: .15rem 0; }
summary { cursor: pointer; margin: 1.4rem 0 .4rem; color: var(--quiet); }
.mark { border: 3px solid var(--withheld); color: var(--withheld); padding: .5rem .9rem; margin: 1rem 0; font-weight: 650; } .mark ul { margin: .3rem 0 0; padding-left: 1.2rem; font-weight: 400; }
@media (max-width: 40rem) {
  body { padding: 1.25rem; } h1 { font-size: 1.6rem; } .sides { grid-template-columns: 1fr; gap: .75rem; }
  thead { display: none; } table, tbody, tr, th, td { display: block; } tr { border-bottom: 1px solid var(--line); padding: .4rem 0; } th, td { border: 0; padding: .05rem 0; } tbody th { white-space: normal; }
}
@page { size: A4; margin: 13mm; }
@media print {
  :root { color-scheme: light; --paper: #fff; --sheet: #fff; --ink: #1b1e23; --quiet: #545c69; --line: #d9d6ce; --granted: #17693f; --withheld: #a81d15; --grey: #596170; }
  html { font-size: 11.5px; } body { padding: 0; max-width: none; } h2 { margin-top: .9rem; break-after: avoid; } tr, .rows li { break-inside: avoid; }
}
`;
