/** The style of pages that are handed over: light, and made to be printed on one sheet. */
export const certificateStyle = `
:root { color-scheme: light; --ink: #1b1e23; --quiet: #545c69; --line: #d9d6ce; --granted: #17693f; --withheld: #a81d15; --grey: #6b7280; }
* { box-sizing: border-box; }
html { font: 15px/1.45 ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; color: var(--ink); background: #f5f4f0; }
body { margin: 0 auto; max-width: 50rem; padding: 2.5rem 3rem; background: #fff; overflow-wrap: anywhere; }
h1 { font-size: 2rem; line-height: 1.15; letter-spacing: -.02em; margin: 0 0 .3rem; } h2 { font-size: 1.05rem; margin: 1.4rem 0 .4rem; }
p { margin: .35rem 0; } .quiet { color: var(--quiet); font-size: .87rem; }
code, .mono { font: .8rem/1.4 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .28rem .8rem .28rem 0; border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { color: var(--quiet); font-size: .8rem; } tbody th { white-space: nowrap; font-weight: 600; }
.granted, .better { color: var(--granted); font-weight: 650; } .withheld, .worse { color: var(--withheld); font-weight: 650; } .open { color: var(--grey); }
.mark { border: 3px solid var(--withheld); color: var(--withheld); padding: .5rem .9rem; margin: 1rem 0; font-weight: 650; } .mark ul { margin: .3rem 0 0; padding-left: 1.2rem; font-weight: 400; }
@page { size: A4; margin: 13mm; }
@media print { html { font-size: 11.5px; background: #fff; } body { padding: 0; max-width: none; } h2 { margin-top: .9rem; break-after: avoid; } tr { break-inside: avoid; } }
`;
