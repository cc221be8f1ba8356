/** The page's script: draws each chart from the data block with uPlot. It makes no markup from text. */
export const loadPageScript = `
'use strict';
(() => {
  const charts = JSON.parse(document.getElementById('data').textContent);
  const dashes = { dash: [6, 5] };
  let drawn = [];
  const short = (value) => value === null || value === undefined ? '–' : Math.abs(value) >= 1e5 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
  const compact = (value) => Math.abs(value) >= 1e6 ? short(value / 1e6) + 'M' : Math.abs(value) >= 1e4 ? short(value / 1e3) + 'k' : short(value);
  const bands = (chart, colours) => ({ hooks: { drawClear: (plot) => {
    const { ctx } = plot;
    ctx.save();
    ctx.font = 11 * devicePixelRatio + 'px sans-serif';
    ctx.textBaseline = 'top';
    let shaded = false;
    let free = -Infinity;
    for (const span of chart.spans) {
      const from = Math.max(plot.bbox.left, plot.valToPos(span.from, 'x', true));
      const to = Math.min(plot.bbox.left + plot.bbox.width, plot.valToPos(span.to, 'x', true));
      shaded = !shaded;
      if (!(to > from)) continue;
      ctx.fillStyle = colours('--band');
      if (shaded) ctx.fillRect(from, plot.bbox.top, to - from, plot.bbox.height);
      ctx.fillStyle = colours('--quiet');
      if (from >= free) {
        ctx.fillText(span.name, from + 4, plot.bbox.top + 4);
        free = from + ctx.measureText(span.name).width + 12;
      }
    }
    ctx.restore();
  } } });
  const line = (one, colours) => ({
    label: one.name,
    show: !one.hidden,
    stroke: colours('--' + one.colour),
    width: one.style === 'dash' ? 1.5 : 2,
    dash: dashes[one.style],
    spanGaps: false,
    value: (_plot, value) => short(value),
    points: one.style === 'points' ? { show: true, size: 4, fill: colours('--' + one.colour) } : one.style === 'line' ? {} : { show: false },
    paths: one.style === 'points' ? () => null : one.style === 'step' ? uPlot.paths.stepped({ align: 1 }) : undefined,
  });
  const draw = (chart, colours) => {
    const host = document.getElementById(chart.id);
    const axis = (name) => ({ label: name, stroke: colours('--quiet'), grid: { stroke: colours('--line'), width: 1 }, ticks: { stroke: colours('--line'), width: 1 } });
    const plain = (_plot, values) => values.map((value) => value === null ? '' : compact(value));
    const plot = new uPlot({
      width: Math.max(280, host.clientWidth),
      height: 320,
      scales: { x: { time: chart.xScale === 'date', distr: chart.xScale === 'log' ? 3 : 1 }, y: { distr: chart.yScale === 'log' ? 3 : 1 } },
      axes: [{ ...axis(chart.xName), ...(chart.xScale === 'date' ? {} : { values: plain }) }, { ...axis(chart.yName), size: 64, values: plain }],
      series: [chart.xScale === 'date' ? { label: chart.xName } : { label: chart.xName, value: (_plot, value) => short(value) }, ...chart.series.map((one) => line(one, colours))],
      cursor: chart.sync === null ? {} : { sync: { key: chart.sync } },
      plugins: chart.spans.length === 0 ? [] : [bands(chart, colours)],
    }, [chart.x, ...chart.series.map((one) => one.values)], host);
    for (const name of host.querySelectorAll('.u-legend tr:not(:first-child) th')) {
      name.tabIndex = 0;
      name.setAttribute('role', 'button');
      name.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        name.click();
      });
    }
    return plot;
  };
  const steer = (plot, chart, key) => {
    const { min, max } = plot.scales.x;
    const last = chart.x.length - 1;
    const at = plot.cursor.idx ?? 0;
    const zoom = (low, high) => plot.setScale('x', { min: Math.max(chart.x[0], low), max: Math.min(chart.x[last], high) });
    const middle = chart.x[at];
    const log = chart.xScale === 'log';
    const span = (factor) => log ? [middle * (min / middle) ** factor, middle * (max / middle) ** factor] : [middle - (middle - min) * factor, middle + (max - middle) * factor];
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const next = Math.max(0, Math.min(last, at + (key === 'ArrowLeft' ? -1 : 1)));
      plot.setCursor({ left: plot.valToPos(chart.x[next], 'x'), top: 0 });
    } else if (key === '+') zoom(...span(0.5));
    else if (key === '-') zoom(...span(2));
    else if (key === 'Escape') zoom(chart.x[0], chart.x[last]);
    else return false;
    return true;
  };
  const drawAll = () => {
    for (const plot of drawn) plot.destroy();
    const style = getComputedStyle(document.documentElement);
    const colours = (name) => style.getPropertyValue(name).trim();
    drawn = charts.map((chart) => draw(chart, colours));
  };
  drawAll();
  charts.forEach((chart, at) => {
    const host = document.getElementById(chart.id);
    host.tabIndex = 0;
    host.addEventListener('keydown', (event) => {
      if (event.target === host && steer(drawn[at], chart, event.key)) event.preventDefault();
    });
  });
  document.documentElement.dataset.drawn = String(drawn.length);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
  let waiting = 0;
  addEventListener('resize', () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => {
      for (const plot of drawn) plot.setSize({ width: Math.max(280, plot.root.parentElement.clientWidth), height: 320 });
    });
  });
})();
`;
