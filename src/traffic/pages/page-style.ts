/** The style sheet of a load page, in addition to that of the report. */
export const loadPageStyle = `
:root { --accepted: #1d8a56; --refused: #cf3f35; --other: #7d8593; --plain: #1b1e23;
  --first: #2a6fdb; --second: #c2620a; --third: #7a4fc9; --band: rgb(90 100 120 / 9%); }
@media (prefers-color-scheme: dark) { :root { --accepted: #56c78d; --refused: #f0776c; --other: #98a1b0; --plain: #f0eee9;
  --first: #7db1ff; --second: #f0a35c; --third: #b79bff; --band: rgb(200 210 230 / 8%); } }
.chart { padding: 1rem 1.1rem .9rem; }
.chart + .chart { margin-top: 1rem; }
.chart h3 { font-weight: 650; }
.chart .plot { margin-top: .5rem; overflow-x: auto; } .chart .plot svg { display: block; width: 100%; min-width: 36rem; }
.chart text { font-size: 12px; fill: var(--quiet); } .chart text.end { text-anchor: end; } .chart text.middle { text-anchor: middle; }
.chart .band { fill: var(--band); } .chart .grid { stroke: var(--line); } .chart .series { fill: none; stroke-width: 2; } .chart .dash { stroke-dasharray: 7 5; stroke-width: 1.5; }
.accepted { stroke: var(--accepted); } .refused { stroke: var(--refused); } .other { stroke: var(--other); } .plain { stroke: var(--plain); } .first { stroke: var(--first); } .second { stroke: var(--second); } .third { stroke: var(--third); }
.chart circle.flag { fill: none; stroke: var(--refused); stroke-width: 2.5; } .chart text.flag { fill: var(--refused); font-weight: 600; font-size: 13px; }
.chart .names { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; font-size: .8125rem; margin-top: .4rem; } .chart .names svg { width: 1.5rem; height: .5rem; margin-right: .4rem; vertical-align: middle; }
.facts-list { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 1rem 2rem; padding: 1.1rem; font-size: .9375rem; }
.facts-list dd { font-size: 1.25rem; font-weight: 600; letter-spacing: -.01em; }
.scroll { overflow-x: auto; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; width: auto; }
tbody td:last-child.n { width: auto; }
.findings-list li { padding: .85rem 1.1rem; } .findings-list li + li { border-top: 1px solid var(--line); }
.findings-list .id { margin-right: .6rem; }
@media print { .chart { break-inside: avoid; } }
`;
