// SPDX-License-Identifier: Apache-2.0
// The plots of the page, by Chart.js.
let plots = [];
// Elements are tied by `stagesAt(dataset, index)`.
function plot(id, stagesAt, configuration, layerAt = () => null) {
  const found = elements => elements.length
    ? stagesAt(elements[0].datasetIndex, elements[0].index) : [];
  const chart = new Chart(at(`#${id} canvas`), { ...configuration, options: {
    animation: false, maintainAspectRatio: false,
    interaction: { mode: 'nearest', intersect: true }, ...configuration.options,
    onHover: (_, elements) => hover(found(elements)),
    onClick: (_, elements) => {
      const indices = found(elements);
      const layer = elements.length ? layerAt(elements[0].index) : null;
      if (indices.length || layer) select(indices, layer);
    } } });
  chart.canvas.onmouseleave = () => hover([]);
  plots.push(chart);
  return chart;
}
const axis = (text, more = {}) => ({ title: { display: true, text }, ...more });
const cycleAxis = () => axis('cycles', { min: 0, max: end,
  ticks: { callback: x => whole.format(Math.round(x)) } });
// Only powers of ten where there are many; never rotated.
const logarithmic = (text, more = {}) => axis(text, { type: 'logarithmic', ...more,
  ticks: { autoSkip: false, maxRotation: 0, callback(x, _, ticks) {
    const many = ticks.at(-1).value / ticks[0].value > (this.isHorizontal() ? 1e5 : 500);
    const digit = x / 10 ** Math.floor(Math.log10(x) + 1e-9);
    return (many ? [1] : [1, 2, 5]).some(d => Math.abs(digit - d) < 1e-6) ? real(x) : null;
  } } });
const axisNames = new Map(Object.entries(report.axis_names));
const nameAxis = names => ({ ticks: { callback: i => axisNames.get(names[i]) ?? names[i] } });
const tooltip = lines => ({ callbacks: { title: () => '', label: lines } });
const marked = (index, normal) => isMarked(index) ? colour('selected') : normal;
const legend = show => ({ display: show, labels: { boxWidth: 12 } });

function drawTimeline() {
  const timed = layers.filter(r => r.cycles.done > r.cycles.start);
  const units = ['CONV', 'SDP', 'PDP', 'CDP', 'RUBIK', 'HOST']
    .filter(u => timed.some(r => unitOf(r) === u));
  const free = {};  // when each unit has finished what it was enabled for before
  const bars = timed.map(r => {
    const [y, { start, done }] = [unitOf(r), r.cycles], from = Math.max(start, free[y] ?? 0);
    free[y] = Math.max(done, free[y] ?? 0);
    return { y, x: [Math.min(from, done), done] };
  });
  const macs = timed.filter(r => r.cycles.with_macs > 0);
  const faces = new Map(units.map(u => [u, [colour(u, 0.45), colour(u)]]));
  const face = (row, part) => row && marked(row.stage, faces.get(unitOf(row))[part]);
  const bar = { grouped: false, barPercentage: 0.9, categoryPercentage: 0.9, minBarLength: 1,
    borderSkipped: false, borderColor: colour('panel') };
  return plot('timeline', (set, i) => [(set ? timed[i] : macs[i]).stage], {
    type: 'bar',
    data: { labels: units, datasets: [
      { ...bar, data: macs.map(r => ({ y: 'CONV', x: [r.cycles.first_mac, r.cycles.last_mac] })),
        backgroundColor: c => face(macs[c.dataIndex], 1) },
      { ...bar, borderWidth: { left: 0.5, right: 0.5 }, data: bars,
        backgroundColor: c => face(timed[c.dataIndex],
          timed[c.dataIndex]?.unit === 'CONV' ? 0 : 1) }] },
    options: { indexAxis: 'y',
      scales: { x: cycleAxis(), y: { type: 'category', labels: units } },
      plugins: { legend: legend(false), tooltip: tooltip(c => {
        const r = (c.datasetIndex ? timed : macs)[c.dataIndex], t = r.cycles;
        return [r.name, `${r.unit}, ${whole.format(t.start)} to ${whole.format(t.done)}, ` +
          `${whole.format(t.behind)} of it behind the one before`,
          `${whole.format(t.own)} of its own, limited by ${t.limited_by}, waits ` +
          `${whole.format(t.waiting)} in ${t.waits_in}`];
      }) } } });
}

function drawRoofline() {
  const { macs_per_cycle: peak, bytes_per_cycle: width } = report.hardware;
  const shown = stages.filter(s => s.macs > 0 && s.busy > 0);
  at('#roofline').hidden = shown.length === 0;
  if (shown.length === 0) return;
  const point = s => ({ x: s.macs / Math.max(1, s.read, s.written), y: s.macs / s.busy });
  const intensities = [...shown.map(s => point(s).x), peak / width];
  const [low, high] = [Math.min(...intensities) / 2, Math.max(...intensities) * 2];
  const limits = [...new Set(shown.map(s => s.limit))];
  const groups = limits.map(limit => shown.filter(s => s.limit === limit));
  const cycles = of => of.reduce((sum, s) => sum + s.own, 0);
  plot('roofline', (set, i) => set < groups.length ? [groups[set][i].index] : [], {
    type: 'scatter',
    data: { datasets: [...groups.map((group, g) => {
      const normal = colour(limits[g]);
      return { label: `${limits[g]}: ${share(cycles(group) / cycles(shown))} of their cycles`,
        data: group.map(point), borderColor: normal, backgroundColor: c =>
          group[c.dataIndex] ? marked(group[c.dataIndex].index, normal) : normal,
        pointRadius: c => group[c.dataIndex] && isMarked(group[c.dataIndex].index) ? 7 : 4 };
    }), { label: `${peak} MACs or ${width} bytes a cycle`, type: 'line', pointRadius: 0,
      pointHitRadius: 0, borderColor: colour('ink'), borderWidth: 1.5,
      data: [low, peak / width, high].map(x => ({ x, y: Math.min(peak, x * width) })) }] },
    options: {
      scales: {
        x: logarithmic('MACs a byte read or written', { min: low, max: high }),
        y: logarithmic('MACs a cycle', { max: 1.5 * peak }) },
      plugins: { legend: { labels: { boxWidth: 12, generateLabels: chart =>  // never as selected
        Chart.defaults.plugins.legend.labels.generateLabels(chart)
          .map(label => ({ ...label, fillStyle: label.strokeStyle })) } }, tooltip: tooltip(c => {
        const s = groups[c.datasetIndex]?.[c.dataIndex];
        return s ? [s.name, `${real(s.macs / s.busy)} MACs a cycle`,
          `${whole.format(s.own)} cycles of its own`,
          `at least ${whole.format(s.bound)} (${s.limit})`] : '';
      }) } } });
}

function drawMemory() {
  const { buffers, features, features_lower_bound: bound, weights, cvsram } = report.memory;
  const lives = buffers.filter(b => !b.cvsram).map(b => ({ ...b,
    from: stages[layers[b.first_layer].stage], to: stages[layers[b.last_layer].stage] }));
  at('#memory .hint').textContent = `Boxes are buffers of features: when they are needed, and ` +
    `where they lie. Weights (${bytes(weights)}) stay in a memory of their own; the line on the ` +
    'right axis is what has been read of them.' + (report.hardware.has_cvsram
    ? ' This configuration has a CVSRAM; the program keeps ' +
      (cvsram?.bytes ? `${bytes(cvsram.bytes)} there, which are not drawn.` : 'nothing there.')
    : '');
  const line = { type: 'line', pointRadius: 0, pointHitRadius: 0, borderWidth: 1.5 };
  const across = (label, y, name, dash) => ({ ...line, label, borderColor: colour(name),
    borderDash: dash, data: [{ x: 0, y }, { x: end, y }] });
  let read = 0;
  const streamed = stages.map(s => ({ x: s.done, y: read += s.weights }));
  const steps = [...lives.flatMap(b => [[b.from.start, b.bytes], [b.to.done, -b.bytes]])]
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let alive = 0;
  const live = [...new Map(steps.map(([x, change]) => [x, alive += change]))]
    .map(([x, y]) => ({ x, y }));
  const [box, edge] = [colour('SDP', 0.25), colour('SDP')];
  const touched = b => isMarked(b.from.index) || isMarked(b.to.index);
  return plot('memory', (set, i) => set >= 4 ? [lives[set - 4].from.index] : [], {
    type: 'scatter',
    data: { datasets: [
      across(`peak ${bytes(features)}`, features, 'memory', []),
      across(`no placement needs less than ${bytes(bound)}`, bound, 'ink', [5, 4]),
      { ...line, label: 'features in use', data: live, stepped: true, borderColor: colour('CONV') },
      { ...line, label: 'weights read (right)', data: [{ x: 0, y: 0 }, ...streamed],
        borderColor: colour('PDP'), yAxisID: 'weights' },
      ...lives.map(b => ({ type: 'line', label: b.name, fill: 'shape', pointRadius: 0,
        pointHitRadius: 6, borderWidth: 1,
        borderColor: () => touched(b) ? colour('selected') : edge,
        backgroundColor: () => touched(b) ? colour('selected', 0.4) : box,
        data: [[b.from.start, 0], [b.to.done, 0], [b.to.done, b.bytes], [b.from.start, b.bytes],
          [b.from.start, 0]].map(([x, y]) => ({ x, y: b.offset + y })) }))] },
    options: {
      scales: { x: cycleAxis(),
        y: axis('bytes of features', { min: 0, ticks: { callback: bytes } }),
        weights: axis('bytes of weights', { min: 0, position: 'right',
          ticks: { callback: bytes }, grid: { display: false } }) },
      plugins: { legend: { ...legend(true), labels: { boxWidth: 12,
        filter: item => item.datasetIndex < 4 } }, tooltip: tooltip(c => {
        const b = lives[c.datasetIndex - 4];
        return b ? [b.name, `${bytes(b.bytes)} at ${whole.format(b.offset)}`,
          `from ${b.from.name} to ${b.to.name}`] : c.dataset.label;
      }) } } });
}

function drawErrors() {
  const shown = errors.filter(e => Number.isFinite(e.snr) || Number.isFinite(e.snr_of_its_own));
  at('#errors').hidden = shown.length === 0;
  if (shown.length === 0) return;
  const names = shown.map(e => e.name), indices = names.map(stagesOf);
  const touched = i => indices[i]?.some(isMarked) || names[i] === state.layer;
  const [own, all] = [colour('CONV'), colour('memory')];
  plot('errors', (_, i) => indices[i], {
    type: 'bar',
    data: { labels: names, datasets: [
      { type: 'line', label: 'of all up to there', data: shown.map(e => e.snr), borderColor: all,
        backgroundColor: all, pointRadius: 2, borderWidth: 1.5 },
      { label: 'of its own', data: shown.map(e => e.snr_of_its_own),
        backgroundColor: c => touched(c.dataIndex) ? colour('selected') : own }] },
    options: { interaction: { mode: 'index', intersect: false },
      scales: { x: nameAxis(names), y: axis('SNR in dB') },
      plugins: { legend: legend(true), tooltip: { callbacks: { afterBody: c =>
        `its scale costs ${real(shown[c[0].dataIndex].lost_by_its_scale)} dB` } } } }
  }, i => names[i]);
}

function drawActivations() {
  const menu = at('#activations select'), names = [...activations.keys()];
  at('#activations').hidden = names.length === 0;
  if (names.length === 0) return null;
  if (menu.length === 0)
    menu.append(...names.map(name => element('option', { value: name, textContent: name })));
  menu.onchange = () => select(stagesOf(menu.value), menu.value);
  const chart = plot('activations', () => [], {
    type: 'bar',
    data: { datasets: [
      { label: 'values', grouped: false, barPercentage: 1, categoryPercentage: 1,
        backgroundColor: colour('CONV') },
      { type: 'line', label: 'end of the range', borderColor: colour('memory'), pointRadius: 0 }] },
    options: { parsing: false,
      scales: { x: axis('magnitude', { type: 'linear', offset: false, min: 0 }),
        y: logarithmic('values', { min: 0.5 }) },
      plugins: { tooltip: { enabled: false } } } });
  let shown = null;
  const show = () => {
    const wanted = activations.has(state.layer) ? state.layer : shown ?? names[0];
    if (wanted === shown) return;
    shown = menu.value = wanted;
    const { bin_width: width, counts, zeros, largest } = activations.get(wanted);
    const top = ranges.get(wanted);
    chart.data.datasets[0].data = counts.map((y, i) => ({ x: (i + 0.5) * width, y }));
    chart.data.datasets[1].data = [0.5, Math.max(1, ...counts)].map(y => ({ x: top, y }));
    chart.options.scales.x.max = Math.max(counts.length * width, top) * 1.02;
    at('#activations .hint').textContent = `Magnitudes in the calibration, up to ` +
      `${real(largest)}, and ${whole.format(zeros)} zeros. What is beyond the line ` +
      `(${real(top)}) saturates.`;
    chart.update('none');
  };
  show();
  return show;
}

function drawWeights() {
  const all = report.weights, tiny = x => Math.max(x, 1e-9);
  at('#weights').hidden = all.length === 0;
  if (all.length === 0) return;
  const names = all.map(w => w.layer), indices = names.map(stagesOf);
  const touched = i => indices[i]?.some(isMarked) || names[i] === state.layer;
  const set = (label, from, to, alpha) => ({ label, grouped: false, minBarLength: 2,
    data: all.map(w => [tiny(w.quartiles[from]), tiny(w.quartiles[to])]),
    backgroundColor: c => colour(touched(c.dataIndex) ? 'selected' : 'CONV', alpha) });
  plot('weights', (_, i) => indices[i], {
    type: 'bar',
    data: { labels: names,
      datasets: [set('half of them', 1, 3, 1), set('all channels', 0, 4, 0.4)] },
    options: { scales: {
      x: nameAxis(names),
      y: logarithmic('largest weight of a channel', {
        min: Math.min(...all.flatMap(w => w.quartiles).filter(x => x > 1e-9)) / 2 }) },
      plugins: { legend: legend(true), tooltip: { callbacks: { label: c => {
        const q = all[c.dataIndex].quartiles.map(real);
        return [`${q[0]} to ${q[4]}, half in ${q[1]} to ${q[3]}`,
          `${all[c.dataIndex].channels} channels`];
      } } } } }
  }, i => names[i]);
}

// Plots over cycles zoom together.
function tieZoom(charts) {
  if (!has.zoom) return;
  const show = (first, last) => charts.forEach(chart => {
    const { left, right } = chart.chartArea, k = end / (last - first);
    Object.assign(chart.options.scales.x, { min: first, max: last });
    chart.canvas.__zoom = d3.zoomIdentity.translate(
      left - k * (left + (first / end) * (right - left)), 0).scale(k);
    chart.update('none');
  });
  for (const { canvas, chartArea: { left, right } } of charts) {
    const box = [[left, 0], [right, 1]];
    const cycle = (transform, x) =>
      Math.min(end, Math.max(0, (transform.invertX(x) - left) / (right - left) * end));
    const zoom = d3.zoom().scaleExtent([1, 5000]).extent(box).translateExtent(box)
      .filter(() => !d3.event.button && (d3.event.type !== 'wheel' || d3.event.ctrlKey))
      .on('zoom', () => show(cycle(d3.event.transform, left), cycle(d3.event.transform, right)));
    d3.select(canvas).call(zoom).on('dblclick.zoom', () => show(0, end));
  }
}

// Plots that do not show the state yet: those out of sight wait until they come into it.
const stale = new Set();
function showStale() {
  for (const p of stale) {
    const { top, bottom } = p.canvas.getBoundingClientRect();
    if (bottom < 0 || top > innerHeight) continue;
    p.update('none');
    stale.delete(p);
  }
}

function drawPlots() {
  plots.forEach(p => p.destroy());
  plots = [];
  stale.clear();
  Chart.defaults.color = colour('ink');
  Chart.defaults.borderColor = colour('line');
  const overTime = [drawTimeline(), drawMemory()];
  drawRoofline();
  drawErrors();
  const showActivations = drawActivations();
  drawWeights();
  tieZoom(overTime);
  return () => {
    showActivations?.();
    plots.forEach(p => stale.add(p));
    showStale();
  };
}

function showPlots() {
  if (!has.plots) {
    document.querySelectorAll('#views section:has(.plot)').forEach(s => { s.hidden = true; });
    return;
  }
  let show = drawPlots();
  const redraw = () => { show = drawPlots(); };
  views.push(() => show());
  addEventListener('scroll', showStale);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  at('#theme').addEventListener('click', redraw);
  let theme;
  addEventListener('beforeprint', () => {
    theme = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = 'light';
    Chart.defaults.font.size = 9;
    redraw();
    // As page.css has it: beside the data flow, or over the width of the paper.
    const wide = !at('aside') || at('#data_flow')?.hidden;
    plots.forEach(p => p.resize(wide ? 680 : 450, at('aside') ? 183 : 280));
  });
  addEventListener('afterprint', () => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    Chart.defaults.font.size = 12;
    plots.forEach(p => p.resize());
    redraw();
  });
}
