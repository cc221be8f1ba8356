/** The style sheet of a load page, in addition to that of the report. */
export const loadPageStyle = `
:root { --accepted: #1d8a56; --refused: #cf3f35; --other: #7d8593; --plain: #1b1e23;
  --first: #2a6fdb; --second: #c2620a; --third: #7a4fc9; --fourth: #0f8a94; --fifth: #b8388a; --sixth: #8a7a10; --seventh: #6b5b4a; --band: rgb(90 100 120 / 9%); }
@media (prefers-color-scheme: dark) { :root { --accepted: #56c78d; --refused: #f0776c; --other: #98a1b0; --plain: #f0eee9;
  --first: #7db1ff; --second: #f0a35c; --third: #b79bff; --fourth: #5cc9d2; --fifth: #f08cc6; --sixth: #d3c14c; --seventh: #c9b49c; --band: rgb(200 210 230 / 8%); } }
.chart { padding: 1rem 1.1rem .9rem; }
.chart + .chart { margin-top: 1rem; }
.chart h3 { font-weight: 650; }
.chart .plot { min-height: 21rem; margin-top: .5rem; }
.chart .uplot { width: auto; } .chart .u-legend, .chart .u-legend tbody { display: block; } .chart .u-legend th { white-space: normal; }
.chart .u-legend { width: auto; font-size: .8125rem; text-align: left; margin: .25rem 0 0; }
.chart .u-legend th, .chart .u-legend td, .chart .u-legend td:last-child { display: inline-block; width: auto; padding: .1rem .2rem; vertical-align: middle; }
.chart .u-legend tr { border: 0; margin-right: .9rem; }
.chart .u-legend .u-off > * { opacity: .8; text-decoration: line-through; }
.chart .u-legend .u-value { min-width: 3.2em; font-variant-numeric: tabular-nums; }
.u-select { background: var(--band); }
.facts-list { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 1rem 2rem; padding: 1.1rem; font-size: .9375rem; }
.facts-list dd { font-size: 1.25rem; font-weight: 600; letter-spacing: -.01em; }
.scroll { overflow-x: auto; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; width: auto; }
tbody td:last-child.n { width: auto; }
.findings-list li { padding: .85rem 1.1rem; } .findings-list li + li { border-top: 1px solid var(--line); }
.findings-list .id { margin-right: .6rem; }
@media print { .chart { break-inside: avoid; } }
`;
